import LiveStore
import Synchronization
import TestSupport
import Testing

/// A closure that answers as it likes, where a filter must be pure.
private final class Whim: Sendable {
  private let random: Mutex<SplitMix64>

  init(_ seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

  func answer() -> Bool { random.withLock { $0.chance(1, in: 2) } }
}

@Suite(.timeLimit(.minutes(10))) struct `Filters that change their answers` {
  @Test func `a filter that changes its answers disturbs no other observer and gives no deleted object`()
    async throws
  {
    for seed in Seeds.forSuite(5, thorough: 20) {
      do {
        try await Self.run(seed)
      } catch {
        Issue.record("LIVESTORE_SEED=\(seed): \(error)")
      }
    }
  }

  private static func queries(_ whim: Whim) -> [Query<Item>] {
    let whimsical = Item.all.filter { _ in whim.answer() }
    return [
      whimsical, whimsical.sorted(by: \.rank), whimsical.sorted(by: \.name, .descending).limit(4),
      whimsical.limit(5).where { $0.rank > 1 }.sorted(by: \.rank), whimsical.where { $0.group == 1 },
      Item.sorted(by: \.rank).limit(8).filter { _ in whim.answer() }, whimsical.distinct(by: \.group),
    ]
  }

  private static func run(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try Store(Item.self)
    let whim = Whim(seed)
    let honest = Item.where { $0.rank > 1 }.sorted(by: \.rank)
    let others = [CheckedObserver<Item>(), CheckedObserver<Item>()]
    var tokens = [
      store.observe(Item.all) { others[0].receive($0) }, store.observe(honest) { others[1].receive($0) },
    ]
    let given = Recorder<[Item]>()
    for query in queries(whim) {
      tokens.append(
        store.observe(query) { change in
          given.append(change.results.map(Array.init) ?? [])
          _ = change.changes.map { ($0.description, $0.batchUpdates, $0.modifications.map(\.old)) }
        })
    }
    tokens.append(
      store.observe(queries(whim)[0].grouped(by: \.group).sum(\.rank)) { _ = $0.results.map(Array.init) })
    tokens.append(
      store.observe(queries(whim)[0].sectioned(by: \.group)) { change in
        for section in change.sections.map(Array.init) ?? [] { _ = Array(section) }
        _ = change.changes?.description
      })
    // A section by a closure that is impure.
    let impure = Item.all.sectioned { (item: Item) in whim.answer() ? item.group : -item.group }
    tokens.append(
      store.observe(impure) { change in
        for section in change.sections.map(Array.init) ?? [] { _ = Array(section) }
        if let sections = change.sections {
          _ = sections.results.indices.map { sections.position(at: $0) }
        }
        _ = change.changes?.description
      })
    for _ in 0..<25 {
      try await store.write { tx in
        for _ in 0..<random.int(1...8) {
          let item = Item(
            random.int(0...20), name: random.pick(["", "a", "b"]), rank: random.int(0...5),
            group: random.int(0...2))
          if random.chance(1, in: 3) { try tx.delete(Item.self, item.id) } else { try tx.upsert(item) }
        }
      }
      try await store.settled()
      for (observer, query) in zip(others, [Item.all, honest]) {
        try require(observer.breaches.isEmpty, "\(observer.breaches)")
        try require(
          observer.rows == Array(store.snapshot().fetch(query)), "\(query) at version \(store.version)")
      }
      for query in queries(whim) { _ = Array(store.snapshot().fetch(query)) }
    }
    try await store.write { try $0.deleteAll() }
    try await store.settled()
    try require(
      given.events.suffix(queries(whim).count).contains([]), "no observer received that all are deleted")
    if let breach = try store.snapshot().breachOfTables() { throw Mismatch(breach) }
    for token in tokens { token.invalidate() }
  }
}
