import Foundation
import LiveStore
import Testing

@Suite("Filters as values, and what typed filters can say") struct FilterValueTests {
  struct Item: Entity {
    var id = 0, name = "", label: String?, count = 0, limit: Double = 0, paid = Decimal(0)
    var scores: [Int] = []
    var colors: Set<String> = []
    var metadata: [String: String] = [:]
    static let schema = Schema<Item> {
      \.name
      \.label
      Property(\.count, .indexed)
      \.limit
      \.paid
      \.scores
      \.colors
      \.metadata
    }
  }

  static let items = [
    Item(
      id: 1, name: "Tea", label: "te", count: 2, limit: 0.1, paid: 0.1, scores: [4, 1], colors: ["red"],
      metadata: ["k": "v"]),
    Item(id: 2, name: "tea", count: 5, limit: 5, scores: [2], colors: ["red", "blue"]),
    Item(id: 3, name: "Coffee", label: "C*", count: .max, limit: .nan),
  ]

  private func ids(_ query: Query<Item>) throws -> [Int] {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: Self.items) }
    return Array(store.fetch(query).ids)
  }

  @Test func `filters are joined at run time, and a missing one is no condition`() throws {
    let large = Filter<Item> { $0.count > 3 }
    let red = Filter<Item> { $0.colors.contains("red") }
    #expect(try ids(Item.where(.all(of: [large, red]))) == [2])
    #expect(try ids(Item.where(.any(of: [large, red]))) == [1, 2, 3])
    #expect(try ids(Item.where(.none(of: [large, red]))) == [])
    #expect(try ids(Item.where(large && !red)) == [3])
    #expect(try ids(Item.where(.all(of: []))) == [1, 2, 3])
    #expect(try ids(Item.where(.any(of: []))) == [])
    let none: Filter<Item>? = nil
    #expect(Item.where(none) == Item.all)
    #expect(Item.where(large) == Item.where { $0.count > 3 })
    #expect(Filter.all(of: [large, large, .everything]) == large)
    #expect(Filter.any(of: [large, .nothing, large]) == large)
    #expect(Filter.all(of: [large, .nothing]) == .nothing)
    #expect(try Filter<Item>(format: "count > %@", 3) == large)
    #expect("\(large || red)" == "count > 3 OR colors CONTAINS \"red\"")
  }

  @Test func `text is tested by patterns`() throws {
    let word = try TextPattern("[Tt]e.")
    #expect(try ids(Item.where { $0.name.matches(word) }) == [1, 2])
    let error = #expect(throws: StoreError.self) { try TextPattern("(a") }
    #expect(error?.column == 1)
  }

  @Test func `what is computed of the numbers of a row is an operand like others`() throws {
    #expect(try ids(Item.all.sorted(.descending) { $0.count * -1 }) == [1, 2, 3])
    #expect(Item.where { $0.count + 1 > 2 } == Item.where { $0.count + 1 > 2 })
    #expect(Item.where { $0.count + 1 > 2 } != Item.where { $0.count + 2 > 2 })
    #expect("\(Item.where { $0.count * 2 - 1 == 9 })" == "Item.where { ((count * 2) - 1) == 9 }")
  }

  @Test func `a change of either operand of an operation changes a live query`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: Self.items) }
    let query = Item.where { $0.limit + $0.count.double > 6 }
    var changes = store.values(of: query).makeAsyncIterator()
    #expect(try await changes.next()?.ids.map(\.self) == [2])
    try await store.write { tx in try tx.update(Item.self, 1) { $0.limit = 9 } }
    #expect(try await changes.next()?.ids.map(\.self) == [1, 2])
    try await store.write { tx in try tx.update(Item.self, 2) { $0.count = 0 } }
    #expect(try await changes.next()?.ids.map(\.self) == [1])
  }
}
