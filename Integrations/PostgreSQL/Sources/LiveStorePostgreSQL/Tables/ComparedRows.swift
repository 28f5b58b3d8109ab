import LiveStore

/// A copy of a replica's store with the server's state, to which the rows of a later copy are written while they come. The
/// two share each object that is the same, so that only those that differ take memory.
package struct ComparisonStore: Sendable {
  let store: Store
  let reservation: WriteReservation
  /// The state of which it was made.
  let before: Snapshot

  /// - Parameter entities: all entities of the store, whose rules do not hold in the copy.
  init(copying state: Snapshot, entities: [any Entity.Type]) throws {
    store = Store(copying: state, configuration: Overlay.configuration)
    reservation = try store.reserveWrites(to: entities)
    before = store.snapshot()
  }
}

/// The rows of a later copy of a table.
struct ComparedRows<Element: Entity> {
  private let comparison: ComparisonStore
  /// The ids of the rows.
  private(set) var ids: Set<Element.ID> = []

  init(_ comparison: ComparisonStore) { self.comparison = comparison }

  /// Adds rows.
  ///
  /// - Returns: the id of an earlier row and that of one of these that is the same, if there are any.
  mutating func append(_ piece: [Element]) throws -> (Element.ID, Element.ID)? {
    for object in piece {
      let (isNew, first) = ids.insert(object.id)
      if !isNew { return (first, object.id) }
    }
    try comparison.store.write(using: comparison.reservation) { tx in try tx.upsert(contentsOf: piece) }
    return nil
  }

  /// Makes the rows all that a store has. Those that it has as well stay where they are.
  ///
  /// - Parameter isSource: whether it has the state with which the rows were compared.
  func replaceAll(in tx: inout WriteTransaction, isSource: Bool) throws {
    let rows = comparison.store.snapshot()
    if isSource {
      let changes = try rows.difference(from: comparison.before).changes(of: Element.self)
      try tx.upsert(contentsOf: changes.lazy.compactMap(\.new))
    } else {
      // The copy has objects that no row is of, too.
      try tx.upsert(contentsOf: rows.fetch(Element.all).lazy.filter { ids.contains($0.id) })
    }
    if tx.count(Element.all) == ids.count { return }
    for object in tx.fetch(Element.all) where !ids.contains(object.id) {
      try tx.delete(Element.self, object.id)
    }
  }
}
