import Foundation
import LiveStore
import TestSupport
import Testing

private typealias Indexed = Thing<WithIndexes>

private struct Post: Entity {
  let id: Int
  var title = ""
  var likes = 0
  var score: Double?
  var tags = RefList<Post>()
  var color = Paint.red
  static let schema = Schema<Post> {
    \.title
    Property(\.likes, .indexed)
    \.score
    Relation(\.tags)
    \.color
  }

  /// Comparable, but not Codable.
  enum Paint: Comparable { case red, green }
}

private struct Amount: Entity {
  let id: Int
  var value: Decimal
  var limit: Decimal?
  static let schema = Schema<Amount> {
    Property(\.value, .indexed)
    \.limit
  }
}

private struct Note: Entity {
  let id: Int
  var meta: JSONValue
  static let schema = Schema<Note> { \.meta }
}

@Suite struct `Pages of queries` {
  /// All pages of a query, each of the version that `change` leaves.
  private func pages<Element: Entity>(
    of query: Query<Element>, in store: Store, first count: Int, change: () throws -> Void = {}
  ) throws -> [ResultPage<Element>] {
    var pages: [ResultPage<Element>] = []
    var cursor: PageCursor?
    repeat {
      let page = try store.page(of: query, after: cursor, first: count)
      // A cursor is the same after a way through text.
      cursor = try page.next.map { try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode($0)) }
      #expect(cursor == page.next)
      pages.append(page)
      try change()
    } while cursor != nil && pages.count < 1_000
    return pages
  }

  /// A store with random things of both kinds.
  private func store(_ random: inout SplitMix64) throws -> Store {
    let store = try Store(Indexed.self, Thing<WithoutIndexes>.self)
    let count = random.int(0...40)
    let things = (0..<count).map { random.thing($0, codes: ["code \($0)"]) }
    try store.write { tx in
      try tx.insert(contentsOf: things)
      try tx.insert(contentsOf: things.map { $0.converted(to: WithoutIndexes.self) })
    }
    return store
  }

  @Test func `the pages of a version are its rows, in order, with indexes and without`() throws {
    for seed in Seeds.forSuite(25, thorough: 3_000) {
      var random = SplitMix64(seed: seed)
      let store = try store(&random)
      var (one, two) = (SplitMix64(seed: seed), SplitMix64(seed: seed))
      try check(one.query(for: WithIndexes.self), store, random.int(1...9), seed)
      try check(two.query(for: WithoutIndexes.self), store, random.int(1...9), seed)
    }
  }

  private func check<Mode: Indexing>(
    _ query: QueryCase<Mode>, _ store: Store, _ count: Int, _ seed: UInt64
  ) throws {
    let rows = store.fetch(query.query).map(\.id)
    let pages = try pages(of: query.query, in: store, first: count)
    #expect(pages.flatMap { $0.rows.map(\.id) } == rows, "LIVESTORE_SEED=\(seed): \(query.text)")
    #expect(pages.dropLast().allSatisfy { $0.rows.count == count }, "LIVESTORE_SEED=\(seed)")
    #expect(store.first(query.query)?.id == rows.first, "LIVESTORE_SEED=\(seed): \(query.text)")
    #expect(store.exists(query.query) == !rows.isEmpty, "LIVESTORE_SEED=\(seed): \(query.text)")
  }

  /// Bug: a cursor that went through a coder had the nearest `Double` of such a number, which is behind the row or before
  /// it.
  @Test func `a cursor has decimals of any digits exactly`() throws {
    let digits = [
      "9007199254740993.1", "9007199254740993.2", "9007199254740993.3", "0.12345678901234567890123", "-1e-30",
    ]
    let amounts = digits.compactMap { Decimal(string: $0) }
    let store = try Store(Amount.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: amounts.enumerated().map { Amount(id: $0, value: $1, limit: $0 == 1 ? nil : $1) })
    }
    for query in [
      Amount.all.sorted(by: \.value), Amount.all.sorted(by: \.value, .descending),
      Amount.all.sorted(by: \.limit),
    ] {
      let rows = try pages(of: query, in: store, first: 1).flatMap { $0.rows.map(\.id) }
      #expect(rows == store.fetch(query).map(\.id))
    }
  }

  /// Foundation's decoder ends the process at the number if it is asked for a whole one.
  @Test func `a cursor with a number that no coder should be asked for is no cursor`() {
    let number = "12345678901234567890\(String(repeating: "0", count: 140))e-141"
    for members in [
      #""tie":\#(number)"#, #""tie":"0","version":\#(number)"#, #""tie":"\#(number)""#, #""tie":"-1""#,
      #""tie":1"#,
    ] {
      let text = #"{"order":[],"texts":[],\#(members)}"#
      #expect(throws: DecodingError.self) { try JSONDecoder().decode(PageCursor.self, from: Data(text.utf8)) }
    }
  }

  @Test func `what a cursor says of itself is shown in a line of limited length`() throws {
    let store = try Store(Post.self)
    let order = "\\u001B]0;x\\u0007\\u202E\\u2028\(String(repeating: "e\\u0301", count: 50_000))"
    let text = #"{"order":["\#(order)"],"texts":[],"tie":"0"}"#
    let cursor = try JSONDecoder().decode(PageCursor.self, from: Data(text.utf8))
    let error = #expect(throws: StoreError.self) {
      try store.page(of: Post.all, after: cursor, first: 1)
    }
    #expect(error?.code == StoreError.invalidCursor)
    let message = error?.message ?? ""
    #expect(message.unicodeScalars.count < 600)
    #expect(message.contains("U+1B]0;xU+7U+202EU+2028"))
    #expect(!message.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{2028}" })
  }

  /// Page 1    insert, delete, update    page 2    insert, delete, update    page 3 …
  ///
  /// Each page is a run of the newest result, rows that no write touches are on one page, and nothing is skipped.
  @Test func `a row that stays in its place is on exactly one page, whatever is written in between`() throws {
    for seed in Seeds.forSuite(25, thorough: 3_000) {
      var (random, one, two) = (SplitMix64(seed: seed), SplitMix64(seed: seed), SplitMix64(seed: seed))
      try walk(one.query(for: WithIndexes.self, windows: false), &random, seed)
      try walk(two.query(for: WithoutIndexes.self, windows: false), &random, seed)
    }
  }

  private func walk<Mode: Indexing>(
    _ query: QueryCase<Mode>, _ random: inout SplitMix64, _ seed: UInt64
  ) throws {
    let store = try store(&random)
    var untouched = Set(store.fetch(query.query).map(\.id))
    var (seen, nextID, cursor): ([Int], Int, PageCursor?) = ([], 100, nil)
    repeat {
      let count = random.int(1...7)
      let page = try store.page(of: query.query, after: cursor, first: count)
      let all = store.fetch(query.query).map(\.id)
      let rows = page.rows.map(\.id)
      if let first = rows.first, let start = all.firstIndex(of: first) {
        let run = all[start...].prefix(count)
        #expect(rows == Array(run), "LIVESTORE_SEED=\(seed): \(query.text)")
        #expect((page.next == nil) == (run.endIndex == all.endIndex), "LIVESTORE_SEED=\(seed): \(query.text)")
        // Of the rows before it, those that no write touched were on earlier pages, and none of those behind it.
        #expect(Set(all[..<start]).intersection(untouched).isSubset(of: seen), "LIVESTORE_SEED=\(seed)")
        #expect(Set(all[start...]).intersection(untouched).isDisjoint(with: seen), "LIVESTORE_SEED=\(seed)")
      } else {
        #expect(untouched.isSubset(of: seen) && page.next == nil, "LIVESTORE_SEED=\(seed): \(query.text)")
      }
      seen += rows
      cursor = page.next
      for _ in 0..<random.int(0...4) {
        try store.write { tx in
          let ids = tx.fetch(Thing<Mode>.all).map(\.id)
          switch random.int(0...3) {
          case 0:
            try tx.insert(random.thing(nextID, codes: ["code \(nextID)"]).converted(to: Mode.self))
            nextID += 1
          // Often the very row that the cursor is behind.
          case 1:
            if let id = random.chance(1, in: 2) ? seen.last : ids.randomElement(using: &random) {
              try tx.delete(Thing<Mode>.self, id)
              untouched.remove(id)
            }
          default:
            if let id = random.chance(1, in: 2) ? seen.last : ids.randomElement(using: &random),
              tx[Thing<Mode>.self, id] != nil
            {
              let patch = random.patch(codes: ["code \(id)"])
              try tx.update(Thing<Mode>.self, id) { patch.apply(to: &$0) }
              untouched.remove(id)
            }
          }
        }
      }
    } while cursor != nil
    #expect(untouched.isSubset(of: seen), "LIVESTORE_SEED=\(seed): \(query.text)")
    #expect(untouched.allSatisfy { id in seen.count { $0 == id } == 1 }, "LIVESTORE_SEED=\(seed)")
  }

  @Test func `the pages of a list are its entries, also those that are in it twice`() throws {
    let store = try Store(Post.self)
    try store.write { tx in
      try tx.insert(contentsOf: (1...5).map { Post(id: $0, title: "\($0 % 2)") })
      try tx.insert(Post(id: 9, tags: RefList(ids: [3, 1, 3, 5, 2, 1])))
    }
    for (query, ids) in [
      (Post.linked(from: \Post.tags, of: 9), [3, 1, 3, 5, 2, 1]),
      (Post.linked(from: \Post.tags, of: 9).sorted(by: \.title), [2, 3, 1, 3, 5, 1]),
    ] {
      for count in 1...7 {
        #expect(try pages(of: query, in: store, first: count).flatMap { $0.rows.map(\.id) } == ids)
      }
    }
    let query = Post.linked(from: \Post.tags, of: 9)
    let page = try store.page(of: query, first: 2)
    try store.write { tx in try tx.update(Post.self, 9) { $0.tags.remove(at: 0) } }
    #expect(try store.page(of: query, after: page.next, first: 2).rows.map(\.id) == [3, 5])
  }

  @Test func `a transaction has pages of what it wrote`() throws {
    let store = try Store(Post.self)
    try store.write { tx in
      let (none, exists) = (tx.first(Post.all), tx.exists(Post.all))
      #expect(none == nil && !exists)
      try tx.insert(contentsOf: (1...3).map { Post(id: $0, likes: -$0) })
      let page = try tx.page(of: Post.sorted(by: \.likes), first: 2)
      try tx.delete(Post.self, 2)
      #expect(page.rows.map(\.id) == [3, 2])
      let rest = try tx.page(of: Post.sorted(by: \.likes), after: page.next, first: 2)
      #expect(rest.rows.map(\.id) == [1])
      let (first, isThere) = (tx.first(Post.sorted(by: \.likes)), tx.exists(Post.where { $0.likes == -1 }))
      #expect(first?.id == 3 && isThere)
    }
  }

  @Test func `an optimistic transaction conflicts if what it asked for first is another`() async throws {
    let store = try Store(Post.self)
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      let (isEmpty, page) = (!tx.exists(Post.all), try tx.page(of: Post.all, first: 1))
      if runs == 1 { try await store.write { tx in try tx.insert(Post(id: 1)) } }
      if isEmpty && page.rows.isEmpty { try tx.insert(Post(id: 2)) }
    }
    #expect(runs == 2)
    #expect(store.fetch(Post.all).map(\.id) == [1])
  }

  @Test func `a page has at least one row, and a query that cannot be evaluated none`() throws {
    let store = try Store(Post.self)
    try store.write { tx in try tx.insert(contentsOf: (1...3).map { Post(id: $0) }) }
    for count in [1, 0, -1, .min] {
      let page = try store.page(of: Post.all, first: count)
      #expect(page.rows.map(\.id) == [1] && page.next != nil)
    }
    let page = try store.page(of: Post.all, first: .max)
    #expect(page.rows.count == 3 && page.next == nil)
    #expect(try store.page(of: Indexed.all, first: 1).rows.error?.code == StoreError.unknownEntity)
  }

  @Test func `a cursor of another query is an error that names both`() throws {
    let store = try Store(Post.self, Indexed.self)
    try store.write { tx in try tx.insert(contentsOf: (1...3).map { Post(id: $0) }) }
    let cursor = try store.page(of: Post.sorted(by: \.likes), first: 1).next
    let others = [
      Post.all, Post.sorted(by: \.likes, .descending), Post.sorted(by: \.title),
      Post.sorted(by: \.likes).sorted(by: \.title),
    ]
    for other in others {
      let error = #expect(throws: StoreError.self) { try store.page(of: other, after: cursor, first: 1) }
      #expect(error?.code == StoreError.invalidCursor)
      #expect(error?.message.contains("of a query of Post sorted by likes, not of Post ") == true)
    }
    let error = #expect(throws: StoreError.self) { try store.page(of: Indexed.all, after: cursor, first: 1) }
    #expect(error?.code == StoreError.invalidCursor)
    // Another filter is no other order.
    #expect(
      try store.page(of: Post.sorted(by: \.likes).where { $0.id > 2 }, after: cursor, first: 1).rows.count
        == 1)
  }

  @Test(arguments: [
    #"{"order":["Post","likes"],"texts":[],"tie":"1"}"#,
    #"{"order":["Post","likes"],"texts":["\"x\""],"tie":"1"}"#,
    #"{"order":["Post","likes"],"texts":["1","2"],"tie":"1"}"#, #"{"order":[],"texts":[],"tie":"0"}"#,
    #"{"order":["Post","likes"],"texts":["null"],"tie":"1"}"#,
  ])
  func `a cursor that was tampered with is an error`(text: String) throws {
    let store = try Store(Post.self)
    try store.write { tx in try tx.insert(Post(id: 1)) }
    let cursor = try JSONDecoder().decode(PageCursor.self, from: Data(text.utf8))
    let error = #expect(throws: StoreError.self) {
      try store.page(of: Post.sorted(by: \.likes), after: cursor, first: 1)
    }
    #expect(error?.code == StoreError.invalidCursor)
    // One sort is not contrasted with itself.
    let isOfThisSort = text.contains(#""order":["Post","likes"]"#)
    #expect(
      error?.message.contains("not of Post sorted by likes") == !isOfThisSort, "\(error?.message ?? "")")
    #expect(error?.message.contains("has no such values") == isOfThisSort)
  }

  @Test func `a sort by values that cannot be encoded is an error, unless one page has all rows`() throws {
    let store = try Store(Post.self)
    try store.write { tx in try tx.insert(contentsOf: (1...3).map { Post(id: $0) }) }
    let query = Post.sorted(by: \.color)
    #expect(try store.page(of: query, first: 3).rows.count == 3)
    let error = #expect(throws: StoreError.self) { try store.page(of: query, first: 2) }
    #expect((error?.code, error?.property) == (StoreError.invalidCursor, "color"))
  }

  /// Bug: the message only asked to make the type Codable, which `Decimal` is.
  @Test func `a page that ends at a decimal that is no number is an error that says so`() throws {
    let store = try Store(Amount.self)
    try store.write { tx in
      for id in 1...3 { try tx.insert(Amount(id: id, value: id == 2 ? .nan : 1)) }
    }
    let query = Amount.sorted(by: \.value)
    let first = store.fetch(query).map(\.id).firstIndex(of: 2) ?? 0
    let error = #expect(throws: StoreError.self) { try store.page(of: query, first: first + 1) }
    #expect((error?.code, error?.property) == (StoreError.invalidCursor, "value"))
    #expect(error?.message.contains("a Decimal no NaN") == true, "\(error?.message ?? "")")
  }

  /// Bug: such a cursor, which a client can make, ended the process on a small stack.
  @Test func `a cursor with JSON of many levels is read`() throws {
    let worker = Worker {
      let store = try Store(Note.self)
      let deep = try JSONValue(
        parsing: String(repeating: "[", count: 400) + String(repeating: "]", count: 400))
      try store.write { tx in
        try tx.insert(Note(id: 1, meta: deep))
        try tx.insert(Note(id: 2, meta: .array([deep])))
      }
      let query = Note.sorted(by: \.meta)
      let cursor = try store.page(of: query, first: 1).next
      let read = try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode(cursor))
      #expect(try store.page(of: query, after: read, first: 1).rows.map(\.id) == [2])
    }
    try worker.join()
  }

  @Test func `a page deep in an index tests only its own rows`() throws {
    let store = try Store(Post.self)
    let count = Environment.size(1_000, thorough: 5_000)
    let before = count / 2 + 3
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Post(id: $0, likes: $0 % (count / 5)) })
    }
    for query in [Post.all, Post.sorted(by: \.likes), Post.sorted(by: \.likes, .descending)] {
      let tests = Recorder<Int>()
      let cursor = try store.page(of: query, first: before).next
      let counted = query.filter { post in
        tests.append(post.id)
        return true
      }
      let rows = try store.page(of: counted, after: cursor, first: 10).rows.map(\.id)
      #expect(rows == store.fetch(query).map(\.id)[before..<before + 10].map { $0 })
      #expect(tests.count <= 64, "\(query)")
    }
  }

  @Test func `the first row of an indexed value, and whether there is one, tests few rows`() throws {
    let store = try Store(Post.self)
    let count = Environment.size(1_000, thorough: 5_000)
    try store.write { tx in try tx.insert(contentsOf: (0..<count).map { Post(id: $0, likes: $0 % 10) }) }
    let tests = Recorder<Int>()
    let query = Post.where { $0.likes == 1 }.filter { post in
      tests.append(post.id)
      return true
    }
    #expect(store.first(query)?.id == 1)
    #expect(store.exists(query))
    #expect(tests.count == 2)
  }
}
