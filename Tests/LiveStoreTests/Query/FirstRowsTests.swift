import LiveStore
import TestSupport
import Testing

private struct Rated: Entity {
  let id: Int
  var score = 0
  var best: Int?
  static let schema = Schema<Rated> {
    Property(\.score, .indexed)
    Property(\.best, .indexed)
  }
}

/// The first rows of a filtered and ordered query, where one index serves the filter and the order.
@Suite struct FirstRowsTests {
  private static let rows = (0..<1_000).map { id in
    // Each score has five rows, in scattered order; every third row has no best score.
    Rated(id: id, score: id * 37 % 200, best: id % 3 == 0 ? nil : id * 7 % 90)
  }

  private func snapshot() throws -> Snapshot {
    let store = try Store(Rated.self)
    try store.write { try $0.insert(contentsOf: Self.rows) }
    return store.snapshot()
  }

  /// The rows that pass, by score in a direction; ties in order of insertion.
  private func expected(_ direction: SortDirection, _ isIncluded: (Rated) -> Bool) -> [Int] {
    Self.rows.filter(isIncluded).enumerated().sorted { left, right in
      if left.element.score == right.element.score { return left.offset < right.offset }
      return (left.element.score < right.element.score) == (direction == .ascending)
    }.map(\.element.id)
  }

  private typealias Condition = (filter: Filter<Rated>, test: @Sendable (Rated) -> Bool)

  private static let conditions: [Condition] = [
    (Filter { $0.score > 120 }, { $0.score > 120 }), (Filter { $0.score >= 120 }, { $0.score >= 120 }),
    (Filter { $0.score < 7 }, { $0.score < 7 }),
    (Filter { $0.score.in(40..<60) }, { (40..<60).contains($0.score) }),
    (Filter { $0.score.in([3, 150, 77]) }, { [3, 150, 77].contains($0.score) }),
    (Filter { $0.score < 10 || $0.score > 190 }, { $0.score < 10 || $0.score > 190 }),
    (Filter { $0.score > 300 }, { $0.score > 300 }), (Filter { $0.score >= 0 }, { _ in true }),
  ]

  @Test(arguments: [SortDirection.ascending, .descending])
  func `a window over a range in the order of its index reads its own rows alone`(direction: SortDirection)
    throws
  {
    let snapshot = try snapshot()
    for (filter, test) in Self.conditions {
      for (offset, limit) in [(0, 1), (0, 20), (3, 4), (0, 7), (17, 2), (0, 2_000)] {
        let tested = Recorder<Int>()
        let query = Rated.where(filter).filter { row in
          tested.append(row.id)
          return true
        }.sorted(by: \.score, direction).offset(offset).limit(limit)
        let window = Array(expected(direction, test).prefix(offset + limit))
        #expect(snapshot.fetch(query).map(\.id) == Array(window.dropFirst(offset)), "\(query)")
        #expect(tested.events == window, "\(query)")
      }
    }
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `pages through a range in the order of its index read each row once`(direction: SortDirection) throws {
    let snapshot = try snapshot()
    for (filter, test) in Self.conditions {
      let tested = Recorder<Int>()
      let query = Rated.where(filter).filter { row in
        tested.append(row.id)
        return true
      }.sorted(by: \.score, direction)
      var (ids, cursor, pages): ([Int], PageCursor?, Int) = ([], nil, 0)
      repeat {
        let page = try snapshot.page(of: query, after: cursor, first: 9)
        ids += page.rows.map(\.id)
        cursor = page.next
        pages += 1
      } while cursor != nil
      #expect(ids == expected(direction, test), "\(query)")
      // The first row of the next page shows that there is one.
      #expect(tested.count == ids.count + pages - 1, "\(query)")
    }
  }

  @Test func `an order by another index than that of the range reads all rows of the range`() throws {
    let snapshot = try snapshot()
    let query = Rated.where { $0.score < 4 }.sorted(by: \.best).limit(3)
    let rows = Self.rows.filter { $0.score < 4 }
    let order = rows.enumerated().sorted { left, right in
      let (a, b) = (left.element.best ?? -1, right.element.best ?? -1)
      return a == b ? left.offset < right.offset : a < b
    }
    #expect(snapshot.fetch(query).map(\.id) == order.prefix(3).map(\.element.id))
    #expect(query.explain(in: snapshot).hasPrefix("index Rated.score: 20 of 1000 rows"))
  }

  @Test func `the plan says how many rows the range has`() throws {
    let query = Rated.where { $0.score >= 100 }.sorted(by: \.score).limit(20)
    #expect(
      query.explain(in: try snapshot()).hasPrefix("index Rated.score in order: until 20 of 500 rows match"))
  }

  @Test func `missing values come first in the order of an index, and no range has them`() throws {
    let snapshot = try snapshot()
    let all = Rated.all.sorted(by: \.best).limit(2)
    #expect(snapshot.fetch(all).map(\.id) == [0, 3])
    let some = Rated.where { $0.best >= 0 }.sorted(by: \.best).limit(1)
    let first = Self.rows.filter { $0.best != nil }.min { ($0.best ?? 0, $0.id) < ($1.best ?? 0, $1.id) }
    #expect(snapshot.fetch(some).first?.id == first?.id)
  }
}
