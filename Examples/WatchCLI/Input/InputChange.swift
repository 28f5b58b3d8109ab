package import LiveStore

/// What a line of the input changes.
package enum InputChange: Hashable, Sendable {
  /// An object is new, or has a new value.
  case put(Document)
  /// The object with this id is removed; `document` is its last value, or as much of it as the line has.
  case remove(Document)
  /// All objects are removed.
  case removeAll

  /// The object that the line has.
  package var document: Document? {
    switch self {
    case .put(let document), .remove(let document): document
    case .removeAll: nil
    }
  }
}

extension WriteTransaction {
  /// Makes the changes in order; an object that is not there is not removed.
  package mutating func apply(_ changes: [InputChange]) throws(StoreError) {
    // Documents that are put one after the other are written together, which new ones gain by.
    var put: [Document] = []
    for change in changes {
      if case .put(let document) = change {
        put.append(document)
        continue
      }
      try upsert(put)
      put.removeAll(keepingCapacity: true)
      switch change {
      case .put: break
      case .remove(let document): _ = try delete(Document.self, document.id)
      case .removeAll: _ = try deleteAll(Document.self)
      }
    }
    try upsert(put)
  }
}

extension [InputChange] {
  /// Leaves out what later changes make needless. Applied to any store, the rest has the same effect: objects keep
  /// their order, and one that is removed and put again goes last.
  ///
  /// - Returns: the last change of each object, after its removal if it had one before.
  /// - Complexity: O(n)
  package func withoutReplaced() -> [InputChange] {
    var newest: [InputChange?] = []
    var places: [JSONValue: (removal: Int?, put: Int?)] = [:]
    for change in self {
      switch change {
      case .removeAll: (newest, places) = ([change], [:])
      case .put(let document):
        if let place = places[document.id]?.put {
          // As in the store, an equal document does not replace another.
          if newest[place]?.document != document { newest[place] = change }
        } else {
          places[document.id, default: (nil, nil)].put = newest.count
          newest.append(change)
        }
      case .remove(let document):
        if let place = places[document.id]?.put {
          newest[place] = nil
          places[document.id]?.put = nil
        }
        if places[document.id]?.removal == nil {
          places[document.id, default: (nil, nil)].removal = newest.count
          newest.append(.remove(Document(id: document.id, body: .null)))
        }
      }
    }
    return newest.compactMap { $0 }
  }
}
