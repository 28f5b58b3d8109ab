import LiveStore
import TestSupport
import Testing

private struct Song: Entity {
  enum Kind: Hashable, Sendable { case folk, jazz }

  let id: Int
  var kind: Kind
  static let schema = Schema<Song> { \.kind }
}

private struct Album: Entity {
  let id: Int
  var songs: RefList<Song>
  static let schema = Schema<Album> { Relation(\.songs) }
}

/// Groups, sections and aggregates over a list, in which an object counts as often as it stands there.
@Suite struct ListGroupTests {
  private static let list = Topic.linked(from: \Article.topics, of: 1)

  private static func makeStore() throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 1...4 { try tx.insert(Topic(id: id, name: "t\(id)", weight: id % 3)) }
      try tx.insert(Article(id: 1, title: "a", topics: [3, 1, 4, 1]))
    }
    return store
  }

  /// The extremes of a list and of its groups, the sum, the number of rows of each group, in plain Swift.
  private static func check(_ store: Store, _ seen: (max: Int?, sum: Int?)) throws {
    let snapshot = store.snapshot()
    let weights = snapshot.fetch(list).map(\.weight)
    #expect(seen.max == weights.max() && seen.sum == weights.reduce(0, +))
    #expect(snapshot.value(of: list.max(\.weight)) == weights.max())
    #expect(snapshot.value(of: list.min(\.weight)) == weights.min())
    let groups = snapshot.value(of: list.grouped(by: \.weight).count)
    let keys = Set(weights).sorted()
    #expect(groups.map(\.key) == keys)
    #expect(groups.map(\.value) == keys.map { key in weights.count { $0 == key } })
    let extremes = snapshot.value(of: list.grouped(by: \.weight).max(\.id))
    #expect(
      extremes.map(\.value)
        == keys.map { key in snapshot.fetch(list).filter { $0.weight == key }.map(\.id).max() })
  }

  @Test func `sections of a list have its entries in their order`() throws {
    let sections = try Self.makeStore().snapshot().value(of: Self.list.sectioned(by: \.weight))
    #expect(sections.map(\.key) == [0, 1])
    #expect(sections.map { $0.map(\.id) } == [[3], [1, 4, 1]])
    #expect(sections.position(at: 3) == SectionPosition(section: 1, row: 2))
    #expect(sections.index(of: SectionPosition(section: 1, row: 1)) == 2)
  }

  /// By the earliest row of each, not by where the entries stand.
  @Test func `groups of keys without an order stand as their objects were inserted`() async throws {
    let store = try Store(Song.self, Album.self)
    try await store.write { tx in
      try tx.insert(contentsOf: [
        Song(id: 1, kind: .folk), Song(id: 2, kind: .jazz), Song(id: 3, kind: .folk),
      ])
      try tx.insert(Album(id: 1, songs: [3, 1, 2]))
    }
    let groups = Song.linked(from: \Album.songs, of: 1).grouped(by: \.kind).count
    let seen = Recorder<[Song.Kind]>()
    let token = store.observe(groups) { seen.append($0.results?.map(\.key) ?? []) }
    try await store.settled()
    #expect(seen.last == [.folk, .jazz])
    #expect(store.snapshot().value(of: groups).map(\.key) == [.folk, .jazz])
    try await store.write { tx in try tx.update(Album.self, 1) { $0.songs.move(from: 2, to: 0) } }
    try await store.settled()
    #expect(seen.events == [[.folk, .jazz]])
    try await store.write { tx in try tx.update(Album.self, 1) { $0.songs = [2, 3] } }
    try await store.settled()
    #expect(seen.last == [.jazz, .folk])
    #expect(store.snapshot().value(of: groups).map(\.key) == [.jazz, .folk])
    token.invalidate()
  }

  @Test(.timeLimit(.minutes(10))) func `the aggregate values of a list follow its edits`() async throws {
    let store = try Self.makeStore()
    let (maxima, sums) = (Recorder<ValueChange<Int?>>(), Recorder<ValueChange<Int>>())
    let tokens = [
      store.observe(Self.list.max(\.weight)) { maxima.append($0) },
      store.observe(Self.list.sum(\.weight)) { sums.append($0) },
    ]
    let edits: [@Sendable (borrowing WriteTransaction) throws -> Void] = [
      { _ in },
      { try $0.update(Article.self, 1) { $0.topics.append(2) } },
      { try $0.update(Article.self, 1) { _ = $0.topics.remove(at: 1) } },
      { try $0.update(Topic.self, 1) { $0.weight = 9 } },
      { try $0.update(Article.self, 1) { $0.topics.move(from: 3, to: 0) } },
      { _ = try $0.delete(Topic.self, 1) },
      { try $0.update(Article.self, 1) { $0.topics.removeAll() } },
    ]
    for edit in edits {
      try await store.write { tx in try edit(tx) }
      try await store.settled()
      try Self.check(store, (maxima.last?.value ?? nil, sums.last?.value))
    }
    for token in tokens { token.invalidate() }
  }
}
