import LiveStore
import Synchronization
import TestSupport
import Testing

/// Counts how often a key is read, which is what upkeep and events would do for every row if they went over
/// all of them.
private enum Reads {
  static let count = Atomic(0)

  static func note() { count.wrappingAdd(1, ordering: .relaxed) }

  static func during(_ body: () async throws -> Void) async rethrows -> Int {
    let before = count.load(ordering: .relaxed)
    try await body()
    return count.load(ordering: .relaxed) - before
  }
}

extension Item {
  /// The group, counted.
  fileprivate var counted: Int {
    Reads.note()
    return group
  }

  /// The group as a key without an order, counted.
  fileprivate var plain: PlainGroup {
    Reads.note()
    return PlainGroup(number: group)
  }
}

private struct PlainGroup: Hashable, Sendable { var number: Int }

/// What a commit costs, counted in keys read, among many rows in 1,000 groups.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `The cost of groups, sections and distinct rows` {
  private static let rowCount = Environment.size(4_000, thorough: 100_000)

  private func filled() async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in
      try tx.insert(
        contentsOf: (0..<Self.rowCount).map { Item($0, rank: $0, group: $0 % 1_000, score: Double($0)) })
    }
    return store
  }

  /// The most keys read by a commit of one row and the event that follows it.
  private func mostReads<Source: LiveSource>(
    _ source: Source, _ edits: [(inout Item) -> Void]
  ) async throws -> Int {
    let store = try await filled()
    let recorder = TestSupport.Recorder<Source.Change>()
    let token = store.observe(source) { recorder.append($0) }
    try await store.settled()
    var most = 0
    for edit in edits {
      most = max(
        most,
        try await Reads.during {
          try await store.write { tx in try tx.update(Item.self, Self.rowCount / 2 + 500, edit) }
          try await store.settled()
        })
    }
    token.invalidate()
    #expect(recorder.count == edits.count + 1, "every edit is delivered")
    #expect(store.metrics.rebuilds == 0)
    return most
  }

  private let moves: [(inout Item) -> Void] = [
    { $0.group = 7 }, { $0.group = 5_000 }, { $0.group = 999 }, { $0.group = -1 }, { $0.group = 500 },
  ]

  @Test func `the cost of a count by an ordered key is a few keys, not rows`() async throws {
    let reads = try await mostReads(Item.all.grouped(by: \.counted).count, moves)
    #expect(1...10 ~= reads, "\(reads) keys read")
  }

  @Test func `the cost of a sum by a key without an order is a few keys, not rows`() async throws {
    let reads = try await mostReads(Item.all.grouped(by: \.plain).sum(\.score), moves)
    #expect(1...200 ~= reads, "\(reads) keys read")
  }

  @Test func `the cost of a greatest value is the logarithm of the rows, also when the greatest leaves`()
    async throws
  {
    let reads = try await mostReads(
      Item.all.grouped(by: \.counted).max(\.rank),
      [
        { $0.rank = 1_000_000 }, { $0.rank = 0 },
        {
          $0.rank = 2_000_000; $0.group = 3
        }, { $0.group = 4 },
      ])
    #expect(1...300 ~= reads, "\(reads) keys read")
  }

  @Test func `the cost of sections is the logarithm of the rows`() async throws {
    let source = Item.sorted(by: \.rank, .descending).sectioned { (item: Item) in item.counted }
    let reads = try await mostReads(
      source,
      moves + [
        { $0.rank = 7 }, { $0.name = "new" },
        {
          $0.rank = Self.rowCount * 4 / 5; $0.group = 8
        },
      ])
    #expect(1...700 ~= reads, "\(reads) keys read")
  }

  @Test func `the cost of distinct rows is the logarithm of the rows`() async throws {
    let reads = try await mostReads(
      Item.sorted(by: \.rank, .descending).distinct(by: \.counted),
      [
        { $0.rank = 1_000_000 }, { $0.group = 7 }, { $0.group = 5_000 },
        {
          $0.group = 3; $0.rank = 2_000_000
        },
      ])
    #expect(1...400 ~= reads, "\(reads) keys read")
  }

  @Test func `the cost of the change set of groups is the logarithm of the groups`() async throws {
    let store = try await filled()
    let source = Item.all.grouped(by: \.group).sum(\.rank)
    let (before, changes) = try store.subscribe(source)
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Item.self, 500) { $0.rank += 1 } }
    guard case .update(let after, let change)? = await iterator.next() else {
      Issue.record("no update")
      return
    }
    #expect(change.modifications.map(\.newIndex) == [500])
    let (old, new) = (before.window, after.window)
    let difference = Tree.difference(from: old.tree, in: old.ranks, to: new.tree, in: new.ranks)
    #expect(difference.nodesVisited + difference.entriesCompared < 400)
    #expect(new.tree.nodesNotShared(with: old.tree) <= 3)
  }
}
