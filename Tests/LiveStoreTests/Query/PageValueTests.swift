import Foundation
import LiveStore
import TestSupport
import Testing

private struct Note: Entity {
  let id: Int
  var extra: JSONValue?
  var meta: [String: JSONValue] = [:]
  var slug = ""
  static let schema = Schema<Note> {
    \.extra
    \.meta
    Property(\.slug, .unique)
  }
}

private struct Document: DynamicEntity {
  let id: Int
  let json: JSONValue
  static let schema = Schema<Document>(dynamic: { document, path in document.json[path: path] })
}

/// Bug: a coder rounds numbers, and takes a JSON null for no value.
@Suite struct `Pages that are sorted by values that a coder changes` {
  private func ids<Element: Entity>(_ query: Query<Element>, _ store: Store, first count: Int) throws
    -> [Element.ID]
  {
    var (ids, cursor) = ([Element.ID](), PageCursor?.none)
    repeat {
      let page = try store.page(of: query, after: cursor, first: count)
      ids += page.rows.map(\.id)
      cursor = try page.next.map { try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode($0)) }
    } while cursor != nil && ids.count < 100
    return ids
  }

  @Test func `optional JSON gives each row on one page, also numbers of many digits, nulls and none`() throws
  {
    let texts = [
      "0.1234567890123456789", "0.1234567890123456789", "0.12345678901234567891", "12345678901234567499999",
      "12345678901234567499999", "null", "null", "null", nil, nil, "[]", "[null]", "[[]]", "{}", "\"x\"",
    ]
    let store = try Store(Note.self)
    try store.write { tx in
      for (id, text) in texts.enumerated() {
        try tx.insert(Note(id: id, extra: text.map { try JSONValue(parsing: $0) }, slug: "\(id)"))
      }
    }
    for order in [SortOrder.forward, .reverse] {
      let query = Note.sorted(by: \.extra, order == .forward ? .ascending : .descending)
      for count in 1...4 { #expect(try ids(query, store, first: count) == store.fetch(query).map(\.id)) }
    }
  }

  @Test func `values under a key of a dictionary may be null, or not there`() throws {
    let store = try Store(Note.self)
    try store.write { tx in
      for id in 0..<9 {
        let meta: [String: JSONValue] =
          id % 3 == 0 ? [:] : id % 3 == 1 ? ["a": .null] : ["a": .number(.init(id))]
        try tx.insert(Note(id: id, meta: meta, slug: "\(id)"))
      }
    }
    let query = try Note.query(format: #"TRUEPREDICATE SORT(meta["a"] ASC)"#)
    for count in 1...4 { #expect(try ids(query, store, first: count) == store.fetch(query).map(\.id)) }
  }

  /// Bug: a sort by a member of a member, and one by a member whose name has a dot in it, had one text.
  @Test func `a cursor of a dynamic object is one of the path that it names`() throws {
    let store = try Store(Document.self)
    try store.write { tx in
      for id in 0..<4 {
        let body = try JSONValue(
          parsing: #"{"a": {"b": \#(id)}, "a.b": \#(-id), "a descending": \#(id % 2)}"#)
        try tx.insert(Document(id: id, json: body))
      }
    }
    let queries = try ["a.b ASC", "`a.b` ASC", "`a descending` ASC", "a DESC"].map { text in
      try Document.query(format: "TRUEPREDICATE SORT(\(text))")
    }
    for (number, query) in queries.enumerated() {
      let cursor = try store.page(of: query, first: 2).next
      for (other, query) in queries.enumerated() where other != number {
        let error = #expect(throws: StoreError.self) { try store.page(of: query, after: cursor, first: 2) }
        #expect(error?.code == StoreError.invalidCursor, "\(number), \(other)")
      }
      #expect(try store.page(of: query, after: cursor, first: 2).rows.count == 2)
    }
  }
}

@Suite struct `Pages of a transaction` {
  /// Bug: the next transaction gives the same places to other rows.
  @Test func `a cursor of one that did not commit is refused`() throws {
    struct Failure: Error {}
    let store = try Store(Note.self)
    var cursor: PageCursor?
    #expect(throws: Failure.self) {
      try store.write { tx in
        try tx.insert(contentsOf: (0..<6).map { Note(id: $0, slug: "\($0)") })
        cursor = try tx.page(of: Note.all, first: 3).next
        throw Failure()
      }
    }
    try store.write { tx in try tx.insert(contentsOf: (10..<16).map { Note(id: $0, slug: "\($0)") }) }
    let error = #expect(throws: StoreError.self) { try store.page(of: Note.all, after: cursor, first: 3) }
    #expect(error?.code == StoreError.invalidCursor)
    #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.page(of: Note.all, after: cursor, first: 3) }
    }
    // One of a version is of use in a transaction.
    let kept = try store.page(of: Note.all, first: 3).next
    try store.write { tx in
      let ids = try tx.page(of: Note.all, after: kept, first: 9).rows.map(\.id)
      #expect(ids == [13, 14, 15])
    }
  }

  @Test func `a cursor of a savepoint that was undone is refused`() throws {
    struct Failure: Error {}
    let store = try Store(Note.self)
    try store.write { tx in
      var cursor: PageCursor?
      do {
        try tx.savepoint { tx in
          try tx.insert(contentsOf: (0..<4).map { Note(id: $0, slug: "\($0)") })
          cursor = try tx.page(of: Note.all, first: 2).next
          throw Failure()
        }
      } catch is Failure {}
      try tx.insert(contentsOf: (4..<8).map { Note(id: $0, slug: "\($0)") })
      do {
        _ = try tx.page(of: Note.all, after: cursor, first: 2)
        Issue.record("it was accepted")
      } catch let error as StoreError {
        #expect(error.code == StoreError.invalidCursor)
      }
    }
  }

  /// Bug: the second was passed over.
  @Test func `rows that share a value of a unique property meanwhile are all shown`() throws {
    let store = try Store(Note.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<4).map { Note(id: $0, slug: "same") })
      let query = Note.sorted(by: \.slug)
      let first = try tx.page(of: query, first: 1)
      let rest = try tx.page(of: query, after: first.next, first: 9)
      #expect(first.rows.map(\.id) + rest.rows.map(\.id) == [0, 1, 2, 3])
      for id in 1..<4 { try tx.update(Note.self, id) { $0.slug = "\(id)" } }
    }
  }
}
