import Foundation
import LiveStore
import TestSupport
import Testing

private enum Status: String, Sendable, CaseIterable, Codable { case draft, published, archived }

/// Without an order: listed by its hash.
private enum Shade: Sendable, Hashable { case red, green, blue }

private struct Author: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Author> { \.name }
}

private struct Post: Entity {
  let id: Int
  var status = Status.draft
  var shade = Shade.red
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var likes: Int?
  var title = ""
  var author: Ref<Author>?
  static let schema = Schema<Post> {
    Property(\.status, \.date, .indexed)
    Relation(\.author)
    Property(\.author, \.date, .indexed)
    Property(\.shade, \.title, \.likes, .indexed)
    Property(\.status, \.likes, .indexed)
  }
}

/// Indexes over several properties.
@Suite struct CompoundIndexTests {
  private static let titles = ["", "a long title 1", "a long title 2", "é", "e\u{301}", "~"]

  private static func post(_ id: Int) -> Post {
    Post(
      id: id, status: Status.allCases[id * 7 % 3], shade: [.red, .green, .blue][id * 5 % 3],
      date: Date(timeIntervalSinceReferenceDate: Double(id * 37 % 200)),
      likes: id % 4 == 0 ? nil : id * 11 % 9,
      title: titles[id * 13 % 6], author: id % 5 == 0 ? nil : Ref(id * 3 % 20))
  }

  private static let posts = (0..<1_200).map(post)

  private static func store() throws -> Store {
    let store = try Store(Post.self, Author.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<20).map { Author(id: $0) })
      try tx.insert(contentsOf: posts)
    }
    return store
  }

  /// What the tests read that write nothing.
  private static let filled: Result<Snapshot, any Error> = Result { try store().snapshot() }

  private typealias Order = @Sendable (Post, Post) -> Int

  private static func sorted(_ posts: [Post], _ direction: SortDirection, _ order: Order) -> [Int] {
    posts.enumerated().sorted { left, right in
      let result = order(left.element, right.element)
      return result == 0 ? left.offset < right.offset : (result < 0) == (direction == .ascending)
    }.map(\.element.id)
  }

  private static func compare<V: Comparable>(_ lhs: V, _ rhs: V) -> Int {
    lhs == rhs ? 0 : lhs < rhs ? -1 : 1
  }
  private static let byDate: Order = { compare($0.date, $1.date) }
  private static let byLikes: Order = { compare($0.likes ?? -1, $1.likes ?? -1) }

  private struct Case {
    var query: Query<Post>
    var ids: [Int]
    var index: String
    /// Whether the ranges of the index have no other rows.
    var isExact = true
  }

  /// Values of the first properties, and the order of the next.
  private static func ordered(_ direction: SortDirection) -> [Case] {
    let (author, day) = (Ref<Author>(6), Date(timeIntervalSinceReferenceDate: 60))
    return [
      Case(
        query: Post.where { $0.status == .published }.sorted(by: \.date, direction),
        ids: sorted(posts.filter { $0.status == .published }, direction, byDate), index: "(status, date)"),
      Case(
        query: Post.where { $0.status == .published && $0.date > day }.sorted(by: \.date, direction),
        ids: sorted(posts.filter { $0.status == .published && $0.date > day }, direction, byDate),
        index: "(status, date)"),
      Case(
        query: Post.where { $0.date <= day && $0.status == .draft }.sorted(by: \.date, direction),
        ids: sorted(posts.filter { $0.status == .draft && $0.date <= day }, direction, byDate),
        index: "(status, date)"),
      Case(
        query: Post.where { $0.author == author }.sorted(by: \.date, direction),
        ids: sorted(posts.filter { $0.author == author }, direction, byDate), index: "(author, date)",
        isExact: false),
      Case(
        query: Post.where { $0.author == nil }.sorted(by: \.date, direction),
        ids: sorted(posts.filter { $0.author == nil }, direction, byDate), index: "(author, date)",
        isExact: false),
      Case(
        query: Post.where { $0.shade == .blue && $0.title == "é" }.sorted(by: \.likes, direction),
        ids: sorted(posts.filter { $0.shade == .blue && $0.title == "é" }, direction, byLikes),
        index: "(shade, title, likes)", isExact: false),
      Case(
        query: Post.where { $0.status == .archived && $0.likes < 5 }.sorted(by: \.likes, direction),
        ids: sorted(
          posts.filter { $0.status == .archived && $0.likes.map { $0 < 5 } ?? false }, direction, byLikes),
        index: "(status, likes)"),
      Case(
        query: Post.all.sorted(by: \.status, direction).sorted(by: \.date, direction),
        ids: sorted(posts, direction) { left, right in
          let (l, r) = (
            Status.allCases.firstIndex(of: left.status)!, Status.allCases.firstIndex(of: right.status)!
          )
          return l == r ? byDate(left, right) : l - r
        }, index: "(status, date)"),
    ]
  }

  private static let ascending = ordered(.ascending)
  private static let descending = ordered(.descending)

  private static func cases(_ direction: SortDirection) -> [Case] {
    direction == .ascending ? ascending : descending
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `values of the first properties and the order of the next read a page and no more`(
    direction: SortDirection
  ) throws {
    let snapshot = try Self.filled.get()
    for item in Self.cases(direction) {
      for (offset, limit) in [(0, 1), (0, 7), (1, 3), (13, 5), (50, 5), (300, 4), (2_000, 1), (0, 2_000)] {
        let query = item.query.offset(offset).limit(limit)
        let plan = query.explain(in: snapshot)
        #expect(plan.hasPrefix("index Post.\(item.index) in order"), "\(plan)")
        var work = QueryWork()
        let window = snapshot.state.context.evaluate(query.stages, 0, &work)
        let results = snapshot.fetch(query)
        #expect(results.map(\.id) == Array(item.ids.dropFirst(offset).prefix(limit)), "\(query)")
        #expect(window.count == results.count)
        #expect(work.rowsTested <= (item.isExact ? limit : offset + limit), "\(query): \(work)")
        #expect(snapshot.count(query) == results.count, "\(query)")
      }
    }
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `pages by cursor read their own rows`(direction: SortDirection) throws {
    let snapshot = try Self.filled.get()
    for item in Self.cases(direction) {
      let tested = Recorder<Int>()
      let query = item.query.filter { post in
        tested.append(post.id)
        return true
      }
      var (ids, cursor, pages): ([Int], PageCursor?, Int) = ([], nil, 0)
      repeat {
        let page = try snapshot.page(of: query, after: cursor, first: 40)
        ids += page.rows.map(\.id)
        cursor = page.next
        pages += 1
      } while cursor != nil
      #expect(ids == item.ids, "\(query)")
      #expect(tested.count == ids.count + pages - 1, "\(query)")
    }
  }

  @Test func `conditions on the first properties are one range, or one for each value`() throws {
    let snapshot = try Self.filled.get()
    let (author, day) = (Ref<Author>(6), Date(timeIntervalSinceReferenceDate: 180))
    let cases: [(Query<Post>, index: String, (Post) -> Bool)] = [
      (
        Post.where { $0.author == author && $0.date >= day }, "(author, date)",
        { $0.author == author && $0.date >= day }
      ),
      (
        Post.where { $0.status == .draft && $0.date >= day }, "(status, date)",
        { $0.status == .draft && $0.date >= day }
      ),
      (
        Post.where { $0.status.in([.draft, .archived]) && $0.date >= day }, "(status, date)",
        { $0.status != .published && $0.date >= day }
      ),
      (
        Post.where { $0.shade == .red && $0.title == "~" }, "(shade, title, likes)",
        { $0.shade == .red && $0.title == "~" }
      ),
      (
        Post.where { $0.shade.in([.red, .blue]) && $0.title == "~" && $0.likes.in([1, 4, 7]) },
        "(shade, title, likes)",
        { $0.shade != .green && $0.title == "~" && [1, 4, 7].contains($0.likes) }
      ),
      (
        Post.where { $0.status == .draft && $0.likes == nil }, "(status, likes)",
        { $0.status == .draft && $0.likes == nil }
      ),
      (
        Post.where { $0.shade == .red && $0.title.beginsWith("~") }, "(shade, title, likes)",
        { $0.shade == .red && $0.title.hasPrefix("~") }
      ),
    ]
    for (query, index, test) in cases {
      let plan = query.explain(in: snapshot)
      #expect(plan.hasPrefix("index Post.\(index)"), "\(plan)")
      var work = QueryWork()
      _ = snapshot.state.context.evaluate(query.stages, 0, &work)
      let ids = Self.posts.filter(test).map(\.id)
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(plan)")
      #expect(work.rowsTested == ids.count, "\(plan): \(work)")
      #expect(snapshot.fetch(query.limit(3)).map(\.id) == Array(ids.prefix(3)), "\(plan)")
    }
  }

  @Test func `counts and extremes among rows of one value read none of them`() throws {
    let snapshot = try Self.filled.get()
    let day = Date(timeIntervalSinceReferenceDate: 60)
    let query = Post.where { $0.status == .published && $0.date > day }
    let dates = Self.posts.filter { $0.status == .published && $0.date > day }.map(\.date)
    var work = QueryWork()
    #expect(snapshot.state.context.count(query, &work) == dates.count)
    #expect(work == QueryWork())
    #expect(query.min(\.date).indexedValue(in: snapshot.state.context) == .some(dates.min()))
    #expect(query.max(\.date).indexedValue(in: snapshot.state.context) == .some(dates.max()))
    let likes = Self.posts.filter { $0.status == .draft }.compactMap(\.likes)
    let drafts = Post.where { $0.status == .draft }
    #expect(drafts.min(\.likes).indexedValue(in: snapshot.state.context) == .some(likes.min()))
    #expect(snapshot.value(of: drafts.max(\.likes)) == likes.max())
  }

  @Test func `an order that the index does not have is sorted`() throws {
    let snapshot = try Self.filled.get()
    let query = Post.where { $0.status == .draft }.sorted(by: \.title).limit(5)
    #expect(!query.explain(in: snapshot).contains("in order"))
    let mixed = Post.all.sorted(by: \.status).sorted(by: \.date, .descending).limit(5)
    #expect(!mixed.explain(in: snapshot).contains("in order"))
    // The first property of each index with the date has several values.
    for query in [
      Post.all.sorted(by: \.date).limit(5),
      Post.where { $0.status >= .published }.sorted(by: \.date).limit(5),
    ] {
      let rows = Self.posts.filter { query.description.contains("published") ? $0.status != .draft : true }
      #expect(
        snapshot.fetch(query).map(\.id) == Array(Self.sorted(rows, .ascending, Self.byDate).prefix(5)),
        "\(query)")
    }
    // Ties by the title would be in the order of likes.
    let short = Post.where { $0.shade == .red }.sorted(by: \.title).limit(9)
    #expect(!short.explain(in: snapshot).contains("in order"))
    let expected = Self.sorted(Self.posts.filter { $0.shade == .red }, .ascending) {
      $0.title == $1.title ? 0 : isBelow($0.title, $1.title) ? -1 : 1
    }
    #expect(snapshot.fetch(short).map(\.id) == Array(expected.prefix(9)))
  }

  @Test func `writes keep the index, in a transaction and after it was undone`() throws {
    let store = try Self.store()
    struct Undo: Error {}
    func check(_ fetch: (Query<Post>) -> [Int], _ rows: [Post]) {
      for status in Status.allCases {
        let query = Post.where { $0.status == status }.sorted(by: \.date, .descending).offset(3).limit(20)
        let ids = Self.sorted(rows.filter { $0.status == status }, .descending, Self.byDate)
        #expect(fetch(query) == Array(ids.dropFirst(3).prefix(20)))
      }
    }
    var rows = Self.posts
    try? store.write { tx in
      for id in stride(from: 0, to: 1_200, by: 4) {
        try tx.update(Post.self, id) { ($0.date, $0.status) = ($0.date.addingTimeInterval(1), .archived) }
        rows[id].date = rows[id].date.addingTimeInterval(1)
        rows[id].status = .archived
      }
      for id in [900, 500, 100] {
        try tx.delete(Post.self, id)
        rows.remove(at: id)
      }
      check({ tx.fetch($0).map(\.id) }, rows)
      throw Undo()
    }
    check({ store.fetch($0).map(\.id) }, Self.posts)
    let info = store.snapshot().state.catalog.entities[0]
    #expect(store.snapshot().state.tables[0]._checkInvariants(info) == nil)
  }
}
