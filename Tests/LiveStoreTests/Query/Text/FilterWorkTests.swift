import Foundation
import LiveStore
import Testing

private struct Blob: Entity {
  let id: Int
  var bytes = Data()
  static let schema = Schema<Blob> { \.bytes }
}

/// What a filter from outside computes for each row counts towards the rows that it may visit.
@Suite(.timeLimit(.minutes(10))) struct `The work of filters from outside` {
  private func store(_ count: Int, _ bytes: Int) throws -> Store {
    let store = try Store(Blob.self)
    try store.write { tx in
      for id in 0..<count { try tx.insert(Blob(id: id, bytes: Data(count: bytes))) }
    }
    return store
  }

  /// Bug: data was searched without a visit, however long it was.
  @Test(arguments: ["CONTAINS", "BEGINSWITH", "ENDSWITH"])
  func `data that is searched counts towards the rows that may be visited`(relation: String) throws {
    let store = try store(10, 1 << 20)
    let query = try Blob.where(format: "bytes \(relation) %@", Data(count: 3))
    #expect(store.fetch(query).count == 10)
    #expect(store.fetch(query.visiting(atMost: 10_000)).error?.limit == .visits)
  }

  /// Bug: 126 products of 38 digits for each row were none of its visits.
  @Test func `a power of decimals counts towards the rows that may be visited`() throws {
    let store = try store(200, 0)
    let query = try Blob.where(
      format: #"CAST("1.0000000000000000001", "NSDecimalNumber") ** 9223372036854775807 > 0 AND id >= 0"#)
    #expect(store.fetch(query).count == 200)
    #expect(store.fetch(query.visiting(atMost: 5_000)).error?.limit == .visits)
  }
}

private struct Person: Entity {
  let id: Int
  var age = 0
  var children = RefList<Person>()
  static let schema = Schema<Person> {
    \.age
    \.children
  }
}

/// What was compiled or written twice at each level doubled the time with each: it would never end.
@Suite(.timeLimit(.minutes(10))) struct `Subqueries in subqueries` {
  /// A text with a subquery at each level, in `end`.
  private func nested(_ levels: Int, _ end: String) -> String {
    var text = "$v\(levels).age > 3"
    for level in (1...levels).reversed() {
      let path = level == 1 ? "children" : "$v\(level - 1).children"
      text = "SUBQUERY(\(path), $v\(level), \(text)).@count \(end)"
    }
    return text
  }

  private func store() throws -> Store {
    let store = try Store(Person.self)
    try store.write { tx in
      for id in 1...30 { try tx.insert(Person(id: id, age: id, children: id < 30 ? [Ref(id + 1)] : [])) }
    }
    return store
  }

  /// Bug: beside a number that is an argument, a subquery was compiled three times, and so those in it.
  @Test(arguments: ["* %@ > 0.5", "/ 1 * %@ > 0.5", "> %@ * 0.25"])
  func `subqueries beside numbers that have a type are compiled once`(end: String) throws {
    let query = try Person.where(
      format: nested(25, end), arguments: Array(repeating: 2.0, count: 25))
    #expect(try store().fetch(query).map(\.id) == Array(1...5))
  }

  /// Bug: the negation of a subquery was written as one of its opposite first, which was thrown away.
  @Test func `the text of negated subqueries is made once`() throws {
    let query = try Person.where(format: nested(16, "== 0"))
    let text = try #require(query.format)
    #expect(try Person.where(format: text) == query)
    // This one has more parentheses than are read.
    #expect(try Person.where(format: nested(60, "== 0")).format == nil)
  }
}
