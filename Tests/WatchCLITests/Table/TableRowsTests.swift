import LiveStore
import Testing
import livestore_watch

@Suite struct TableRowsTests {
  @Test(arguments: [
    (["--sort", "n"], [1, 4, 0, 3, 5, 2]), (["--sort", "n:desc", "--limit", "3"], [1, 4, 0]),
    (["--distinct", "n"], [1, 0, 5, 2]),
  ])
  func `an order that is chosen in a table is the first, and selects no other objects`(
    arguments: [String], ids: [Int]
  ) throws {
    guard case .watch(let options) = try Invocation(arguments: arguments) else { return }
    let values = [("b", 4), ("a", 3), ("e", 2), ("c", 3), ("a", 4), ("c", 1)]
    let store = try Store(Document.self)
    try store.write { tx in
      for (id, value) in values.enumerated() {
        let body: JSONValue = ["name": .string(value.0), "n": JSONValue(value.1)]
        try tx.insert(Document(id: JSONValue(id), body: body))
      }
    }
    let order = livestore_watch.SortKey(path: .init(steps: ["name"]), isDescending: false)
    let rows = TableRows(store.snapshot().fetch(options.query.reordered(by: order)), order: order)
    #expect((0..<rows.count).map { rows[$0].id } == ids.map { JSONValue($0) })
    #expect(rows.position(like: Document(id: 1, body: .null)) == 0)
    #expect(rows.position(like: Document(id: 9, body: .null)) == nil)
  }
}
