package import LiveStore

/// An object of any entity, and where it stands in insertion order.
package struct ModelRow: Sendable {
  package let key: ModelKey
  package let position: Int
  package let object: any ModelEntity

  package init(key: ModelKey, position: Int, object: any ModelEntity) {
    self.key = key
    self.position = position
    self.object = object
  }
}

extension ModelRow: Equatable {
  /// Whether the object is the same to the store, and in the same position.
  package static func == (left: ModelRow, right: ModelRow) -> Bool {
    func isSame<Element: ModelEntity>(_ object: Element) -> Bool {
      (right.object as? Element).map { object.isSame(as: $0) } ?? false
    }
    return left.key == right.key && left.position == right.position && isSame(left.object)
  }
}

extension ModelStore {
  /// All objects, entity by entity.
  package var rows: [ModelRow] { tables.flatMap(\.rows) }

  /// The row of an object. One that is set has its own position, so an object can return to its former one.
  package subscript(key: ModelKey) -> ModelRow? {
    get { tables[number(of: key.type)].row(key.id) }
    set {
      if let newValue {
        tables[number(of: key.type)].put(newValue)
      } else {
        _ = tables[number(of: key.type)].removeObject(key.id)
      }
    }
  }

  /// What a commit reports that follows `before`: the objects of an entity that differ in value or position, by id.
  package func differences<Element: ModelEntity>(
    from before: ModelStore, of _: Element.Type = Element.self
  ) -> [Int: (old: Element?, new: Element?)] {
    let (old, new) = (before.table(Element.self), table(Element.self))
    var differences: [Int: (old: Element?, new: Element?)] = [:]
    for object in old.objects { differences[object.id] = (object, nil) }
    for object in new.objects { differences[object.id, default: (nil, nil)].new = object }
    return differences.filter { id, pair in
      guard let before = pair.old, let after = pair.new else { return true }
      return old.positions[id] != new.positions[id] || !before.isSame(as: after)
    }
  }

  /// Throws unless a commit that made this version of `before` reports every object that differs, and no other.
  package func checkChanges<Element: ModelEntity>(
    in commit: Commit, from before: ModelStore, of _: Element.Type,
    isEqual: (Element, Element) -> Bool = { $0.isSame(as: $1) }
  ) throws {
    func areEqual(_ found: Element?, _ expected: Element?) -> Bool {
      guard let found, let expected else { return (found == nil) == (expected == nil) }
      return isEqual(found, expected)
    }
    let expected = differences(from: before, of: Element.self)
    let changes = commit.changes(of: Element.self)
    for change in changes {
      guard let id = change.old?.id ?? change.new?.id, let pair = expected[id] else {
        throw Mismatch("\(change) is reported")
      }
      try require(
        areEqual(change.old, pair.old) && areEqual(change.new, pair.new), "\(change) is reported, not \(pair)"
      )
    }
    try require(changes.count == expected.count, "\(changes) are reported, not \(expected)")
  }
}
