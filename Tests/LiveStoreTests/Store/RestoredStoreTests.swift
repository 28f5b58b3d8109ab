import Foundation
import LiveStore
import Testing

private struct Chore: Entity, Equatable {
  let id: Int
  var group = 0
  var code = ""
  var mark: Int?
  var steps = RefList<Chore>()
  static let schema = Schema<Chore> {
    Property(\.group, .indexed)
    Property(\.code, .unique)
    Property(\.mark, .unique)
    Relation(\.steps)
  }

  init(_ id: Int, group: Int = 0) { (self.id, self.group, code) = (id, group, "code \(id)") }
}

@Suite struct `Versions and identity of a store` {
  /// A store that goes on as another one, whose process has ended.
  private func restored(_ store: Store, lost: [ClosedRange<Version>] = []) throws -> Store {
    let empty = try Store(Chore.self)
    let rows = try Self.rows(store)
    #expect(empty.identity != store.identity)
    return try Store(
      Chore.self, identity: store.identity, version: store.version, lostVersions: lost
    ) { contents in
      try contents.insert(contentsOf: rows)
      try contents.setNextPlace(of: Chore.self, to: store.snapshot().nextPlace(of: Chore.self))
    }
  }

  /// The objects with their places: those of the difference from a store without any.
  private static func rows(_ store: Store) throws -> [(place: UInt64, object: Chore)] {
    let copy = Store(copying: store.snapshot())
    let before = copy.snapshot()
    try copy.write { tx in try tx.deleteAll() }
    let difference = try before.difference(from: copy.snapshot())
    return difference.changes(of: Chore.self).compactMap { change in
      change.new.flatMap { task in change.newPlace.map { (place: $0, object: task) } }
    }
  }

  /// The code of the error that a call throws.
  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  private func filled(_ count: Int) throws -> Store {
    let store = try Store(Chore.self)
    try store.write { tx in try tx.insert(contentsOf: (1...count).map { Chore($0) }) }
    return store
  }

  @Test func `each store has an identity of its own, and a copy another one`() throws {
    let store = try filled(3)
    #expect(try Store(Chore.self).identity != store.identity)
    #expect(Store(copying: store.snapshot()).identity != store.identity)
    let identity = store.identity
    try store.write { tx in try tx.insert(Chore(4)) }
    #expect(store.identity == identity)
  }

  @Test func `a version is coded as its number, and made from one`() throws {
    let store = try filled(3)
    let text = String(decoding: try JSONEncoder().encode([store.version, .zero]), as: UTF8.self)
    #expect(text == "[1,0]")
    #expect(
      try JSONDecoder().decode([Version].self, from: Data("[1, 18446744073709551615]".utf8)) == [
        store.version, Version(.max),
      ])
    for wrong in ["[-1]", "[\"1\"]", "[1.5]", "[{}]"] {
      #expect(throws: DecodingError.self) { try JSONDecoder().decode([Version].self, from: Data(wrong.utf8)) }
    }
  }

  @Test func `a store that goes on has the objects, places, version and identity`() throws {
    let store = try filled(9)
    try store.write { tx in for id in [2, 3, 9] { try tx.delete(Chore.self, id) } }
    let again = try restored(store)
    #expect(again.identity == store.identity && again.version == store.version)
    #expect(Array(again.fetch(Chore.all)) == Array(store.fetch(Chore.all)))
    #expect(try Self.rows(again).map(\.place) == [1, 4, 5, 6, 7, 8])
    // The place of the last one is not given again.
    try again.write { tx in try tx.insert(Chore(10)) }
    #expect(try Self.rows(again).map(\.place) == [1, 4, 5, 6, 7, 8, 10])
    #expect(again.version == Version(store.version.number + 1))
    #expect(again.fetch(Chore.where { $0.group == 0 }).count == 7)
  }

  @Test func `a store without objects goes on at its version, and with its places`() throws {
    let store = try filled(5)
    try store.write { tx in try tx.deleteAll() }
    let again = try restored(store)
    #expect(again.version == store.version && again.fetch(Chore.all).isEmpty)
    #expect(again.snapshot().nextPlace(of: Chore.self) == 6)
    try again.write { tx in try tx.insert(Chore(1)) }
    #expect(try Self.rows(again).map(\.place) == [6])
  }

  @Test func `objects that break a rule, and places that do not ascend, are errors`() throws {
    func make(_ rows: [(place: UInt64, object: Chore)], next: UInt64? = nil, version: UInt64 = 1) throws {
      _ = try Store(Chore.self, identity: UUID(), version: Version(version)) { contents in
        try contents.insert(contentsOf: rows)
        if let next { try contents.setNextPlace(of: Chore.self, to: next) }
      }
    }
    var linked = Chore(3)
    linked.steps = RefList(ids: [7])
    let errors: [(StoreError.Code, () throws -> Void)] = [
      (.invalidRestoration, { try make([(2, Chore(1)), (2, Chore(2))]) }),
      (.invalidRestoration, { try make([(2, Chore(1)), (1, Chore(2))]) }),
      (.invalidRestoration, { try make([(0, Chore(1))]) }),
      (.invalidRestoration, { try make([(1 << 47, Chore(1))]) }),
      (.invalidRestoration, { try make([(.max, Chore(1))]) }),
      (.invalidRestoration, { try make([(4, Chore(1))], next: 4) }),
      (.invalidRestoration, { try make([(4, Chore(1))], version: 1 << 62) }),
      (.duplicateID, { try make([(1, Chore(1)), (2, Chore(1))]) }),
      (.missingLinkTarget, { try make([(1, linked)]) }),
    ]
    for (index, (code, body)) in errors.enumerated() {
      let error = #expect(throws: StoreError.self) { try body() }
      #expect(error?.code == code, "\(index): \(error?.message ?? "")")
    }
    try make([(1 << 47 - 1, Chore(1))])
  }

  /// Bug: an entry of a list had room for the places below 2⁴⁴.
  @Test(arguments: [UInt64(1) << 44, UInt64(1) << 44 + 5, UInt64(1) << 47 - 1])
  func `a list shows objects at the highest places`(place: UInt64) throws {
    var owner = Chore(1)
    owner.steps = RefList(ids: [3, 2, 3])
    let rows: [(place: UInt64, object: Chore)] = [(1, owner), (5, Chore(2)), (place, Chore(3))]
    let store = try Store(Chore.self, identity: UUID(), version: Version(1)) { contents in
      try contents.insert(contentsOf: rows)
    }
    let list = Chore.linked(from: \Chore.steps, of: 1)
    #expect(store.fetch(list).map(\.id) == [3, 2, 3])
    #expect(store.fetch(list.sorted(by: \.code)).map(\.id) == [2, 3, 3])
    #expect(store.fetch(list.where { $0.code == "code 3" }).map(\.id) == [3, 3])
  }

  // MARK: Changes since a version

  @Test(arguments: [DeliveryMode.latest, .everyCommit])
  func `changes since a version are what differs from it`(mode: DeliveryMode) async throws {
    let store = try filled(5)
    let query = Chore.where { $0.group == 0 }.sorted(by: \.code)
    let old = store.snapshot()
    try await store.write { tx in try tx.update(Chore.self, 2) { $0.group = 1 } }
    try await store.write { tx in try tx.insert(Chore(6)) }
    var changes = try store.changes(of: query, since: old.version, mode: mode).makeAsyncIterator()
    var ids = old.fetch(query).map(\.id)
    for _ in 0..<(mode == .latest ? 1 : 2) {
      guard case .update(let results, let set)? = await changes.next() else {
        Issue.record("no change")
        return
      }
      for index in set.deletions.reversed() { ids.remove(at: index) }
      for index in set.insertions { ids.insert(results[index].id, at: index) }
      #expect(ids == results.map(\.id))
    }
    #expect(ids == [1, 3, 4, 5, 6])
    try await store.write { tx in try tx.insert(Chore(7)) }
    guard case .update(let results, _)? = await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(results.map(\.id) == [1, 3, 4, 5, 6, 7])
  }

  @Test func `changes since the newest version begin with the next commit`() async throws {
    let store = try filled(2)
    var changes = try store.changes(of: Chore.all, since: store.version).makeAsyncIterator()
    try await store.write { tx in try tx.insert(Chore(3)) }
    guard case .update(_, let set)? = await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(set.insertions.map { set.current[$0].id } == [3] && set.deletions.isEmpty)
  }

  @Test func `changes since what the history has not, or the store never had, are an error that says so`()
    throws
  {
    var configuration = Store.Configuration()
    configuration.historyCommits = 2
    let store = try Store(Chore.self, configuration: configuration)
    for id in 1...5 { try store.write { tx in try tx.insert(Chore(id)) } }
    for version in [0, 2, 6, 1 << 63, UInt64.max] {
      let error = #expect(throws: StoreError.self) {
        _ = try store.changes(of: Chore.all, since: Version(version))
      }
      #expect(error?.code == .historyTruncated && error?.oldest == Version(3), "\(version)")
    }
    for version in 3...5 { _ = try store.changes(of: Chore.all, since: Version(UInt64(version))) }
    // One that went on has no history, and the version that it has.
    let again = try restored(store)
    _ = try again.changes(of: Chore.all, since: again.version)
    #expect(code { _ = try again.changes(of: Chore.all, since: Version(4)) } == .historyTruncated)
  }

  @Test func `commits after a version that the store never had end with an error`() async throws {
    let store = try filled(2)
    var commits = store.commits(after: Version(9)).makeAsyncIterator()
    let error = await #expect(throws: StoreError.self) { _ = try await commits.next() }
    #expect(error?.code == .historyTruncated)
  }

  // MARK: Cursors

  @Test func `a cursor goes on in a store that goes on, in spite of ties`() throws {
    let store = try filled(20)
    let query = Chore.sorted(by: \.group)
    let cursor = try store.page(of: query, first: 12).next
    try store.write { tx in for id in 1...10 { try tx.delete(Chore.self, id) } }
    let page = try restored(store).page(of: query, after: cursor, first: 20)
    #expect(page.rows.map(\.id) == Array(13...20))
  }

  @Test
  func `a cursor of another store is refused where there may be ties, and goes on where there are none`()
    throws
  {
    let (store, other) = (try filled(20), try filled(20))
    func page(_ query: Query<Chore>) throws -> [Int] {
      try other.page(of: query, after: store.page(of: query, first: 12).next, first: 20).rows.map(\.id)
    }
    for query in [
      Chore.all, Chore.sorted(by: \.group), Chore.sorted(by: \.mark),
      Chore.sorted(by: \.mark).sorted(by: \.group),
    ] {
      #expect(code { _ = try page(query) } == .invalidCursor, "\(query)")
    }
    for query in [
      Chore.sorted(by: \.id), Chore.sorted(by: \.group).sorted(by: \.id),
      Chore.sorted(by: \.code).sorted(by: \.group),
    ] {
      #expect(try page(query).count == 8, "\(query)")
    }
    #expect(try page(Chore.sorted(by: \.group).sorted(by: \.id, .descending)) == Array((1...8).reversed()))
  }

  @Test func `a cursor of a version that was lost is refused`() throws {
    let store = try filled(20)
    try store.write { tx in try tx.update(Chore.self, 20) { $0.code = "other" } }
    let cursor = try store.page(of: Chore.all, first: 12).next
    let lost = try restored(store, lost: [Version(1)...Version(1), Version(2)...Version(3)])
    #expect(code { _ = try lost.page(of: Chore.all, after: cursor, first: 20) } == .invalidCursor)
    let kept = try restored(store, lost: [Version(1)...Version(1), Version(3)...Version(9)])
    #expect(try kept.page(of: Chore.all, after: cursor, first: 20).rows.count == 8)
  }

  @Test func `a cursor of a list is one of its process, and one of a transaction is of use within it`() throws
  {
    let store = try filled(5)
    try store.write { tx in try tx.update(Chore.self, 1) { $0.steps = RefList(ids: [2, 3, 2, 4]) } }
    let list = Chore.linked(from: \Chore.steps, of: 1)
    let cursor = try store.page(of: list, first: 2).next
    #expect(try store.page(of: list, after: cursor, first: 9).rows.map(\.id) == [2, 4])
    #expect(code { _ = try restored(store).page(of: list, after: cursor, first: 9) } == .invalidCursor)
    struct Undone: Error {}
    var own: PageCursor?
    do {
      try store.write { tx in
        try tx.insert(Chore(6))
        try tx.insert(Chore(7))
        own = try tx.page(of: Chore.all, first: 6).next
        let rest = try tx.page(of: Chore.all, after: own, first: 6).rows.map(\.id)
        #expect(rest == [7])
        throw Undone()
      }
    } catch is Undone {}
    for other in [store, try restored(store)] {
      #expect(code { _ = try other.page(of: Chore.all, after: own, first: 9) } == .invalidCursor)
    }
  }
}
