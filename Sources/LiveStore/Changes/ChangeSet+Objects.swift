extension Modification {
  /// What became of an object that is in no store.
  package init(_ old: Element, at oldIndex: Int, to new: Element, at newIndex: Int) {
    self.init(oldIndex: oldIndex, newIndex: newIndex, old: old, new: new, linked: [])
  }
}

extension Move {
  /// The move of an object that is in no store.
  package init(_ id: ID, _ from: Int, _ to: Int) { self.init(id: id, from: from, to: to) }
}

extension Schema {
  /// Whether two objects are one value to a store.
  package func isSame(_ lhs: Element, _ rhs: Element) -> Bool {
    if let isSameObject { return isSameObject(lhs, rhs) }
    return withObjects(lhs, rhs) { lhs, rhs in
      definitions.allSatisfy { definition in
        definition.functions?.isSame(lhs, rhs) ?? true
          && definition.links.allSatisfy { !$0.isNested || $0.isSame(lhs, rhs) }
      }
    }
  }
}
