#if DEBUG
  import Dispatch
  import Foundation
  import LiveStore
  import TestSupport
  import Testing

  /// What is held costs what differs from the newest version, and no more.
  @Suite(.serialized, .timeLimit(.minutes(60))) struct `Held versions` {
    /// The id index is not edited here; an edited row is in the table's tree and in those of its indexes.
    @Test func `a snapshot held through many edits costs the paths that were edited`() async {
      await #expect(processExitsWith: .success) {
        let left = await whatIsLeft {
          let rows = Environment.size(2_000, thorough: 20_000)
          for edits in [1, 10, 100, 1_000] {
            let store = try HeldVersions.store(rows: rows, history: 0)
            let nodes = LiveCounts.of(.nodes)
            try require(nodes == HeldVersions.nodes(store), "\(nodes) nodes of \(HeldVersions.nodes(store))")
            let height = HeldVersions.height(store)
            let snapshot = store.snapshot()
            var random = SplitMix64(seed: 1)
            for _ in 0..<edits {
              let id = random.int(0...rows - 1)
              try await store.write { tx in try tx.update(Item.self, id) { $0.rank = ($0.rank + 1) % 100 } }
            }
            let held = LiveCounts.of(.nodes)
            // A path of the table, and of the index of ranks one where the entry was and one where it is; a split or a
            // merge concerns one more node of a level.
            try require(held > nodes, "a snapshot that is held costs nothing?")
            try require(
              held <= nodes + 3 * edits * (height + 1), "\(held) nodes after \(edits) edits of \(nodes)")
            withExtendedLifetime(snapshot) {}
            _ = consume snapshot
            let isFreed = await isReached { LiveCounts.of(.nodes) == HeldVersions.nodes(store) }
            try require(
              isFreed, "\(LiveCounts.of(.nodes)) nodes, \(HeldVersions.nodes(store)) in the newest version")
          }
        }
        #expect(left == nil)
      }
    }

    /// Those who never pull, a handler that blocks, and tokens that are paused, through a great many commits: 3,000, or
    /// with `LIVESTORE_THOROUGH` 20,000, or with `LIVESTORE_LONG` a million.
    @Test func `observers that have stopped hold a version each, however many commits follow`() async {
      await #expect(processExitsWith: .success) {
        let left = await whatIsLeft {
          let rows = 1_000
          let history = 100
          let store = try HeldVersions.store(rows: rows, history: history)
          let nodes = LiveCounts.of(.nodes)
          let height = HeldVersions.height(store)
          let stopped = try await HeldVersions.stop(store)
          // Commits that upkeep checkers one by one, since some observer excludes an origin: those that wait for a pass,
          // those of the pass under way, and those that wait for a query.
          let waiting = 2 * (LiveEngine.maximumBacklog + 2) + MaintainedQuery.maximumExcludedSteps
          // Of a stopped observer: its version, its result's trees, and the newest trees of that result. Of a commit that is
          // kept: its paths in the table and its index.
          let bound = nodes * (3 * stopped.count + 4) + (history + waiting) * 3 * (height + 1)
          let states = stopped.count + history + waiting + 10
          let commits = Environment.isLong ? 1_000_000 : Environment.size(3_000, thorough: 20_000)
          var random = SplitMix64(seed: 2)
          var most = (nodes: 0, states: 0)
          HeldVersions.report(0)
          for number in 1...commits {
            let id = random.int(0...rows - 1)
            try await store.write(origin: number % 3 == 0 ? "x" : nil) { tx in
              try tx.update(Item.self, id) {
                $0.rank = random.int(0...99)
                $0.score = Double(number)
              }
            }
            if number % 100 == 0 {
              most = (max(most.nodes, LiveCounts.of(.nodes)), max(most.states, LiveCounts.of(.states)))
            }
            if number == 1_000 || number % 100_000 == 0 { HeldVersions.report(number) }
          }
          try require(most.nodes <= bound, "\(most.nodes) nodes, more than \(bound)")
          try require(most.states <= states, "\(most.states) states, more than \(states)")
          stopped.end()
        }
        #expect(left == nil)
      }
    }
  }

  /// Observers that do nothing more.
  private struct Stopped {
    let count: Int
    let end: () -> Void
  }

  private enum HeldVersions {
    static func store(rows: Int, history: Int) throws -> Store {
      var configuration = Store.Configuration()
      configuration.historyCommits = history
      let store = try Store(Item.self, configuration: configuration)
      try store.write { tx in
        try tx.insert(contentsOf: (0..<rows).map { Item($0, name: "\($0)", rank: $0 % 100, group: $0 % 10) })
      }
      return store
    }

    private static func trees(_ store: Store) -> [Tree] {
      store.snapshot().state.tables.flatMap { [$0.rows, $0.collided] + $0.indexes + $0.inverted }
    }

    /// Nodes of the newest version.
    static func nodes(_ store: Store) -> Int { trees(store).reduce(0) { $0 + $1.statistics.nodes } }

    /// Nodes from the root to a leaf, of the highest tree.
    static func height(_ store: Store) -> Int {
      trees(store).map { tree in tree.root.map { NodeView($0).height + 1 } ?? 0 }.max() ?? 0
    }

    static func stop(_ store: Store) async throws -> Stopped {
      let query = Item.where { $0.rank >= 50 }.sorted(by: \.name)
      var first = store.changes(of: Item.all).makeAsyncIterator()
      _ = await first.next()
      var second = store.changes(of: query).makeAsyncIterator()
      _ = await second.next()
      var third = store.values(of: Item.all.grouped(by: \.rank).count).makeAsyncIterator()
      _ = try await third.next()
      let fourth = store.commits(after: store.version).makeAsyncIterator()
      var fifth = store.changes(of: query, mode: .everyCommit).makeAsyncIterator()
      _ = await fifth.next()
      var sixth = store.changes(of: query.sectioned(by: \.group), excluding: ["x"]).makeAsyncIterator()
      _ = await sixth.next()
      let stream = store.changes(of: query.limit(10).distinct(by: \.rank)).stream()
      // Blocks a thread of the pool, in a process of its own.
      let blocked = DispatchSemaphore(value: 0)
      let isBlocked = Signal()
      let tokens = [
        store.observe(Item.sorted(by: \.score)) { @Sendable _ in },
        store.observe(Item.self, 3) { @Sendable _ in },
        store.observe(query, excluding: ["x"]) { @Sendable _ in },
        store.observe(query.count) { @Sendable _ in },
      ]
      try await store.settled()
      for token in tokens { token.pause() }
      let blocking = store.observe(query.offset(3)) { @Sendable _ in
        isBlocked.send()
        blocked.wait()
      }
      await isBlocked.arrival()
      let iterators = (first, second, third, fourth, fifth, sixth, stream)
      return Stopped(count: 12) {
        withExtendedLifetime(iterators) {}
        for token in tokens + [blocking] { token.invalidate() }
        blocked.signal()
      }
    }

    /// Prints the counts and the resident memory, in long runs.
    static func report(_ commits: Int) {
      guard Environment.isLong else { return }
      let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
      let resident = pages.flatMap { Int($0[1]) }.map { $0 * 4 / 1_024 } ?? 0
      print("\(commits) commits: \(LiveCounts.all), \(resident) MB resident")
    }
  }
#endif
