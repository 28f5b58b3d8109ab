import LiveStore

/// A change that names the differing parts of its value.
protocol PartwiseChange {
  /// The ids of the objects that were inserted, deleted or modified.
  var changedParts: [AnyHashable] { get }
}

extension CollectionChange: PartwiseChange {
  var changedParts: [AnyHashable] {
    guard let changes else { return [] }
    return changes.deletions.map { changes.previous[$0].id }
      + changes.insertions.map { changes.current[$0].id }
      + changes.modifications.map(\.id)
  }
}

extension SectionedChange: PartwiseChange {
  var changedParts: [AnyHashable] {
    guard let changes else { return [] }
    return changes.deletions.map { changes.previous[$0].id }
      + changes.insertions.map { changes.current[$0].id }
      + changes.modifications.map(\.id)
  }
}
