// Resolves the links of a relation in the tables of a version.

extension LinkReading {
  /// The rows of the linked objects that exist, in the order of the links.
  func rows(_ object: UnsafeRawPointer, in table: Int, _ context: ReadContext) -> [UInt64] {
    visited(by: LinkedRowsOf(object: object, table: table, context: context))
  }

  /// The first linked id that names no existing object, as text. Links that an older object also had are not checked.
  func missing(_ object: UnsafeRawPointer, since older: UnsafeRawPointer?, _ context: ReadContext) -> String?
  {
    visited(by: MissingTarget(object: object, older: older, context: context))
  }

  /// The linked ids that name no existing object.
  func missingIDs(_ object: UnsafeRawPointer, _ context: ReadContext) -> any DeletedIDs {
    visited(by: MissingIDs(object: object, context: context))
  }
}

private struct MissingIDs: LinkVisitor {
  let object: UnsafeRawPointer
  let context: ReadContext

  func visit<Target: Entity>(_ links: LinkReader<Target>) -> any DeletedIDs {
    var missing = DeletedIDsOf<Target>()
    guard let table = context.catalog.index(of: Target.self) else { return missing }
    links.forEach(object) { reference in
      if context.row(of: reference.id, in: table, Target.self) == nil { missing.insert(reference.id) }
    }
    return missing
  }
}

private struct LinkedRowsOf: LinkVisitor {
  let object: UnsafeRawPointer
  let table: Int
  let context: ReadContext

  func visit<Target: Entity>(_ links: LinkReader<Target>) -> [UInt64] {
    var rows: [UInt64] = []
    links.forEach(object) { reference in
      if let found = context.row(of: reference.id, in: table, Target.self) { rows.append(found.row) }
    }
    return rows
  }
}

private struct MissingTarget: LinkVisitor {
  let object: UnsafeRawPointer
  let older: UnsafeRawPointer?
  let context: ReadContext

  func visit<Target: Entity>(_ links: LinkReader<Target>) -> String? {
    guard let table = context.catalog.index(of: Target.self) else { return nil }
    func isMissing(_ reference: Ref<Target>) -> Bool {
      context.row(of: reference.id, in: table, Target.self) == nil
    }
    var (old, new): ([Ref<Target>], [Ref<Target>]) = ([], [])
    guard let older else {
      var missing: Ref<Target>?
      links.forEach(object) { if missing == nil && isMissing($0) { missing = $0 } }
      return missing.map { shown($0.id) }
    }
    links.forEach(older) { old.append($0) }
    links.forEach(object) { new.append($0) }
    // Most edits leave both ends of a list unchanged.
    let ends = commonEnds(old, new)
    let known = Set(old[ends.head..<old.count - ends.tail])
    return new[ends.head..<new.count - ends.tail].first { reference in
      !known.contains(reference) && isMissing(reference)
    }.map { shown($0.id) }
  }
}
