package import LiveStore

/// What a line of the input changes.
package enum InputChange: Hashable, Sendable {
  /// An object is new, or has a new value.
  case put(Document)
  /// The object with this id is removed; `document` is its last value, or as much of it as the line has.
  case remove(Document)
  /// An object has a new value, in which some members are missing that have not changed.
  case complete(Document, missing: [String])
  /// All objects are removed, but for those with these ids.
  case removeAll(but: Set<JSONValue> = [])
  /// Those of one line, together.
  case several([InputChange])
  /// None: a line that is counted.
  case nothing

  /// The object that the line has.
  package var document: Document? {
    switch self {
    case .put(let document), .complete(let document, _), .remove(let document): document
    case .removeAll, .several, .nothing: nil
    }
  }

  /// The changes that are made one after another.
  var parts: [InputChange] { if case .several(let changes) = self { changes } else { [self] } }
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
      if case .nothing = change { continue }
      try upsert(contentsOf: put)
      put.removeAll(keepingCapacity: true)
      switch change {
      case .put, .nothing: break
      case .several(let changes): try apply(changes)
      case .remove(let document): _ = try delete(Document.self, document.id)
      case .complete(let document, let missing):
        let old = self[Document.self, document.id]
        try upsert(old.map { document.completed(by: $0, missing) } ?? document)
      case .removeAll(let kept) where kept.isEmpty: _ = try deleteAll(Document.self)
      case .removeAll(let kept):
        let deleted = fetch(Document.all).filter { !kept.contains($0.id) }
        for document in deleted { _ = try delete(Document.self, document.id) }
      }
    }
    try upsert(contentsOf: put)
  }
}

extension InputChange {
  /// A change of an object that has the effect of another, of the same object, and this one after it.
  fileprivate func replacing(_ before: InputChange) -> InputChange {
    switch (before, self) {
    // As in the store, an equal document does not replace another.
    case (.put(let old), .put(let new)): old == new ? before : self
    case (.put(let old), .complete(let new, let missing)): .put(new.completed(by: old, missing))
    case (.complete(let old, let unknown), .complete(let new, let missing)):
      .complete(new.completed(by: old, missing), missing: missing.filter(unknown.contains))
    default: self
    }
  }
}

extension Document {
  /// The document with some members of an older one.
  fileprivate func completed(by old: Document, _ missing: [String]) -> Document {
    guard case .object(let object) = body, case .object(let before) = old.body else { return self }
    let members = object.map { key, value in
      (key: key, value: missing.contains(key) ? before[key] ?? value : value)
    }
    return Document(id: id, body: .object(JSONObject(members)))
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
    for change in flatMap(\.parts) {
      switch change {
      case .nothing, .several: break
      case .removeAll(let kept):
        // The removal of the others may as well come first, with one before it.
        var both = kept
        if case .removeAll(let before)?? = newest.first { both.formIntersection(before) }
        let rest = newest.compactMap(\.self).filter { $0.document.map { kept.contains($0.id) } ?? false }
        (newest, places) = ([.removeAll(but: both)], [:])
        for change in rest {
          guard let id = change.document?.id else { continue }
          if case .remove = change {
            places[id, default: (nil, nil)].removal = newest.count
          } else {
            places[id, default: (nil, nil)].put = newest.count
          }
          newest.append(change)
        }
      case .put(let document), .complete(let document, _):
        if let place = places[document.id]?.put, let before = newest[place] {
          newest[place] = change.replacing(before)
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
