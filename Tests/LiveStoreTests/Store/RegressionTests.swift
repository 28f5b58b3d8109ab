import LiveStore
import TestSupport
import Testing

private struct Left: Entity {
  let id: Int
  var value: Int
  var scratch = 0
  static let schema = Schema<Left> {
    Property(\.value, .indexed)
    Ignored(\.scratch)
  }
}

private struct Right: Entity {
  let id: Int
  var text: String
  static let schema = Schema<Right> { Property(\.text, .indexed) }
}

/// An id that has the hash of every other.
private struct SameHash: Hashable, Sendable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}

private struct Colliding: Entity {
  let id: SameHash
  var value = 0
  static let schema = Schema<Colliding> { \.value }
}

/// Mistakes that were made once, each with its cause.
@Suite struct RegressionTests {
  /// Bug: results that outlived the commit named a row that was deleted. Cause: the restored table was left out
  /// of the commit's delta and published with its new row number all the same.
  @Test func `a row deleted and inserted again as it was stays itself beside another change`() async throws {
    let store = try Store(Left.self, Right.self)
    try await store.write { tx in try tx.insert(Left(id: 1, value: 3)) }
    let (before, changes) = try store.subscribe(Left.where { $0.value >= 0 }.sorted(by: \.value))
    try await store.write { tx in
      try tx.delete(Left.self, 1)
      try tx.insert(Left(id: 1, value: 3))
      try tx.insert(Right(id: 1, text: "a"))
    }
    let after = try store.subscribe(Left.where { $0.value >= 0 }.sorted(by: \.value)).value
    #expect(after.map(\.id) == [1])
    #expect(after[id: 1]?.value == 3)
    #expect(before.changes(to: after).isEmpty)
    withExtendedLifetime(changes) {}
  }

  /// Bug: the next write of a row changed back made no version. Cause: the row kept the stamp of a version
  /// that was never made, so the next transaction thought it had touched the row already.
  @Test func `a row changed and changed back is an ordinary row afterwards`() async throws {
    let store = try Store(Left.self)
    try await store.write { tx in try tx.insert(Left(id: 1, value: 0)) }
    try await store.write { tx in
      try tx.update(Left.self, 1) { $0.value = 1 }
      try tx.update(Left.self, 1) { ($0.value, $0.scratch) = (0, 7) }
    }
    #expect(store.version.number == 1)
    #expect(store.snapshot()[Left.self, 1]?.scratch == 7)
    var iterator = store.changes(of: Left.all).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in try tx.update(Left.self, 1) { $0.value = 5 } }
    #expect(store.version.number == 2)
    #expect(await iterator.next()?.changes?.modifications.first?[\.value]?.new == 5)
  }

  /// Bug: an object was not found. Cause: the first id of its hash had been deleted, and the quick way of
  /// looking up gave up there.
  @Test func `an id is found after another of its hash is deleted`() async throws {
    let store = try Store(Colliding.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<3).map { Colliding(id: SameHash(number: $0), value: $0) })
    }
    try await store.write { tx in try tx.delete(Colliding.self, SameHash(number: 0)) }
    let snapshot = store.snapshot()
    #expect(snapshot[Colliding.self, SameHash(number: 0)] == nil)
    #expect(snapshot[Colliding.self, SameHash(number: 1)]?.value == 1)
    #expect(snapshot[Colliding.self, SameHash(number: 2)]?.value == 2)
  }

  /// Bug: a trap. Cause: the row of the object under edit was taken to outlive the user's closure.
  @Test func `an edit may delete objects, but not its own`() async throws {
    let store = try Store(Left.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<4).map { Left(id: $0, value: $0) }) }
    let count = try await store.write { tx in
      try tx.update(Left.all) { left in
        left.value += 10
        if left.id == 0 { try tx.delete(Left.self, 2) }
      }
    }
    #expect(count == 3)
    #expect(store.snapshot().fetch(Left.all).map(\.value) == [10, 11, 13])
    await #expect(throws: StoreError.self) {
      try await store.write { tx in try tx.update(Left.self, 1) { _ in _ = try tx.delete(Left.self, 1) } }
    }
    #expect(store.snapshot().fetch(Left.all).count == 3)
  }

  @Test func `an entity that the store does not have has no objects`() async throws {
    let store = try Store(Left.self)
    try await store.write { tx in try tx.insert(Left(id: 1, value: 1)) }
    let none = store.snapshot().fetch(Right.all)
    #expect(none.isEmpty)
    #expect(none[id: 1] == nil)
    #expect(none.changes(to: store.snapshot().fetch(Right.all)).isEmpty)
  }

  /// Bug: nothing was found. Cause: the bound after all texts with the prefix lost a whole "\r\n".
  @Test func `a prefix may end in the middle of what looks like one character`() async throws {
    let store = try Store(Right.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<100).map { Right(id: $0, text: "x\($0)") }) }
    try await store.write { tx in try tx.insert(Right(id: 200, text: "a\r\nb")) }
    #expect(store.snapshot().fetch(Right.where { $0.text.beginsWith("a\r\n") }).map(\.id) == [200])
  }

  @Test func `a window as large as the largest integer does not trap`() async throws {
    let store = try Store(Left.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<4).map { Left(id: $0, value: $0) }) }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Left.all.offset(1).limit(.max)).count == 3)
    #expect(snapshot.fetch(Left.where { $0.value >= 0 }.offset(.max).offset(.max).limit(1)).isEmpty)
    #expect(!Left.all.offset(1).limit(.max).explain(in: snapshot).isEmpty)
  }

  @Test func `an index serves a missing value`() async throws {
    let store = try Store(Optionals.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Optionals(id: $0, value: $0 == 42 ? nil : $0) })
    }
    let query = Optionals.where { $0.value == nil }
    #expect(store.snapshot().fetch(query).map(\.id) == [42])
    #expect(query.explain(in: store.snapshot()).contains("index"))
  }
}

private struct Optionals: Entity {
  let id: Int
  var value: Int?
  static let schema = Schema<Optionals> { Property(\.value, .indexed) }
}
