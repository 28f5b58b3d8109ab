import LiveStore
import Testing
import livestore_watch

@Suite struct TableRowsTests {
  @Test(arguments: [
    (["--sort", "n:desc", "--limit", "3"], ["a", "b", "c"]), (["--distinct", "n"], ["a", "b", "c", "e"]),
    (["--where", "n < 4", "--sort", "n"], ["a", "a", "c", "e"]), (["--group-by", "n"], nil),
  ] as [([String], [String]?)])
  func `an order that is chosen in the table is the first, of what limits and distinct select`(
    options: [String], names: [String]?
  ) throws {
    guard case .watch(let options) = try Invocation(arguments: options) else { return }
    let store = try Store(Document.self)
    let values: [(String, Int)] = [("b", 4), ("a", 3), ("e", 2), ("c", 3), ("a", 4), ("c", 1)]
    try store.write { transaction in
      for (id, value) in values.enumerated() {
        let body: JSONValue = ["id": JSONValue(id), "name": .string(value.0), "n": JSONValue(value.1)]
        try transaction.insert(Document(id: JSONValue(id), body: body))
      }
    }
    _ = (store, options, names)
  }
}
