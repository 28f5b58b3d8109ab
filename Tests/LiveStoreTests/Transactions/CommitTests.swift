import LiveStore
import Synchronization
import TestSupport
import Testing

private final class NotSendable {
  var value = 0
}

private struct Draft: Entity {
  let id: Int
  var title = ""
  var ratio = 0.0
  var scratch = 0
  static let schema = Schema<Draft> {
    \.title
    \.ratio
    Ignored(\.scratch)
  }
}

@Suite struct `Commits` {
  private let store: Store
  private let recorder = Recorder<CollectionChange<Item>>()

  init() throws { store = try Store(Item.self, Draft.self) }

  /// The number of the version a write leads to, and how many events an observer got for it.
  private func effect(
    of body: (inout WriteTransaction) throws -> Void
  ) async throws -> (versions: UInt64, events: Int) {
    let token = store.observe(Item.all, initial: .skip) { recorder.append($0) }
    try await store.settled()
    let before = (store.version.number, recorder.count)
    try await store.write(body)
    try await store.settled()
    token.invalidate()
    return (store.version.number - before.0, recorder.count - before.1)
  }

  private func fill() async throws {
    try await store.write { tx in
      try tx.insert(contentsOf: [
        Item(1, name: "a", rank: 1), Item(2, name: "b", rank: 2), Item(3, name: "c", rank: 3),
      ])
    }
  }

  @Test func `an empty store is version 0 and each commit makes the next`() async throws {
    #expect(store.version.number == 0)
    for number in 1...20 {
      try await store.write { tx in
        #expect(tx.version.number == UInt64(number))
        try tx.insert(Item(number))
        try tx.insert(Item(-number))
        #expect(tx.version.number == UInt64(number))
      }
      #expect(store.version.number == UInt64(number))
      #expect(store.snapshot().version == store.version)
    }
    #expect(store.metrics.commits == 20)
    #expect(store.metrics.rowsWritten == 40)
  }

  @Test func `a commit that changes something is one version and one event`() async throws {
    try await fill()
    let effect = try await effect { tx in
      try tx.update(Item.self, 1) { $0.name = "x" }
      try tx.insert(Item(4))
      try tx.delete(Item.self, 2)
    }
    #expect(effect == (1, 1))
  }

  @Test func `a body that does nothing, or nothing that stays, is no version and no event`() async throws {
    try await fill()
    let nothing = try await [
      effect { _ in },
      effect { tx in _ = tx.fetch(Item.all).count },
      effect { tx in try tx.delete(Item.self, 99) },
      effect { tx in try tx.delete(Item.where { $0.rank > 100 }) },
      effect { tx in try tx.update(Item.self, 1) { _ in } },
      effect { tx in try tx.update(Item.self, 1) { $0.name = "a" } },
      effect { tx in try tx.update(Item.all) { $0.group = 0 } },
      effect { tx in try tx.upsert(Item(2, name: "b", rank: 2)) },
      effect { tx in
        try tx.update(Item.self, 1) { $0.name = "away" }
        try tx.update(Item.self, 1) { $0.name = "a" }
      },
      effect { tx in
        try tx.update(Item.all) { $0.rank += 1 }
        try tx.update(Item.all) { $0.rank -= 1 }
      },
      effect { tx in
        try tx.insert(Item(9))
        try tx.delete(Item.self, 9)
      },
      effect { tx in
        try tx.delete(Item.self, 3)
        try tx.insert(Item(3, name: "c", rank: 3))
      },
      effect { tx in
        try tx.deleteAll()
        for (id, name) in [(1, "a"), (2, "b"), (3, "c")] { try tx.insert(Item(id, name: name, rank: id)) }
      },
      effect { tx in
        try? tx.savepoint { tx in
          try tx.insert(Item(9))
          throw CancellationError()
        }
      },
    ]
    for (number, effect) in nothing.enumerated() { #expect(effect == (0, 0), "body \(number)") }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3])
    #expect(store.metrics.commits == 1)
  }

  @Test func `deleting an object that is not the last and inserting it again changes its place`() async throws
  {
    try await fill()
    let effect = try await effect { tx in
      try tx.delete(Item.self, 1)
      try tx.insert(Item(1, name: "a", rank: 1))
    }
    #expect(effect == (1, 1))
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [2, 3, 1])
    let change = try #require(recorder.last?.changes)
    #expect(change.moves.map(\.id) == [1])
    #expect(change.moves.first?.from == 0 && change.moves.first?.to == 2)
    #expect(change.deletions.isEmpty && change.insertions.isEmpty && change.modifications.isEmpty)
  }

  @Test func `NaN is equal to itself, and zero to minus zero`() async throws {
    try await store.write { tx in
      try tx.insert(Draft(id: 1, ratio: .nan))
      try tx.insert(Draft(id: 2, ratio: 0))
    }
    let version = store.version
    try await store.write { tx in
      try tx.upsert(Draft(id: 1, ratio: -.nan))
      try tx.upsert(Draft(id: 2, ratio: -0.0))
    }
    #expect(store.version == version)
  }

  @Test func `write returns what its body returns, also something that is not Sendable`() async throws {
    let number = try await store.write { _ in 7 }
    #expect(number == 7)
    let object = try await store.write { tx in
      let object = NotSendable()
      object.value = tx.fetch(Item.all).count
      return object
    }
    object.value += 1
    #expect(object.value == 1)
    let optional: Item? = try await store.write { tx in tx[Item.self, 1] }
    #expect(optional == nil)
    let blocking = try blocking(store) { _ in NotSendable() }
    #expect(blocking.value == 0)
  }

  private func blocking<Result>(
    _ store: Store, _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    try store.write(body)
  }

  @Test func `an upsert keeps the object's place, and an insertion is last`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.upsert(Item(1, name: "new"))
      try tx.update(Item.self, 2) { $0.name = "new" }
      try tx.insert(Item(0))
      try tx.upsert(Item(4))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3, 0, 4])
    try await store.write { tx in
      try tx.delete(Item.self, 2)
      try tx.insert(Item(5))
      try tx.insert(Item(2))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 3, 0, 4, 5, 2])
    try await store.write { tx in
      try tx.delete(Item.self, 1)
      try tx.upsert(Item(1))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [3, 0, 4, 5, 2, 1])
  }

  @Test func `an upsert keeps ignored properties as given, without a version`() async throws {
    try await store.write { tx in try tx.insert(Draft(id: 1, title: "t", scratch: 1)) }
    let version = store.version
    try await store.write { tx in try tx.upsert(Draft(id: 1, title: "t", scratch: 2)) }
    #expect(store.version == version)
    #expect(store.snapshot()[Draft.self, 1]?.scratch == 2)
    try await store.write { tx in try tx.update(Draft.self, 1) { $0.scratch = 3 } }
    #expect(store.version == version)
    #expect(store.snapshot()[Draft.self, 1]?.scratch == 3)
    try await store.write { tx in try tx.upsert(Draft(id: 1, title: "u", scratch: 4)) }
    #expect(store.version > version)
    #expect(store.snapshot()[Draft.self, 1]?.scratch == 4)
  }

  @Test func `an ignored difference alone is no modification in an event about others`() async throws {
    try await store.write { tx in try tx.insert(contentsOf: [Draft(id: 1), Draft(id: 2)]) }
    let (_, changes) = try store.subscribe(Draft.all)
    var events = changes.makeAsyncIterator()
    try await store.write { tx in
      try tx.upsert(Draft(id: 1, scratch: 5))
      try tx.upsert(Draft(id: 2, title: "new", scratch: 5))
    }
    let change = try #require(await events.next()?.changes)
    #expect(change.modifications.map(\.id) == [2])
  }

  @Test func `a transaction reads its own writes`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.update(Item.self, 1) { $0.rank = 10 }
      #expect(tx[Item.self, 1]?.rank == 10)
      #expect(tx.fetch(Item.where { $0.rank == 10 }).map(\.id) == [1])
      #expect(tx.fetch(Item.where { $0.rank == 1 }).isEmpty)
      #expect(tx.fetch(Item.sorted(by: \.rank)).map(\.id) == [2, 3, 1])
      try tx.insert(Item(4, rank: 5))
      #expect(tx.fetch(Item.where { $0.rank >= 5 }.sorted(by: \.rank)).map(\.id) == [4, 1])
      #expect(tx.count(Item.where { $0.rank >= 5 }) == 2)
      let pinned = tx.fetch(Item.all)
      try tx.delete(Item.self, 1)
      #expect(tx[Item.self, 1] == nil)
      #expect(tx.fetch(Item.where { $0.rank == 10 }).isEmpty)
      #expect(pinned.map(\.id) == [1, 2, 3, 4])
      #expect(store.snapshot().fetch(Item.all).map(\.rank) == [1, 2, 3])
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [2, 3, 4])
  }

  @Test func `results fetched inside a body stay as they were for ever`() async throws {
    try await fill()
    let (before, after) = try await store.write { tx in
      let before = tx.fetch(Item.sorted(by: \.rank, .descending))
      try tx.update(Item.all) { $0.rank = -$0.rank }
      return (before, tx.fetch(Item.sorted(by: \.rank, .descending)))
    }
    try await store.write { tx in try tx.deleteAll() }
    #expect(before.map(\.rank) == [3, 2, 1])
    #expect(after.map(\.rank) == [-1, -2, -3])
  }

  @Test func `queries are updated and deleted by what they were before the first edit`() async throws {
    try await fill()
    let counts = try await store.write { tx in
      let updated = try tx.update(Item.where { $0.rank < 3 }) { $0.rank += 1 }
      let deleted = try tx.delete(Item.where { $0.rank == 3 })
      return (updated, deleted)
    }
    #expect(counts == (2, 2))
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1])
    #expect(store.snapshot()[Item.self, 1]?.rank == 2)
  }

  @Test func `deletions report how many objects they deleted`() async throws {
    try await fill()
    try await store.write { tx in
      let first = try (tx.delete(Item.self, 1), tx.delete(Item.self, 1))
      let rest = try (tx.deleteAll(Item.self), tx.deleteAll(Item.self))
      #expect(first == (true, false))
      #expect(rest == (2, 0))
    }
  }

  @Test func `deleteAll empties every table, and one of an entity only its own`() async throws {
    try await fill()
    try await store.write { tx in try tx.insert(Draft(id: 1)) }
    try await store.write { tx in _ = try tx.deleteAll(Item.self) }
    #expect(store.snapshot().fetch(Item.all).isEmpty)
    #expect(store.snapshot().fetch(Item.where { $0.rank == 1 }).isEmpty)
    #expect(store.snapshot().count(Draft.all) == 1)
    try await store.write { tx in
      try tx.insert(Item(1, rank: 5))
      try tx.deleteAll()
      #expect(tx.fetch(Item.all).isEmpty && tx.fetch(Draft.all).isEmpty)
      try tx.insert(Item(2, rank: 5))
    }
    #expect(store.snapshot().fetch(Item.where { $0.rank == 5 }).map(\.id) == [2])
    #expect(store.snapshot().count(Draft.all) == 0)
  }

  @Test func `a transaction over several tables is one version`() async throws {
    var iterator = store.changes(of: Item.all.count, Draft.all.count).makeAsyncIterator()
    guard case .initial((0, 0)) = await iterator.next() else {
      Issue.record("no initial event")
      return
    }
    try await store.write { tx in
      try tx.insert(Item(1))
      try tx.insert(Draft(id: 1))
    }
    #expect(store.version.number == 1)
    guard case .update((let items, let drafts)) = await iterator.next() else {
      Issue.record("no update")
      return
    }
    #expect(items.value == 1 && drafts.value == 1)
  }

  @Test func `commits carry their origin and both sides`() async throws {
    try await store.write(origin: "ui") { tx in try tx.insert(contentsOf: [Item(1, rank: 1), Item(2)]) }
    try await store.write { tx in
      try tx.update(Item.self, 1) { $0.rank = 2 }
      try tx.delete(Item.self, 2)
      try tx.insert(Item(3))
    }
    var commits = store.commits(after: .number(0)).makeAsyncIterator()
    let first = try #require(try await commits.next())
    #expect(first.origin == "ui" && first.version.number == 1 && first.changeCount == 2)
    #expect(first.before.version.number == 0 && first.after.version.number == 1)
    let second = try #require(try await commits.next())
    #expect(second.origin == nil && second.changeCount == 3)
    let differences = second.changes(of: Item.self)
    #expect(differences.map { $0.old?.id } == [1, 2, nil])
    #expect(differences.map { $0.new?.id } == [1, nil, 3])
    #expect(differences[0].old?.rank == 1 && differences[0].new?.rank == 2)
    #expect(second.before[Item.self, 2] != nil && second.after[Item.self, 2] == nil)
    #expect(second.changes(of: Draft.self).isEmpty)
  }
}
