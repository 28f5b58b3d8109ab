import LiveStore
import TestSupport
import Testing

private struct Club: Entity, Hashable {
  let id: Int
  static let schema = Schema<Club> {}
}

private struct Member: Entity, Hashable {
  let id: Int
  var name = ""
  var club: Ref<Club>?
  var home: Ref<Club>?
  var clubs = RefList<Club>()
  var scratch = 0
  static let schema = Schema<Member> {
    \.name
    Relation(\.club, onDelete: .restrict)
    Relation(\.home, onDelete: .cascade)
    Relation(\.clubs)
    Ignored(\.scratch)
  }
}

private struct Oops: Error {}

@Suite struct `Links in transactions` {
  private func makeStore(_ fill: (borrowing WriteTransaction) throws -> Void = { _ in }) throws -> Store {
    let store = try Store(Member.self, Club.self)
    try store.write { tx in
      for id in 1...3 { try tx.insert(Club(id: id)) }
      try fill(tx)
    }
    return store
  }

  private func failure(_ store: Store, _ body: (borrowing WriteTransaction) throws -> Void) throws
    -> StoreError?
  {
    let before = store.snapshot()
    let error = #expect(throws: StoreError.self) { try store.write { tx in try body(tx) } }
    #expect(store.version == before.version)
    #expect(Array(store.snapshot().fetch(Member.all)) == Array(before.fetch(Member.all)))
    #expect(Array(store.snapshot().fetch(Club.all)) == Array(before.fetch(Club.all)))
    return error
  }

  @Test func `a link and its target may be written in any order`() throws {
    let store = try makeStore { tx in
      try tx.insert(Member(id: 1, club: 9, clubs: [8, 9]))
      try tx.insert(Club(id: 9))
      try tx.insert(Club(id: 8))
    }
    #expect(store.snapshot().backlinks(to: Club(id: 8), from: \Member.clubs).map(\.id) == [1])
    // The target first, then who holds the link.
    try store.write { tx in
      try tx.delete(Club.self, 9)
      #expect(tx[Member.self, 1]?.club == 9)
      try tx.delete(Member.self, 1)
    }
    #expect(store.snapshot().count(Member.all) == 0)
  }

  @Test func `a missing target names both objects and the property`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, club: 1)) }
    let inserted = try failure(store) { try $0.insert(Member(id: 5, clubs: [1, 77])) }
    #expect(inserted?.code == StoreError.missingLinkTarget)
    #expect(inserted?.entity == "Member" && inserted?.id == "5")
    #expect(inserted?.property == "clubs" && inserted?.value == "77")
    for word in ["Member 5", "Club 77", "clubs"] { #expect(inserted?.message.contains(word) == true) }
    let updated = try failure(store) { try $0.update(Member.self, 1) { $0.home = 78 } }
    #expect(updated?.code == StoreError.missingLinkTarget && updated?.value == "78")
    let upserted = try failure(store) { try $0.upsert(Member(id: 1, club: 79)) }
    #expect(upserted?.code == StoreError.missingLinkTarget && upserted?.value == "79")
    // A link made after its target's deletion.
    let late = try failure(store) { tx in
      try tx.delete(Club.self, 2)
      try tx.update(Member.self, 1) { $0.clubs.append(2) }
    }
    #expect(late?.code == StoreError.missingLinkTarget && late?.value == "2")
  }

  @Test func `a restricted target may be deleted and inserted again in one transaction`() throws {
    let store = try makeStore { tx in
      for id in 0..<50 { try tx.insert(Member(id: id, club: 1)) }
    }
    try store.write { tx in
      try tx.delete(Club.self, 1)
      try tx.insert(Club(id: 1))
    }
    #expect(store.snapshot().backlinks(to: Club(id: 1), from: \Member.club).count == 50)
    #expect(store.snapshot().fetch(Club.all).map(\.id) == [2, 3, 1])
  }

  @Test func `nullified links stay nullified when the target is inserted again`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, clubs: [1, 2, 1])) }
    try store.write { tx in
      try tx.delete(Club.self, 1)
      try tx.insert(Club(id: 1))
    }
    #expect(store.snapshot()[Member.self, 1]?.clubs == [2])
  }

  @Test func `an undone savepoint undoes cascades and nullified links`() throws {
    let store = try makeStore { tx in
      try tx.insert(Member(id: 1, home: 1, clubs: [1, 2]))
      try tx.insert(Member(id: 2, home: 2, clubs: [1, 2]))
    }
    let before = store.snapshot()
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.delete(Club.self, 1)
        #expect(tx.fetch(Member.all).map(\.id) == [2])
        #expect(tx[Member.self, 2]?.clubs == [2])
        try? tx.savepoint { tx in
          try tx.delete(Club.self, 2)
          #expect(tx.count(Member.all) == 0)
          throw Oops()
        }
        #expect(tx[Member.self, 2]?.clubs == [2])
        throw Oops()
      }
      #expect(tx[Member.self, 1]?.clubs == [1, 2])
      #expect(Array(tx.backlinks(to: Club(id: 1), from: \Member.clubs)).map(\.id) == [1, 2])
    }
    #expect(store.version == before.version)
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.delete(Club.self, 2)
        throw Oops()
      }
      try tx.delete(Club.self, 1)
    }
    #expect(Array(store.snapshot().fetch(Member.all)) == [Member(id: 2, home: 2, clubs: [2])])
    #expect(try store.snapshot().breachOfTables() == nil)
    #expect(try before.breachOfTables() == nil)
  }

  @Test func `a body that throws leaves no links behind`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, home: 1, clubs: [2, 3])) }
    let before = store.snapshot()
    #expect(throws: Oops.self) {
      try store.write { tx in
        try tx.delete(Club.self, 2)
        try tx.delete(Club.self, 1)
        throw Oops()
      }
    }
    #expect(Array(store.snapshot().fetch(Member.all)) == [Member(id: 1, home: 1, clubs: [2, 3])])
    #expect(store.version == before.version)
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `backlinks follow inserts, updates, upserts and deletions, also within a transaction`() throws {
    let store = try makeStore()
    func members(_ tx: borrowing WriteTransaction, of club: Int) -> [Int] {
      tx.backlinks(to: Club(id: club), from: \Member.clubs).map(\.id)
    }
    try store.write { tx in
      for id in 1...4 { try tx.insert(Member(id: id, clubs: [1, 1])) }
      #expect(members(tx, of: 1) == [1, 2, 3, 4])
      try tx.update(Member.self, 2) { $0.clubs = [2] }
      try tx.upsert(Member(id: 3, clubs: [2, 1]))
      try tx.update(Member.where { $0.id == 4 }) { $0.clubs.append(2) }
      #expect(members(tx, of: 1) == [1, 3, 4])
      #expect(members(tx, of: 2) == [2, 3, 4])
    }
    let kept = store.snapshot()
    try store.write { tx in
      try tx.update(Member.self, 4) { $0.clubs.removeFirst() }
      #expect(members(tx, of: 1) == [1, 3, 4])
      try tx.update(Member.self, 4) { $0.clubs.removeFirst() }
      try tx.delete(Member.self, 1)
      #expect(members(tx, of: 1) == [3])
    }
    #expect(kept.backlinks(to: Club(id: 1), from: \Member.clubs).map(\.id) == [1, 3, 4])
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `a copy of a store has links of its own`() throws {
    let store = try makeStore { tx in
      try tx.insert(Member(id: 1, home: 1))
      try tx.insert(Member(id: 2, club: 2, clubs: [1, 3]))
    }
    let copy = Store(copying: store.snapshot())
    try copy.write { tx in _ = try tx.delete(Club.self, 1) }
    #expect(copy.snapshot().fetch(Member.all).map(\.id) == [2])
    #expect(copy.snapshot()[Member.self, 2]?.clubs == [3])
    #expect(throws: StoreError.self) { try copy.write { tx in _ = try tx.delete(Club.self, 2) } }
    #expect(store.snapshot()[Member.self, 2]?.clubs == [1, 3])
    #expect(store.snapshot().backlinks(to: Club(id: 1), from: \Member.home).map(\.id) == [1])
    #expect(try copy.snapshot().breachOfTables() == nil)
  }

  @Test func `deleteAll applies no delete rule between the objects that it deletes`() throws {
    let fill: (borrowing WriteTransaction) throws -> Void = { tx in
      try tx.insert(Member(id: 1, club: 1, home: 2, clubs: [3]))
      try tx.insert(Member(id: 2, clubs: [1]))
    }
    let everything = try makeStore(fill)
    try everything.write { tx in try tx.deleteAll() }
    #expect(everything.snapshot().count(Member.all) == 0 && everything.snapshot().count(Club.all) == 0)
    #expect(try everything.snapshot().breachOfTables() == nil)
  }

  @Test func `deleting all of one entity follows its links`() throws {
    let store = try makeStore { tx in
      try tx.insert(Member(id: 1, club: 1, home: 2))
      try tx.insert(Member(id: 2, clubs: [1, 2]))
    }
    try store.write { tx in expectTrue(try tx.deleteAll(Club.self) == 3) }
    #expect(Array(store.snapshot().fetch(Member.all)) == [Member(id: 2)])
  }

  @Test func `ignored properties stay as given beside links`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, clubs: [1, 2], scratch: 4)) }
    let version = store.version
    try store.write { tx in try tx.upsert(Member(id: 1, clubs: [1, 2], scratch: 5)) }
    #expect(store.version == version && store.snapshot()[Member.self, 1]?.scratch == 5)
    try store.write { tx in _ = try tx.delete(Club.self, 1) }
    #expect(store.snapshot()[Member.self, 1] == Member(id: 1, clubs: [2], scratch: 5))
    try store.write { tx in try tx.upsert(Member(id: 1, clubs: [2, 3], scratch: 6)) }
    #expect(store.snapshot()[Member.self, 1] == Member(id: 1, clubs: [2, 3], scratch: 6))
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `a link set and unset again is no change`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, club: 1, clubs: [1, 2])) }
    let version = store.version
    try store.write { tx in
      try tx.update(Member.self, 1) { $0.clubs.append(3) }
      try tx.update(Member.self, 1) { $0.club = nil }
      try tx.update(Member.self, 1) { $0.clubs.removeLast() }
      try tx.update(Member.self, 1) { $0.club = 1 }
    }
    #expect(store.version == version)
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `an update whose closure deletes its object by cascade is an error`() throws {
    let store = try makeStore { tx in try tx.insert(Member(id: 1, home: 1)) }
    let error = try failure(store) { tx in
      try tx.update(Member.self, 1) {
        try tx.delete(Club.self, 1)
        $0.name = "x"
      }
    }
    #expect(error?.code == StoreError.notFound)
  }

  @Test func `a link to what the same transaction has deleted is refused, in either order`() throws {
    for type in ["Club", "Member"] {
      let store = try type == "Club" ? Store(Club.self, Member.self) : Store(Member.self, Club.self)
      try store.write { tx in try tx.insert(Club(id: 1)) }
      let error = try failure(store) { tx in
        try tx.delete(Club.self, 1)
        try tx.insert(Member(id: 5, clubs: [1]))
      }
      #expect(error?.code == StoreError.missingLinkTarget)
      #expect(
        error?.entity == "Member" && error?.id == "5" && error?.property == "clubs" && error?.value == "1")
    }
  }
}
