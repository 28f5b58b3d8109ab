import LiveStore
import TestSupport
import Testing

private struct Member: Entity {
  let id: Int
  var email: String
  var number: Int?
  var badge: Badge?
  static let schema = Schema<Member> {
    Property(\.email, .unique)
    Property(\.number, .unique)
    Property(\.badge, .unique)
  }
}

/// A value that can only be hashed, and badly.
private struct Badge: Hashable, Sendable {
  var code: Int
  func hash(into hasher: inout Hasher) {}
}

@Suite struct `Unique properties` {
  private let store: Store

  init() throws { store = try Store(Member.self) }

  private func fill() async throws {
    try await store.write { tx in
      try tx.insert(Member(id: 1, email: "a", number: 1))
      try tx.insert(Member(id: 2, email: "b", number: 2))
      try tx.insert(Member(id: 3, email: "c"))
    }
  }

  /// The violation of a write, after which everything is as before.
  private func violation(_ body: (inout WriteTransaction) throws -> Void) async throws -> StoreError {
    let before = store.snapshot()
    let error = try await #require(throws: StoreError.self) { try await store.write(body) }
    #expect(error.code == StoreError.uniqueViolation)
    #expect(error.entity == "Member")
    #expect(store.version == before.version)
    #expect(store.snapshot().fetch(Member.all).map(\.email) == before.fetch(Member.all).map(\.email))
    return error
  }

  @Test func `a unique violation names entity, id, property and value, and nothing is kept`() async throws {
    try await fill()
    let error = try await violation { tx in
      try tx.insert(Member(id: 9, email: "z"))
      try tx.insert(Member(id: 4, email: "b"))
    }
    #expect(error.property == "email")
    #expect(error.id == "4" || error.id == "2")
    #expect(error.value?.contains("b") == true)
  }

  @Test func `insertions, upserts and updates can all violate a unique property`() async throws {
    try await fill()
    #expect(try await violation { tx in try tx.upsert(Member(id: 4, email: "a")) }.property == "email")
    #expect(try await violation { tx in try tx.upsert(Member(id: 2, email: "a")) }.property == "email")
    let number = try await violation { tx in try tx.update(Member.self, 2) { $0.number = 1 } }
    #expect(number.property == "number")
    let bulk = try await violation { tx in try tx.update(Member.all) { $0.email = "same" } }
    #expect(bulk.property == "email")
    let pair = try await violation { tx in
      try tx.insert(contentsOf: [Member(id: 5, email: "x"), Member(id: 6, email: "x")])
    }
    #expect(pair.property == "email")
  }

  @Test func `unique values may be swapped in one transaction`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.update(Member.self, 1) { $0.email = "b" }
      try tx.update(Member.self, 2) { $0.email = "a" }
    }
    #expect(store.snapshot().fetch(Member.all).map(\.email) == ["b", "a", "c"])
    #expect(store.snapshot().fetch(Member.where { $0.email == "a" }).map(\.id) == [2])
  }

  @Test func `a unique value may be passed on in a chain, in any order`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.update(Member.self, 1) { $0.email = "b" }
      try tx.update(Member.self, 2) { $0.email = "c" }
      try tx.update(Member.self, 3) { $0.email = "a" }
    }
    #expect(store.snapshot().fetch(Member.all).map(\.email) == ["b", "c", "a"])
  }

  @Test func `a unique value may be taken before its owner is deleted`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.insert(Member(id: 4, email: "a"))
      try tx.delete(Member.self, 1)
    }
    #expect(store.snapshot().fetch(Member.where { $0.email == "a" }).map(\.id) == [4])
  }

  @Test func `a violation that is put right before the end is none`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.update(Member.self, 1) { $0.email = "b" }
      #expect(tx.fetch(Member.where { $0.email == "b" }).map(\.id) == [1, 2])
      try tx.update(Member.self, 1) { $0.email = "a" }
    }
    #expect(store.version.number == 1)
  }

  @Test func `an object may keep its own unique value`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.upsert(Member(id: 1, email: "a", number: 10))
      try tx.delete(Member.self, 2)
      try tx.insert(Member(id: 2, email: "b", number: 2))
    }
    #expect(store.snapshot().fetch(Member.all).map(\.id) == [1, 3, 2])
  }

  @Test func `nil is not compared by a unique property`() async throws {
    try await fill()
    try await store.write { tx in
      try tx.insert(contentsOf: (10..<60).map { Member(id: $0, email: "e\($0)") })
      try tx.update(Member.self, 1) { $0.number = nil }
    }
    #expect(store.snapshot().fetch(Member.where { $0.number == nil }).count == 52)
    let error = try await violation { tx in try tx.update(Member.self, 10) { $0.number = 2 } }
    #expect(error.property == "number")
  }

  @Test func `a unique value that became free is free`() async throws {
    try await fill()
    try await store.write { tx in _ = try tx.delete(Member.self, 1) }
    try await store.write { tx in try tx.insert(Member(id: 8, email: "a", number: 1)) }
    try await store.write { tx in _ = try tx.update(Member.self, 8) { $0.email = "q" } }
    try await store.write { tx in try tx.insert(Member(id: 9, email: "a")) }
    #expect(store.snapshot().fetch(Member.all).map(\.email) == ["b", "c", "q", "a"])
  }

  @Test func `unique values of equal hash are distinguished`() async throws {
    try await store.write { tx in
      for id in 0..<300 { try tx.insert(Member(id: id, email: "\(id)", badge: Badge(code: id))) }
    }
    #expect(store.snapshot().fetch(Member.where { $0.badge == Badge(code: 250) }).map(\.id) == [250])
    let error = try await violation { tx in try tx.update(Member.self, 7) { $0.badge = Badge(code: 250) } }
    #expect(error.property == "badge")
    try await store.write { tx in
      try tx.update(Member.self, 7) { $0.badge = Badge(code: 8) }
      try tx.update(Member.self, 8) { $0.badge = Badge(code: 7) }
    }
    #expect(store.snapshot().fetch(Member.where { $0.badge == Badge(code: 7) }).map(\.id) == [8])
  }

  @Test func `text that differs only in its encoding is one unique value`() async throws {
    try await store.write { tx in try tx.insert(Member(id: 1, email: "caf\u{e9}")) }
    let error = try await violation { tx in try tx.insert(Member(id: 2, email: "cafe\u{301}")) }
    #expect(error.property == "email")
  }
}
