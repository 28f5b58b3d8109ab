import LiveStore
import Synchronization
import TestSupport

/// Random filters over numbers in one store: found by every way, in a transaction and live, against the oracle.
struct NumberHistory<Mode: NumberMode> {
  typealias Row = NumberRow<Mode>
  typealias World = NumberWorld<Mode>

  let seed: UInt64
  /// Whether it has every comparison and operation of two numbers in place of random filters.
  var isFamily = false

  /// The first thing that is wrong; nil if nothing is.
  func run() async throws -> String? {
    var random = SplitMix64(seed: seed)
    var world = World(&random, count: isFamily ? 64 : 16)
    var maker = NumberFilterMaker<Mode>(random: random.fork())
    let filters = isFamily ? maker.family() : (0..<12).map { _ in maker.filter() }
    let store = try Store(Row.self, NumberPart.self)
    try await store.write { tx in
      try tx.insert(contentsOf: world.parts)
      try tx.insert(contentsOf: world.rows)
    }
    var queries: [Query<Row>] = []
    for filter in filters {
      do {
        queries.append(try Row.where(format: filter.text, arguments: filter.arguments))
      } catch {
        return "\(shown(filter)): \(error)"
      }
    }
    for (filter, query) in zip(filters, queries) {
      if let mistake = check(filter, query, world, store.snapshot()) { return mistake }
      if let mistake = checkText(filter, query) { return mistake }
    }
    // Of a family, some are enough.
    let live = Array(stride(from: 0, to: filters.count, by: isFamily ? 7 : 1))
    return try await self.live(store, live.map { filters[$0] }, live.map { queries[$0] }, &world, &random)
  }

  private func shown(_ filter: NumberFilter<Mode>) -> String {
    "seed \(seed): \(filter.text) \(filter.arguments)"
  }

  private func wrong(
    _ filter: NumberFilter<Mode>, _ way: String, _ found: some Sequence<Int>, _ world: World
  ) -> String? {
    let found = Set(found)
    for row in world.rows {
      guard let passes = filter.passes(row, world), passes != found.contains(row.id) else { continue }
      return "\(shown(filter)), \(way): \(passes ? "misses" : "has") \(row), parts \(world.parts)"
    }
    return nil
  }

  private func check(
    _ filter: NumberFilter<Mode>, _ query: Query<Row>, _ world: World, _ snapshot: Snapshot
  ) -> String? {
    let found = snapshot.fetch(query).map(\.id)
    if let mistake = wrong(filter, query.explain(in: snapshot), found, world) { return mistake }
    if snapshot.count(query) != found.count { return "\(shown(filter)): the count differs" }
    guard let negated = try? Row.where(format: "NOT (\(filter.text))", arguments: filter.arguments) else {
      return "\(shown(filter)): NOT is refused"
    }
    let others = Set(snapshot.fetch(negated).map(\.id))
    if others != Set(world.rows.map(\.id)).subtracting(found) { return "\(shown(filter)): negated \(others)" }
    let some = Set(world.rows.map(\.id).filter { $0 % 3 != 1 })
    let among = snapshot.fetch(query.where { $0.id.in(some) }).map(\.id)
    if among != found.filter({ some.contains($0) }) {
      return "\(shown(filter)): among ids \(among) of \(found)"
    }
    let sorted = snapshot.fetch(query.sorted(by: \.f).limit(3)).map(\.id)
    let all = snapshot.fetch(query.sorted(by: \.f)).map(\.id)
    return sorted == Array(all.prefix(3)) && all.sorted() == found ? nil : "\(shown(filter)): in order \(all)"
  }

  /// The text of a filter, and as JSON, is an equal filter.
  private func checkText(_ filter: NumberFilter<Mode>, _ query: Query<Row>) -> String? {
    guard let format = query.format else { return "\(shown(filter)): \(query) has no text" }
    guard let again = try? Row.query(format: format) else { return "\(shown(filter)): \(format) is not read" }
    return again == query ? nil : "\(shown(filter)): \(format) is \(again)"
  }

  private struct Undo: Error {}

  private func live(
    _ store: Store, _ filters: [NumberFilter<Mode>], _ queries: [Query<Row>], _ world: inout World,
    _ random: inout SplitMix64
  ) async throws -> String? {
    let last = Mutex<[Int: [Int]]>([:])
    let tokens = queries.enumerated().map { index, query in
      store.observe(query) { change in
        let found = change.results?.map(\.id)
        last.withLock { $0[index] = found }
      }
    }
    defer { tokens.forEach { $0.invalidate() } }
    for _ in 0..<2 {
      var edits: [Row] = []
      for _ in 0..<4 {
        let row: Row = random.numberRow(world.rows[random.int(0...world.rows.count - 1)].id)
        world.rows[row.id] = row
        edits.append(row)
      }
      let part = random.numberPart(random.int(0...3))
      world.parts[part.id] = part
      let inside = Mutex<[[Int]]>([])
      try await store.write { tx in
        for row in edits { try tx.upsert(row) }
        try tx.upsert(part)
        let found = queries.map { tx.fetch($0).map(\.id) }
        inside.withLock { $0 = found }
      }
      try await store.settled()
      let (found, ids) = (last.withLock { $0 }, inside.withLock { $0 })
      for (index, filter) in filters.enumerated() {
        if let mistake = wrong(filter, "in a transaction", ids[index], world) { return mistake }
        if let mistake = wrong(filter, "live", found[index] ?? [], world) { return mistake }
      }
    }
    return nil
  }
}
