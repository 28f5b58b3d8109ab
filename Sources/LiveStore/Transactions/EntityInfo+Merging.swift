extension EntityInfo {
  /// Merges into an edited object the ignored values that other writers changed and the edit did not.
  ///
  /// - Returns: false when both changed an ignored property, or when one cannot be set by itself.
  func keepIgnored(
    of current: UnsafeRawPointer, in after: UnsafeMutableRawPointer, before: UnsafeRawPointer
  ) -> Bool {
    for property in ignoredProperties where !property.isSame(before, current) {
      guard property.isSame(before, UnsafeRawPointer(after)), let assign = property.assign else {
        return false
      }
      assign(current, after)
    }
    return true
  }

  /// Undoes an edit in an object as it is now: the properties that the edit changed get their old values, all others
  /// stay.
  ///
  /// An ignored property that another writer changed, too, stays as it is (U2).
  /// - Returns: nil when another writer changed a listed property that the edit changed, or when a value cannot be
  ///   set by itself.
  /// - Complexity: O(*p*) for *p* properties.
  func undoing(
    before: UnsafeRawPointer, after: UnsafeRawPointer, from current: UnsafeRawPointer
  ) -> (any Entity)? {
    let isCurrent = isSame(after, current)
    var result: (any Entity)?
    // If only ignored properties differ, the object before is the starting value: then no other property needs a
    // setter.
    withCopy(isCurrent ? before : current) { object in
      let isDone =
        isCurrent
        ? restoreIgnored(in: object, before: after, after: current, to: current)
        : restoreListed(in: object, before: before, after: after, current: current)
          && restoreIgnored(
            in: object, before: before, after: after, to: before, where: { $0.isSame(after, current) })
      if isDone { result = copy(UnsafeRawPointer(object)) }
    }
    return result
  }

  /// Sets each ignored property that the edit changed.
  private func restoreIgnored(
    in object: UnsafeMutableRawPointer, before: UnsafeRawPointer, after: UnsafeRawPointer,
    to source: UnsafeRawPointer, where condition: (MergedProperty) -> Bool = { _ in true }
  ) -> Bool {
    for property in ignoredProperties where !property.isSame(before, after) && condition(property) {
      guard let assign = property.assign else { return false }
      assign(source, object)
    }
    return true
  }

  /// Sets each listed property that the edit changed, in a copy of the object as it is now.
  private func restoreListed(
    in object: UnsafeMutableRawPointer, before: UnsafeRawPointer, after: UnsafeRawPointer,
    current: UnsafeRawPointer
  ) -> Bool {
    let stored = properties.lazy.map(\.merged).filter { !$0.isDerived }
    var hasEdits = false
    for property in stored where !property.isSame(before, after) {
      guard property.isSame(after, current), let assign = property.assign else { return false }
      assign(before, object)
      hasEdits = true
    }
    // Setting a property may change others, and an embedded value's `==` may leave links out.
    func isAsExpected(_ isSame: (UnsafeRawPointer, UnsafeRawPointer) -> Bool) -> Bool {
      isSame(UnsafeRawPointer(object), isSame(before, after) ? current : before)
    }
    return hasEdits && stored.allSatisfy { isAsExpected($0.isSame) }
      && links.allSatisfy { !$0.definition.isNested || isAsExpected($0.isSame) }
  }
}
