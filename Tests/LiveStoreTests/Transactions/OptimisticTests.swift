import LiveStore
import Synchronization
import TestSupport
import Testing

/// Optimistic transactions: what counts as read, what is a conflict, and what a retry does.
@Suite(.timeLimit(.minutes(10))) struct `Optimistic transactions` {
  private func store() throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      for id in 1...5 { try tx.insert(Item(id, name: "item \(id)", rank: id * 10, group: id % 2)) }
    }
    return store
  }

  /// Runs a transaction beside which others commit once, after its reads.
  ///
  /// - Returns: how often the body ran.
  @discardableResult
  private func run(
    _ store: Store, retries: Int = 5, beside others: (inout WriteTransaction) throws -> Void,
    _ body: (borrowing WriteTransaction) throws -> Void
  ) async throws -> Int {
    var runs = 0
    try await store.transaction(retries: retries, origin: "optimistic") { tx in
      runs += 1
      try body(tx)
      if runs == 1 { try await store.write(origin: "others", others) }
    }
    return runs
  }

  @Test func `an optimistic transaction without concurrent writers commits what it wrote, once`() async throws
  {
    let store = try store()
    let result = try await store.transaction(origin: "mine") { tx in
      try tx.insert(Item(9))
      try tx.update(Item.self, 1) { $0.rank += 1 }
      await Task.yield()
      #expect(tx[Item.self, 9] != nil && tx.count(Item.all) == 6)
      return tx[Item.self, 1]?.rank
    }
    #expect(result == 11)
    #expect(store.version.number == 2 && store.snapshot()[Item.self, 1]?.rank == 11)
    var commits = store.commits(after: Version(1)).makeAsyncIterator()
    #expect(try await commits.next()?.origin == "mine")
  }

  @Test func `commits of others that touch nothing a transaction read do not have it run again`() async throws
  {
    let store = try store()
    let runs = try await run(store) { tx in
      try tx.update(Item.self, 5) { $0.rank = 0 }
      try tx.insert(Item(20, group: 1))
    } _: { tx in
      let evens = tx.fetch(Item.where { $0.group == 0 }.sorted(by: \.rank))
      #expect(evens.map(\.id) == [2, 4])
      try tx.update(Item.self, 1) { $0.rank = 1 }
      try tx.insert(Item(30))
      try tx.delete(Item.self, 3)
    }
    #expect(runs == 1)
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 4, 5, 20, 30])
    #expect(store.snapshot()[Item.self, 5]?.rank == 0 && store.snapshot()[Item.self, 1]?.rank == 1)
    #expect(store.version.number == 3)
  }

  /// ```
  /// a transaction                    another writer
  /// writes, asks to be called
  ///                                  commits
  /// is done again on that, kept
  /// ```
  @Test func `a callback on commit is called once, also when others have committed`()
    async throws
  {
    for others in [false, true] {
      let store = try store()
      var calls = 0
      try await store.transaction { tx in
        try tx.update(Item.self, 1) { $0.rank += 1 }
        tx.onCommit { calls += 1 }
        if others { try await store.write { tx in try tx.update(Item.self, 5) { $0.rank = 0 } } }
      }
      #expect(calls == 1, "others: \(others)")
    }
  }

  @Test func `a transaction runs again when an object that it read was changed, deleted or inserted`()
    async throws
  {
    for change in 0..<3 {
      let store = try store()
      var seen: [Int?] = []
      let runs = try await run(store) { tx in
        switch change {
        case 0: try tx.update(Item.self, 1) { $0.rank = 99 }
        case 1: try tx.delete(Item.self, 1)
        default: try tx.insert(Item(7, rank: 70))
        }
      } _: { tx in
        seen.append(tx[Item.self, change == 2 ? 7 : 1]?.rank)
        try tx.update(Item.self, 2) { $0.rank = 1_000 }
      }
      #expect(runs == 2)
      #expect(seen == [[10, 99], [10, nil], [nil, 70]][change])
      #expect(store.snapshot()[Item.self, 2]?.rank == 1_000)
    }
  }

  @Test func `an object written back to what it was is no conflict`() async throws {
    let store = try store()
    let runs = try await run(store) { tx in
      try tx.update(Item.self, 1) { $0.rank = 99 }
      try tx.update(Item.self, 1) { $0.rank = 10 }
      try tx.update(Item.self, 4) { $0.rank = 1 }
    } _: { tx in
      _ = tx[Item.self, 1]
      try tx.insert(Item(8))
    }
    #expect(runs == 1)
  }

  @Test func `a transaction runs again for a row that it would have found, and for no other`() async throws {
    let query = Item.where { $0.rank > 25 && $0.group == 1 }
    for (rank, expected) in [(30, 2), (20, 1)] {
      let store = try store()
      let runs = try await run(store) { tx in
        try tx.insert(Item(50, rank: rank, group: 1))
      } _: { tx in
        let total = tx.fetch(query).reduce(0) { $0 + $1.rank }
        try tx.update(Item.self, 2) { $0.rank = total }
      }
      #expect(runs == expected)
      #expect(store.snapshot()[Item.self, 2]?.rank == (expected == 2 ? 110 : 80))
    }
  }

  @Test func `counts, aggregates, edits and deletions by query count as reads`() async throws {
    let bodies: [(borrowing WriteTransaction) throws -> Void] = [
      { tx in _ = tx.count(Item.where { $0.group == 1 }) },
      { tx in _ = tx.value(of: Item.where { $0.group == 1 }.sum(\.rank)) },
      { tx in try tx.update(Item.where { $0.group == 1 }) { $0.isDone = true } },
      { tx in try tx.delete(Item.where { $0.group == 1 && $0.rank > 100 }) },
    ]
    for (number, body) in bodies.enumerated() {
      let store = try store()
      let runs = try await run(store) { tx in
        try tx.insert(Item(60, rank: 600, group: 1))
      } _: { tx in
        try body(tx)
        try tx.insert(Item(61))
      }
      #expect(runs == 2, "body \(number)")
    }
    let store = try store()
    let runs = try await run(store) { tx in
      try tx.insert(Item(60, rank: 0, group: 1))
    } _: { tx in
      // The sum is the same: nothing that was read has changed.
      _ = tx.value(of: Item.where { $0.group == 1 }.sum(\.rank))
      try tx.insert(Item(61))
    }
    #expect(runs == 1)
  }

  @Test func `a conflict names the object when the retries are used up`() async throws {
    let store = try store()
    var runs = 0
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction(retries: 2) { tx in
        runs += 1
        let rank = tx[Item.self, 3]?.rank ?? 0
        try await store.write { other in try other.update(Item.self, 3) { $0.rank += 1 } }
        try tx.update(Item.self, 1) { $0.rank = rank }
      }
    }
    #expect(runs == 3)
    #expect(error?.code == StoreError.conflict && error?.id == "3" && error?.entity == "Item")
    #expect(error?.message.contains("Item 3") == true)
    #expect(store.snapshot()[Item.self, 1]?.rank == 10)
  }

  @Test(arguments: ["inserted", "changed", "deleted"], [true, false])
  func `a conflict names what another writer did to the object, whether it was read or written`(
    edit: String, isRead: Bool
  ) async throws {
    let store = try store()
    let id = edit == "inserted" ? 7 : 3
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction(retries: 0) { tx in
        if isRead {
          _ = tx[Item.self, id]
          try tx.update(Item.self, 1) { $0.rank = 0 }
        } else if edit == "inserted" {
          try tx.insert(Item(id))
        } else {
          try tx.update(Item.self, id) { $0.rank = 0 }
        }
        try await store.write { other in
          switch edit {
          case "inserted": try other.insert(Item(id))
          case "changed": try other.update(Item.self, id) { $0.rank += 1 }
          default: try other.delete(Item.self, id)
          }
        }
      }
    }
    #expect(error?.code == StoreError.conflict)
    #expect(error?.message.hasPrefix("Another writer \(edit) Item \(id)") == true)
  }

  @Test func `an id used meanwhile is a conflict, and an error in the next run`() async throws {
    let store = try store()
    var runs = 0
    await #expect(throws: StoreError.self) {
      try await store.transaction { tx in
        runs += 1
        try tx.insert(Item(9, name: "mine"))
        if runs == 1 { try await store.write { other in try other.insert(Item(9, name: "theirs")) } }
      }
    }
    #expect(runs == 2 && store.snapshot()[Item.self, 9]?.name == "theirs")
  }

  @Test func `what a savepoint read before it was undone still counts`() async throws {
    struct Undo: Error {}
    let store = try store()
    let runs = try await run(store) { tx in
      try tx.update(Item.self, 1) { $0.rank = 500 }
    } _: { tx in
      do {
        try tx.savepoint { tx in
          try tx.update(Item.self, 2) { $0.rank = tx[Item.self, 1]?.rank ?? 0 }
          throw Undo()
        }
      } catch is Undo {}
      try tx.insert(Item(70))
    }
    #expect(runs == 2)
    #expect(store.snapshot()[Item.self, 2]?.rank == 20 && store.snapshot()[Item.self, 70] != nil)
  }

  @Test func `errors of the body reach the caller unchanged, and nothing is kept`() async throws {
    struct Refusal: Error {}
    let store = try store()
    var runs = 0
    await #expect(throws: Refusal.self) {
      try await store.transaction { tx in
        runs += 1
        try tx.insert(Item(9))
        throw Refusal()
      }
    }
    #expect(runs == 1 && store.version.number == 1)
  }

  @Test func `a transaction that writes nothing never conflicts and never waits for the write lock`()
    async throws
  {
    let store = try store()
    let sum = try await store.transaction { tx in
      let first = tx[Item.self, 1]?.rank ?? 0
      try await store.write { other in try other.update(Item.self, 1) { $0.rank = 99 } }
      return first + (tx[Item.self, 1]?.rank ?? 0)
    }
    #expect(sum == 20)
  }

  @Test func `a cancelled transaction leaves no trace`() async throws {
    let store = try store()
    let task = Task {
      try await store.transaction { tx in
        try tx.insert(Item(9))
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.version.number == 1)
  }

  @Test func `a closed store refuses a transaction at the start and at the commit`() async throws {
    let store = try store()
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction { tx in
        try tx.insert(Item(9))
        store.close()
      }
    }
    #expect(error?.code == StoreError.closed)
    await #expect(throws: StoreError.self) { try await store.transaction { tx in try tx.insert(Item(10)) } }
  }

  @Test func `counters of many transactions lose nothing`() async throws {
    let store = try store()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            try await store.transaction(retries: .max) { tx in
              let rank = tx[Item.self, 1]?.rank ?? 0
              await Task.yield()
              try tx.update(Item.self, 1) { $0.rank = rank + 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(store.snapshot()[Item.self, 1]?.rank == 110)
  }

  @Test func `a transaction that asks for its version has that version`() async throws {
    let store = try store()
    var versions: [Version] = []
    let runs = try await run(store) { tx in
      try tx.update(Item.self, 5) { $0.rank = 0 }
    } _: { tx in
      versions.append(tx.version)
      try tx.insert(Item(30))
    }
    #expect(runs == 2 && versions == [Version(2), Version(3)] && store.version == Version(3))
  }

  /// Bug: a document that others had changed was overwritten.
  ///
  /// Cause: what was read was compared by listed properties, of which a dynamic schema has none.
  @Test func `a document of a dynamic schema counts as read`() async throws {
    let store = try Store(Note.self)
    try await store.write { tx in try tx.insert(Note(id: 1, count: 0)) }
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      let note = tx[Note.self, 1]
      if runs == 1 { try await store.write { other in try other.update(Note.self, 1) { $0.count = 10 } } }
      try tx.update(Note.self, 1) { $0.count = (note?.count ?? 0) + 1 }
    }
    #expect(runs == 2 && store.snapshot()[Note.self, 1]?.count == 11)
  }

  struct Note: DynamicEntity {
    let id: Int
    var count: Int
    static let schema = Schema<Note>(dynamic: { _, _ in .null })
  }

  @Test func `an update reads what it edits, so that none is lost`() async throws {
    let store = try store()
    let runs = try await run(store) { tx in
      try tx.update(Item.self, 1) { $0.rank += 1 }
    } _: { tx in
      try tx.update(Item.self, 1) { $0.rank += 100 }
    }
    #expect(runs == 2 && store.snapshot()[Item.self, 1]?.rank == 111)
  }

  @Test func `a conflict over places alone names the object that moved`() async throws {
    let store = try store()
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction(retries: 0) { tx in
        _ = tx.fetch(Item.all)
        try await store.write { other in
          let first = try #require(other[Item.self, 1])
          try other.delete(Item.self, 1)
          try other.insert(first)
        }
        try tx.insert(Item(9))
      }
    }
    #expect(error?.code == StoreError.conflict && error?.id == "1")
  }
}
