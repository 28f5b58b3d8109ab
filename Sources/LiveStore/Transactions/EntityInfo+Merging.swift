extension EntityInfo {
  /// Keeps in an edited object the ignored values that others have written and the edit has not.
  ///
  /// - Returns: false when an ignored property was written by both, or cannot be set by itself.
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

  /// Takes an edit back from an object as it is now: what the edit changed is as before, what others changed stays.
  ///
  /// Of an ignored property that both changed, the value of the others stays.
  /// - Returns: nil when a listed property that the edit changed is not as it left it, or when a value cannot be set by
  ///   itself.
  /// - Complexity: O(*p*) for *p* properties.
  func takingBack(
    before: UnsafeRawPointer, after: UnsafeRawPointer, from current: UnsafeRawPointer
  ) -> (any Entity)? {
    let isCurrent = isSame(after, current)
    var result: (any Entity)?
    // The object as it was, if only ignored properties differ: then no other needs to be writable.
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

  /// Sets each ignored property that differs on both sides of an edit.
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

  /// Sets each listed property that differs on both sides of an edit, in a copy of the object as it is now.
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
