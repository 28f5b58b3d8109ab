import LiveStore
import Testing

private struct Item: Entity {
  let id: Int
  var price = 0
  var size = 0
  var title = ""
  static let schema = Schema<Item> {
    Property(\.price, .indexed)
    Property(\.size, .indexed)
    \.title
  }
}

/// What an evaluation says of itself.
@Suite struct AnalysisTests {
  private func snapshot() throws -> Snapshot {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: (0..<1_000).map { Item(id: $0, price: $0 % 100, size: $0 % 50, title: "\($0 % 3)") })
    }
    return store.snapshot()
  }

  @Test func `a query says how many rows it tested, found and read entries for`() throws {
    let snapshot = try snapshot()
    func numbers(_ query: Query<Item>) -> [Int] {
      let analysis = query.analyze(in: snapshot)
      #expect(analysis.plan == query.explain(in: snapshot))
      #expect(analysis.foundRows == snapshot.fetch(query).count)
      return [analysis.estimatedRows, analysis.testedRows, analysis.foundRows, analysis.indexEntries]
    }
    #expect(numbers(Item.all) == [0, 0, 1_000, 0])
    #expect(numbers(Item.where { $0.title == "1" }) == [1_000, 1_000, 333, 0])
    #expect(numbers(Item.where { $0.price == 7 }) == [10, 10, 10, 10])
    #expect(numbers(Item.where { $0.price == 7 && $0.title == "1" }) == [10, 10, 4, 10])
    #expect(numbers(Item.where { $0.price == 7 || $0.size == 9 }) == [30, 30, 30, 30])
    #expect(numbers(Item.where { $0.price >= 90 }.sorted(by: \.price).limit(5)) == [100, 5, 5, 5])
    #expect(numbers(Item.where { $0.price >= 90 }.sorted(by: \.price).offset(50).limit(5)) == [100, 5, 5, 5])
    #expect(numbers(Item.where { $0.id == 4 }) == [1, 1, 1, 0])
    // The second step tests the window of the first.
    #expect(numbers(Item.where { $0.price == 7 }.limit(6).where { $0.title == "1" }) == [10, 12, 2, 6])
  }

  @Test func `a count and an extreme that an index gives say so`() throws {
    let snapshot = try snapshot()
    let count = Item.where { $0.price >= 90 }.count
    #expect(count.explain(in: snapshot) == "ranks in index Item.price")
    #expect(
      "\(count.analyze(in: snapshot))"
        == "ranks in index Item.price; tested 0 rows, found 100, read 0 index entries")
    let tested = Item.where { $0.title == "1" }.count
    #expect(tested.explain(in: snapshot) == "scan Item: 1000 rows, filter title == \"1\", counted")
    #expect(tested.analyze(in: snapshot).testedRows == 1_000)
    #expect(Item.all.max(\.price).explain(in: snapshot) == "end of index Item.price.max(\\.price)")
    #expect(
      Item.where { $0.price < 9 }.max(\.price).explain(in: snapshot).hasPrefix("end of index Item.price"))
    #expect(Item.where { $0.title == "1" }.max(\.price).explain(in: snapshot).hasPrefix("scan Item"))
  }
}
