import LiveStore

/// Lines in a store, with the order of their ids written down, to be changed by indices.
struct LineStore {
  let store: Store
  private(set) var ids: [Int]
  private var positions: [Int: Double]
  /// Where rows stood at first, to which one that comes back returns exactly.
  private let origins: [Int: Double]
  private var nextID: Int

  init(ids: [Int]) async throws {
    store = try Store(Line.self)
    self.ids = ids
    let lines = ids.enumerated().map { Line(id: $1, position: Double($0)) }
    positions = Dictionary(lines.map { ($0.id, $0.position) }, uniquingKeysWith: { first, _ in first })
    origins = positions
    nextID = (ids.max() ?? 0) + 1
    try await store.write { tx in try tx.insert(contentsOf: lines) }
  }

  mutating func makeID() -> Int {
    defer { nextID += 1 }
    return nextID
  }

  /// Brings the table into a new order in one transaction: rows that are not placed keep their position.
  ///
  /// - Parameters:
  ///   - order: the ids afterwards; those not there yet are inserted, those left out deleted.
  ///   - placed: the ids that take a new position.
  ///   - modified: the ids whose value changes.
  mutating func reorder(_ order: [Int], placed: Set<Int>, modified: Set<Int>) async throws {
    let old = Set(ids)
    let placed = placed.union(order.filter { !old.contains($0) })
    place(order, placed)
    let (positions, deleted) = (positions, old.subtracting(order))
    try await store.write { tx in
      for id in deleted { try tx.delete(Line.self, id) }
      for id in order {
        guard let position = positions[id] else { throw CaseFailure.malformed("row \(id) has no place") }
        if old.contains(id) {
          try tx.update(Line.self, id) { line in
            line.position = position
            if modified.contains(id) { line.value += 1 }
          }
        } else {
          try tx.insert(Line(id: id, position: position))
        }
      }
    }
    ids = order
    try demand("order", expected: order, seen: Array(store.snapshot().fetch(Line.inOrder).ids))
  }

  /// Gives the placed rows positions between their neighbours; their first one where it fits.
  private mutating func place(_ order: [Int], _ placed: Set<Int>) {
    var lower = -1_000_000.0
    for (index, id) in order.enumerated() {
      if placed.contains(id) {
        let next = order[index...].first { !placed.contains($0) }
        let upper = next.flatMap { positions[$0] } ?? 1_000_000
        let origin = origins[id].flatMap { $0 > lower && $0 < upper ? $0 : nil }
        positions[id] = origin ?? (lower + upper) / 2
      }
      lower = positions[id] ?? lower
    }
  }
}
