import Foundation
import LiveStore
import TestSupport
import Testing

private struct Broken: Error, Equatable { var reason: Int }

private struct Renamable: Entity {
  var id: Int
  var name = ""
  static let schema = Schema<Renamable> { Property(\.name, .indexed) }
}

@Suite struct `Errors of a transaction` {
  private let store: Store
  private let recorder = Recorder<CollectionChange<Item>>()

  init() throws { store = try Store(Item.self, Renamable.self) }

  private func fill() async throws {
    try await store.write { tx in
      try tx.insert(contentsOf: (1...3).map { Item($0, name: "n\($0)", rank: $0) })
      try tx.insert(Renamable(id: 1, name: "one"))
      try tx.insert(Renamable(id: 2, name: "two"))
    }
  }

  /// Runs a write that must fail, checks that nothing is kept or delivered, and gives its error.
  private func failure(
    _ body: (inout WriteTransaction) throws -> Void
  ) async throws -> any Error {
    let before = store.snapshot()
    let token = store.observe(Item.all, initial: .skip) { recorder.append($0) }
    let failure = await #expect(throws: (any Error).self) { try await store.write(body) }
    try await store.settled()
    token.invalidate()
    #expect(recorder.count == 0)
    #expect(store.version == before.version)
    for query in [Item.all, Item.sorted(by: \.rank), Item.where { $0.rank >= 2 }] {
      #expect(store.snapshot().fetch(query).elementsEqual(before.fetch(query)))
    }
    #expect(store.metrics.commits == Int(before.version.number))
    return try #require(failure)
  }

  @Test func `the body's error reaches the caller unchanged, and nothing is kept`() async throws {
    try await fill()
    let error = try await failure { tx in
      try tx.insert(Item(9, rank: 9))
      try tx.update(Item.all) { $0.rank *= 2 }
      try tx.delete(Item.self, 1)
      throw Broken(reason: 5)
    }
    #expect(error as? Broken == Broken(reason: 5))
  }

  @Test func `the body's error of a blocking write reaches the caller unchanged`() async throws {
    try await fill()
    let store = store
    let worker = Worker {
      try store.write { tx in
        try tx.deleteAll()
        throw Broken(reason: 6)
      }
    }
    await #expect(throws: Broken(reason: 6)) { try await worker.value() }
    #expect(store.snapshot().count(Item.all) == 3)
    #expect(store.version.number == 1)
  }

  @Test func `an error object keeps its identity`() async throws {
    final class Problem: Error { let name = "p" }
    let problem = Problem()
    let error = try await failure { _ in throw problem }
    #expect(error as? Problem === problem)
  }

  @Test func `duplicateID names entity and id`() async throws {
    try await fill()
    let error = try await #require(failure { tx in try tx.insert(Item(2)) } as? StoreError)
    #expect(error.code == StoreError.duplicateID)
    #expect(error.entity == "Item")
    #expect(error.id == "2")
  }

  @Test func `a duplicate of an object inserted in the same transaction is duplicateID`() async throws {
    let error = try await #require(
      failure { tx in
        try tx.insert(Item(8))
        try tx.insert(Item(8))
      } as? StoreError)
    #expect(error.code == StoreError.duplicateID && error.id == "8")
  }

  @Test func `notFound names entity and id`() async throws {
    try await fill()
    let error = try await #require(failure { tx in try tx.update(Item.self, 77) { _ in } } as? StoreError)
    #expect(error.code == StoreError.notFound)
    #expect(error.entity == "Item")
    #expect(error.id == "77")
  }

  @Test func `an object deleted in the same transaction is not found`() async throws {
    try await fill()
    let error = try await #require(
      failure { tx in
        try tx.delete(Item.self, 1)
        try tx.update(Item.self, 1) { $0.rank = 0 }
      } as? StoreError)
    #expect(error.code == StoreError.notFound)
  }

  @Test func `identifierChanged names the object that had its id changed`() async throws {
    try await fill()
    let error = try await #require(
      failure { tx in try tx.update(Renamable.self, 1) { $0.id = 5 } } as? StoreError)
    #expect(error.code == StoreError.identifierChanged)
    #expect(error.entity == "Renamable")
    #expect(error.id == "1")
    let bulk = try await #require(
      failure { tx in try tx.update(Renamable.all) { $0.id += 5 } } as? StoreError)
    #expect(bulk.code == StoreError.identifierChanged)
    #expect(store.snapshot().fetch(Renamable.all).map(\.id) == [1, 2])
  }

  @Test func `a caught error leaves the rest of the transaction as it was`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.insert(Item(4))
      #expect(throws: StoreError.self) { try tx.insert(Item(1, name: "other")) }
      #expect(throws: StoreError.self) {
        try tx.update(Renamable.self, 1) { $0 = Renamable(id: 9, name: "x") }
      }
      #expect(throws: StoreError.self) { try tx.update(Item.self, 99) { _ in } }
      #expect(throws: Broken(reason: 1)) {
        try tx.update(Item.self, 2) { item in
          item.name = "half"
          throw Broken(reason: 1)
        }
      }
      try tx.insert(Item(5))
    }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Item.all).map(\.id) == [1, 2, 3, 4, 5])
    #expect(snapshot[Item.self, 1]?.name == "n1")
    #expect(snapshot[Item.self, 2]?.name == "n2")
    #expect(snapshot.fetch(Renamable.where { $0.name == "one" }).map(\.id) == [1])
    #expect(snapshot.fetch(Renamable.where { $0.name == "x" }).isEmpty)
  }

  @Test func `inserting many is all or nothing, also when the error is caught`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.insert(Item(10))
      #expect(throws: StoreError.self) {
        try tx.insert(contentsOf: [Item(20, rank: 20), Item(21), Item(3), Item(22)])
      }
      #expect(throws: StoreError.self) { try tx.insert(contentsOf: [Item(30), Item(31), Item(30)]) }
      #expect(tx.fetch(Item.all).map(\.id) == [1, 2, 3, 10])
      #expect(tx.fetch(Item.where { $0.rank == 20 }).isEmpty)
      try tx.insert(Item(20))
    }
    #expect(store.snapshot().fetch(Item.all).map(\.id) == [1, 2, 3, 10, 20])
  }

  @Test func `editing a query is all or nothing, also when the error is caught`() async throws {
    try await fill()
    try await store.write { tx in
      #expect(throws: Broken(reason: 3)) {
        try tx.update(Item.sorted(by: \.rank)) { item in
          item.rank += 10
          if item.id == 3 { throw Broken(reason: 3) }
        }
      }
      #expect(tx.fetch(Item.all).map(\.rank) == [1, 2, 3])
      #expect(tx.fetch(Item.where { $0.rank > 10 }).isEmpty)
    }
    #expect(store.version.number == 1)
  }

  @Test func `updating gives what the closure returns`() async throws {
    try await fill()
    let old = try await store.write { tx in
      try tx.update(Item.self, 1) { item in
        defer { item.name = "new" }
        return item.name
      }
    }
    #expect(old == "n1")
  }

  @Test func `an error is caught by its code`() async throws {
    try await fill()
    var caught = ""
    do {
      try await store.write { tx in try tx.insert(Item(1)) }
    } catch StoreError.notFound {
      caught = "notFound"
    } catch StoreError.duplicateID {
      caught = "duplicateID"
    } catch {
      caught = "another"
    }
    #expect(caught == "duplicateID")
  }

  @Test func `a code matches no other error`() {
    #expect(!(StoreError.duplicateID ~= Broken(reason: 1)))
    #expect(!(StoreError.duplicateID ~= CancellationError()))
  }

  @Test func `errors are equal by what they say, and are Sendable values`() async throws {
    try await fill()
    let first = try await #require(failure { tx in try tx.insert(Item(2)) } as? StoreError)
    let second = try await #require(failure { tx in try tx.insert(Item(2)) } as? StoreError)
    let other = try await #require(failure { tx in try tx.insert(Item(3)) } as? StoreError)
    #expect(first == second)
    #expect(first != other)
  }
}
