extension EntityInfo {
  /// Gives a merged object the stored values of all properties that the merge did not change: those with the
  /// same value in the object and in `unmerged`, the stored object decoded again without the patch.
  ///
  /// - Returns: the name of such a property that cannot be set, if there is one.
  /// - Complexity: O(*p*) for *p* properties.
  func restore<Element: Entity>(
    _ stored: Element, in object: inout Element, unlessChangedFrom decoded: Element
  ) -> String? {
    let listed = properties.map { ($0.name, $0.merged) }
    let properties = listed + ignoredProperties.map { ("that the schema ignores", $0) }
    return withObjects(stored, decoded) { stored, decoded in
      withMutableObject(&object) { object in
        for (name, property) in properties where !property.isDerived {
          let current = UnsafeRawPointer(object)
          guard property.isSame(decoded, current), !property.isSame(stored, current) else { continue }
          guard let assign = property.assign else { return name }
          assign(stored, object)
        }
        return nil
      }
    }
  }
}
