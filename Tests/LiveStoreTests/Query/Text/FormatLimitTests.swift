import LiveStore
import TestSupport
import Testing

@Suite("Text filters that are too long or too deep") struct FormatLimitTests {
  struct Part: Entity {
    var id = 0, weight = 0
    var others = RefList<Part>()
    static let schema = Schema<Part> {
      Property(\.weight, .indexed)
      Relation(\.others)
    }
  }

  /// So many that a parser which goes down one level for each would leave the stack.
  private static let levels = Environment.size(20_000, thorough: 100_000)

  @Test(arguments: [
    String(repeating: "1 + ", count: levels) + "weight == 1",
    "weight == weight" + String(repeating: " * 2", count: levels),
    String(repeating: "-", count: levels) + "weight == 1",
    String(repeating: "abs(", count: levels) + "weight == 1",
    String(repeating: "SUBQUERY(others, $x, ", count: levels) + "weight == 1",
    "weight IN " + String(repeating: "{", count: levels),
    "others" + String(repeating: ".others", count: levels) + ".weight == 1",
    "weight" + String(repeating: "[0]", count: levels) + " == 1",
    String(repeating: "(1 + ", count: levels) + "weight == 1",
    String(repeating: "abs(1 + ", count: 300) + "weight",
  ])
  func `what nests too deeply is refused, and never overflows the stack`(text: String) {
    let error = #expect(throws: StoreError.self) { try Part.where(format: text) }
    #expect(error?.code == StoreError.invalidFilter)
    let limits = ["more than 64 levels", "more than 200 operations", "more than 200 steps"]
    #expect(limits.contains { error?.message.contains($0) ?? false })
  }

  @Test func `200 operations are computed, and one more is refused`() throws {
    let store = try Store(Part.self)
    try store.write { tx in try tx.insert(Part(id: 1, weight: 7)) }
    func count(_ operations: Int) throws -> Int {
      store.count(
        try Part.where(
          format: "weight" + String(repeating: " + 1", count: operations) + " == \(7 + operations)"))
    }
    #expect(try count(200) == 1)
    #expect(throws: StoreError.self) { try count(201) }
  }

  @Test func `thousands of alternatives over one property are one set`() throws {
    let count = Environment.size(3_000, thorough: 20_000)
    let text = (0..<count).map { "weight == \($0)" }.joined(separator: " OR ")
    #expect(try Part.where(format: text) == Part.where { $0.weight.in(Array(0..<count)) })
    #expect(
      try Part.where(format: "weight == 1 OR id == 3 OR 2 == weight")
        == Part.where(format: "weight IN {1, 2} OR id == 3"))
  }

  @Test func `a repeated condition is one condition`() throws {
    let count = Environment.size(3_000, thorough: 20_000)
    let text = (0..<count).map { "weight != \($0 % 2)" }.joined(separator: " AND ")
    #expect(try Part.where(format: text) == Part.where { $0.weight != 0 && $0.weight != 1 })
    #expect(try Part.where(format: "weight > 1 AND TRUEPREDICATE") == Part.where { $0.weight > 1 })
  }
}
