import LiveStore
import TestSupport
import Testing

private struct Refused: Error, Equatable { var number: Int }

private struct Named: Entity {
  let id: Int
  var name: String
  static let schema = Schema<Named> { Property(\.name, .unique) }
}

@Suite struct `Savepoints` {
  private let store: Store

  init() throws { store = try Store(Item.self, Named.self) }

  /// Runs a body that must throw `Refused` with a number.
  private func refused(_ number: Int, _ body: () throws -> Void) {
    #expect(throws: Refused(number: number)) { try body() }
  }

  private func fill() async throws {
    try await store.write { tx in try tx.insert(contentsOf: (1...4).map { Item($0, rank: $0) }) }
  }

  @Test func `an object edited in an undone savepoint and edited again is listed once in the commit`()
    async throws
  {
    try await fill()
    try await store.write { tx in
      refused(1) {
        try tx.savepoint { tx in
          try tx.update(Item.self, 1) { $0.rank = 5 }
          throw Refused(number: 1)
        }
      }
      try tx.update(Item.self, 1) { $0.rank = 7 }
    }
    var commits = store.commits(after: .number(1)).makeAsyncIterator()
    let commit = try #require(try await commits.next())
    #expect(commit.changeCount == 1 && commit.changes(of: Item.self).map { $0.new?.rank } == [7])
  }

  @Test func `savepoints throw their own type of error`() async throws {
    try await store.write { tx in
      // Compiles because the error of the savepoint is that of its body.
      do throws(Refused) {
        try tx.savepoint { (_) throws(Refused) in throw Refused(number: 4) }
      } catch {
        #expect(error.number == 4)
      }
      // And one that cannot fail needs no `try`.
      let sum = tx.savepoint { tx in tx.fetch(Item.all).count + 1 }
      #expect(sum == 1)
    }
  }

  @Test func `a savepoint that throws undoes its own part alone`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.insert(Item(10, rank: 10))
      try tx.update(Item.self, 1) { $0.rank = 100 }
      let error = #expect(throws: Refused.self) {
        try tx.savepoint { tx in
          try tx.insert(Item(11, rank: 11))
          try tx.update(Item.self, 1) { $0.rank = 200 }
          try tx.update(Item.self, 2) { $0.rank = 200 }
          try tx.delete(Item.self, 10)
          try tx.delete(Item.self, 3)
          #expect(tx.fetch(Item.all).map(\.id) == [1, 2, 4, 11])
          throw Refused(number: 1)
        }
      }
      #expect(error?.number == 1)
      #expect(tx.fetch(Item.all).map(\.id) == [1, 2, 3, 4, 10])
      #expect(tx.fetch(Item.where { $0.rank == 200 }).isEmpty)
      #expect(tx.fetch(Item.where { $0.rank == 100 }).map(\.id) == [1])
      try tx.insert(Item(12, rank: 12))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3, 4, 10, 12])
    #expect(store.snapshot().fetch(Item.all).map(\.rank) == [100, 2, 3, 4, 10, 12])
    #expect(store.snapshot().fetch(Item.where { $0.rank == 11 }).isEmpty)
  }

  @Test func `a savepoint that succeeds is part of the transaction, and fails with it`() async throws {
    try await fill()
    try await store.write { tx in
      let name = try tx.savepoint { tx in
        try tx.insert(Item(5))
        return "done"
      }
      #expect(name == "done")
    }
    #expect(store.snapshot().count(Item.all) == 5)
    await #expect(throws: Refused(number: 2)) {
      try await store.write { tx in
        try tx.savepoint { tx in try tx.insert(Item(6)) }
        throw Refused(number: 2)
      }
    }
    #expect(store.snapshot().count(Item.all) == 5)
  }

  @Test func `savepoints inside one another undo from the inside out`() async throws {
    try await store.write { tx in
      try tx.insert(Item(1))
      refused(1) {
        try tx.savepoint { tx in
          try tx.insert(Item(2))
          refused(2) {
            try tx.savepoint { tx in
              try tx.insert(Item(3))
              throw Refused(number: 2)
            }
          }
          #expect(tx.fetch(Item.all).map(\.id) == [1, 2])
          try tx.savepoint { tx in try tx.insert(Item(4)) }
          #expect(tx.fetch(Item.all).map(\.id) == [1, 2, 4])
          throw Refused(number: 1)
        }
      }
      try tx.savepoint { tx in
        try tx.savepoint { tx in try tx.insert(Item(5)) }
      }
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 5])
  }

  @Test func `a savepoint that throws undoes bulk work`() async throws {
    try await fill()
    try await store.write { tx in
      #expect(throws: Refused(number: 1)) {
        try tx.savepoint { tx in
          try tx.deleteAll()
          try tx.insert(contentsOf: (1...500).map { Item($0, name: "new", rank: -$0) })
          throw Refused(number: 1)
        }
      }
    }
    #expect(store.version.number == 1)
    #expect(store.snapshot().fetch(Item.sorted(by: \.rank)).map(\.rank) == [1, 2, 3, 4])
    #expect(store.snapshot().count(Item.where { $0.name == "new" }) == 0)
  }

  @Test func `a savepoint that is undone keeps no violation`() async throws {
    try await store.write { tx in
      try tx.insert(Named(id: 1, name: "a"))
      #expect(throws: Refused(number: 1)) {
        try tx.savepoint { tx in
          try tx.insert(Named(id: 2, name: "a"))
          throw Refused(number: 1)
        }
      }
    }
    #expect(store.snapshot().fetch(Named.all).map(\.id) == [1])
  }

  @Test func `a savepoint leaves a violation to the commit`() async throws {
    await #expect {
      try await store.write { tx in
        try tx.insert(Named(id: 1, name: "a"))
        try tx.savepoint { tx in try tx.insert(Named(id: 2, name: "a")) }
      }
    } throws: {
      StoreError.uniqueViolation ~= $0
    }
    #expect(store.version.number == 0)
  }

  @Test func `an object can be inserted last after its insertion was undone`() async throws {
    try await fill()
    try await store.write { tx in
      #expect(throws: Refused(number: 1)) {
        try tx.savepoint { tx in
          try tx.delete(Item.self, 2)
          try tx.insert(Item(7))
          throw Refused(number: 1)
        }
      }
      try tx.insert(Item(8))
      try tx.insert(Item(7))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3, 4, 8, 7])
  }

  @Test func `edits of an undone savepoint are in no event`() async throws {
    try await fill()
    let (_, changes) = try store.subscribe(Item.all)
    var events = changes.makeAsyncIterator()
    try await store.write { tx in
      try? tx.savepoint { tx in
        try tx.update(Item.self, 1) { $0.rank = 9 }
        try tx.delete(Item.self, 2)
        throw Refused(number: 1)
      }
      try tx.update(Item.self, 3) { $0.rank = 9 }
    }
    let change = try #require(await events.next()?.changes)
    #expect(change.modifications.map(\.id) == [3])
    #expect(change.deletions.isEmpty && change.insertions.isEmpty && change.moves.isEmpty)
  }

  @Test func `every sequence of three edits is undone exactly`() async throws {
    try await fill()
    let edits: [@Sendable (borrowing WriteTransaction) throws -> Void] = [
      { tx in try tx.upsert(Item(1, name: "x", rank: 9)) },
      { tx in try tx.upsert(Item(9, rank: 9)) },
      { tx in try tx.delete(Item.self, 4) },
      { tx in try tx.delete(Item.self, 9) },
      { tx in try tx.update(Item.all) { $0.rank = -$0.rank } },
      { tx in try tx.deleteAll() },
    ]
    for outside in edits.indices {
      for first in edits.indices {
        for second in edits.indices {
          await #expect(throws: Refused(number: 0)) {
            try await store.write { tx in
              try edits[outside](tx)
              let rows = tx.fetch(Item.all)
              let sorted = tx.fetch(Item.sorted(by: \.rank))
              refused(1) {
                try tx.savepoint { tx in
                  try edits[first](tx)
                  try edits[second](tx)
                  throw Refused(number: 1)
                }
              }
              let trace: Comment = "\(outside) \(first) \(second)"
              #expect(tx.fetch(Item.all).elementsEqual(rows), trace)
              #expect(tx.fetch(Item.sorted(by: \.rank)).elementsEqual(sorted), trace)
              throw Refused(number: 0)
            }
          }
        }
      }
    }
    #expect(store.snapshot().fetch(Item.all).map(\.rank) == [1, 2, 3, 4])
  }
}
