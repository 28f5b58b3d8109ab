import LiveStore
import TestSupport
import Testing

private struct Rated: Entity {
  let id: Int
  var score = 0
  var grade = 0.0
  var title = ""
  static let schema = Schema<Rated> {
    Property(\.score, .indexed)
    Property(\.grade, .indexed)
    Property(\.title, .indexed)
  }
}

/// Windows far down a result in the order of an index: the rows before them are passed over by their rank.
@Suite struct DeepPageTests {
  private static let rows = (0..<600).map { id in
    // Groups of several sizes; titles whose first eight bytes are equal.
    Rated(
      id: id, score: [id * 37 % 60, 7, 40][id % 3], grade: id % 10 == 0 ? .nan : Double(id % 4),
      title: "a long title \(id * 7 % 5)")
  }

  private typealias Case = (query: Query<Rated>, ids: [Int])

  private static func order(_ direction: SortDirection, _ key: (Rated, Rated) -> Int, _ rows: [Rated])
    -> [Int]
  {
    rows.enumerated().sorted { left, right in
      let result = key(left.element, right.element)
      return result == 0 ? left.offset < right.offset : (result < 0) == (direction == .ascending)
    }.map(\.element.id)
  }

  private static func cases(_ direction: SortDirection) -> [Case] {
    func byScore(_ lhs: Rated, _ rhs: Rated) -> Int { lhs.score - rhs.score }
    func byTitle(_ lhs: Rated, _ rhs: Rated) -> Int {
      lhs.title == rhs.title ? 0 : lhs.title < rhs.title ? -1 : 1
    }
    func byGrade(_ lhs: Rated, _ rhs: Rated) -> Int {
      let (left, right) = (lhs.grade.isNaN ? -1 : lhs.grade, rhs.grade.isNaN ? -1 : rhs.grade)
      return left == right ? 0 : left < right ? -1 : 1
    }
    return [
      (Rated.all.sorted(by: \.score, direction), order(direction, byScore, rows)),
      (Rated.all.sorted(by: \.title, direction), order(direction, byTitle, rows)),
      (Rated.all.sorted(by: \.grade, direction), order(direction, byGrade, rows)),
      (
        Rated.where { $0.grade <= 2 }.sorted(by: \.grade, direction),
        order(direction, byGrade, rows.filter { $0.grade <= 2 })
      ),
      (
        Rated.where { $0.score > 7 }.sorted(by: \.score, direction),
        order(direction, byScore, rows.filter { $0.score > 7 })
      ),
      (
        Rated.where { $0.score.in([7, 40, 12]) }.sorted(by: \.score, direction),
        order(direction, byScore, rows.filter { [7, 40, 12].contains($0.score) })
      ),
      (Rated.where { $0.score == 7 }, rows.filter { $0.score == 7 }.map(\.id)),
    ]
  }

  /// The rank of the first row, up to the last of all and beyond.
  private static let offsets: [Int] =
    (Environment.isThorough ? Array(0...30) : [0, 1, 2, 3, 17, 30])
    + [199, 200, 201, 250, 300, 410, 598, 599, 600, 700]

  @Test(arguments: [SortDirection.ascending, .descending])
  func `a window far down reads its own rows alone`(direction: SortDirection) throws {
    let store = try Store(Rated.self)
    try store.write { try $0.insert(contentsOf: Self.rows) }
    let snapshot = store.snapshot()
    for (query, ids) in Self.cases(direction) {
      for offset in Self.offsets {
        for limit in [1, 5, 1_000] {
          let window = query.offset(offset).limit(limit)
          var work = QueryWork()
          let found = snapshot.state.context.evaluate(window.stages, 0, &work)
          let results = snapshot.fetch(window)
          #expect(results.map(\.id) == Array(ids.dropFirst(offset).prefix(limit)), "\(window)")
          #expect(found.count == results.count && results.ids.count == results.count)
          // Where the window is large beside the rows, all are read; a leaf of the table has 32.
          if limit < 10 {
            #expect(work.rowsTested <= (offset < 2 ? 32 : results.count), "\(window): \(work)")
            #expect(work.entriesRead <= results.count, "\(window): \(work)")
          }
          for place in [0, results.count / 2, results.count - 1] where results.indices.contains(place) {
            #expect(results.firstIndex(id: results[place].id) == place)
          }
        }
      }
    }
  }

  @Test func `a further condition is tested from the first row on`() throws {
    let store = try Store(Rated.self)
    try store.write { try $0.insert(contentsOf: Self.rows) }
    let query = Rated.where { $0.score > 7 && $0.grade >= 0 }.sorted(by: \.score).offset(100).limit(5)
    let expected = Self.order(
      .ascending, { $0.score - $1.score }, Self.rows.filter { $0.score > 7 && $0.grade >= 0 })
    #expect(store.fetch(query).map(\.id) == Array(expected[100..<105]))
  }

  @Test func `what a step adds after the window sees the window`() throws {
    let store = try Store(Rated.self)
    try store.write { try $0.insert(contentsOf: Self.rows) }
    let query = Rated.all.sorted(by: \.score).offset(300).limit(50)
    let page = Self.order(.ascending, { $0.score - $1.score }, Self.rows)[300..<350]
    let filtered = query.where { $0.grade >= 2 }.sorted(by: \.title)
    let rows = page.map { Self.rows[$0] }.filter { $0.grade >= 2 }
    let sorted = rows.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
    #expect(store.fetch(filtered).map(\.id) == sorted.map(\.id))
    #expect(store.count(query) == 50)
    #expect(store.count(Rated.all.sorted(by: \.score).offset(590).limit(50)) == 10)
  }
}
