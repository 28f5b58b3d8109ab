import Foundation
import LiveStore
import Testing

/// Filters whose text read as another filter, if one of the same rows: they were not shared with the one that was decoded.
@Suite("Texts that read as an equal filter") struct EqualTextTests {
  struct Leaf: Entity {
    var id = 0, name = ""
    var n: Int?
    var x: Double?
    var tags: [Int] = []
    static let schema = Schema<Leaf> {
      \.name
      \.n
      \.x
      \.tags
    }
  }

  struct Tree: Entity {
    var id = 0, n = 0, d = 0.0, name = ""
    var f: Float?
    var price: Decimal?
    var label: String?, other: String?
    var words: [String]?
    var prices: [String: Decimal] = [:]
    var leaves = RefList<Leaf>()
    var leaf: Ref<Leaf>?
    static let schema = Schema<Tree> {
      \.n
      \.d
      \.f
      \.price
      \.name
      \.label
      \.other
      \.words
      \.prices
      Relation(\.leaves)
      Relation(\.leaf)
    }
  }

  private func expectRead(_ query: Query<Tree>) throws {
    let format = try #require(query.format, "\(query)")
    #expect(try Tree.query(format: format) == query, "\(format)")
    let data = try JSONEncoder().encode([query])
    #expect(try JSONDecoder().decode([Query<Tree>].self, from: data) == [query], "\(format)")
  }

  @Test func `functions of optional values of linked objects`() throws {
    try expectRead(Tree.where { $0.leaves.objects.sum(\.n) > 3 })
    try expectRead(Tree.where { $0.leaves.objects.average(\.x) > 3 })
    try expectRead(Tree.where { $0.leaves.objects.min(\.n) > 3 })
    try expectRead(Tree.where { $0.leaves.objects.max(\.x) == 3 })
    try expectRead(Tree.where { $0.leaves.objects.min(\.name) > "a" })
  }

  @Test func `the count of an optional collection, and whether it is empty`() throws {
    try expectRead(Tree.where { $0.words.count == 1 })
    try expectRead(Tree.where { $0.words.isEmpty == true })
    try expectRead(Tree.where { $0.words.isEmpty != false })
    try expectRead(Tree.where { $0.label.count > 2 })
    try expectRead(Tree.where { $0.leaf.tags.count == 2 })
  }

  @Test func `equality of text without options, and of two texts of the row`() throws {
    #expect(Tree.where { $0.name.equals("Tea", options: []) } == Tree.where { $0.name == "Tea" })
    try expectRead(Tree.where { $0.label.equals("Tea", options: []) })
    try expectRead(Tree.where { $0.name.equals($0.name, options: .caseInsensitive) })
    try expectRead(Tree.where { $0.name.equals($0.label, options: []) })
    try expectRead(Tree.where { $0.label.equals($0.other, options: []) })
    try expectRead(Tree.where { $0.label.equals($0.other, options: .caseInsensitive) })
    try expectRead(Tree.where { $0.name.contains($0.label, options: .caseInsensitive) })
    try expectRead(Tree.where { $0.name.like($0.label, options: .diacriticInsensitive) })
    let store = try Store(Tree.self, Leaf.self)
    try store.write { tx in
      try tx.insert(Tree(id: 1))
      try tx.insert(Tree(id: 2, name: "x", label: "x", other: "x"))
      try tx.insert(Tree(id: 3, name: "X", label: "x", other: "X"))
    }
    for options in [[], .caseInsensitive] as [TextOptions] {
      // A missing text equals none, in Swift.
      let ids = options.isEmpty ? [2] : [2, 3]
      #expect(Array(store.fetch(Tree.where { $0.label.equals($0.other, options: options) }).ids) == ids)
      #expect(Array(store.fetch(Tree.where { $0.name.equals($0.label, options: options) }).ids) == ids)
    }
    #expect(try Array(store.fetch(Tree.where(format: "label ==[c] other")).ids) == [1, 2, 3])
  }

  @Test func `general comparisons inside a subquery`() throws {
    for text in [
      "SUBQUERY(leaves, $x, $x.name IN[cd] {'a', 'b'}).@count > 0",
      "SUBQUERY(leaves, $x, $x.name IN[cd] {'a', 'b'}).@count > 1",
      "NOT SUBQUERY(leaves, $x, NOT $x.name IN[cd] {'a', 'b'}).@count > 0",
      "ANY leaves.name IN[cd] {'a', 'b'}",
      "SUBQUERY(leaves, $x, $x.x BETWEEN {0.1, 16777217.123456789123456789}).@count > 0",
    ] {
      try expectRead(Tree.where(format: text))
    }
  }

  @Test func `NaN, which is the same constant as itself`() throws {
    try expectRead(Tree.where { $0.d == .nan })
    try expectRead(Tree.where { $0.f != .nan })
    try expectRead(Tree.where { $0.price == .nan })
    try expectRead(Tree.where { $0.d.in([.nan, 1]) })
    for text in ["(d + n) == NAN", "(d + n) IN {NAN, 2}", "(n + NAN) == 2"] {
      try expectRead(Tree.where(format: text))
    }
    try expectRead(Tree.where(format: "(d + n) != %@", Float.nan))
    // Decimal's has an order in Swift alone.
    #expect(Tree.where { $0.price > .nan }.format == nil)
    #expect(
      try Tree.where(format: "price > %@ OR price BETWEEN {NAN, 3}", Decimal.nan)
        == Tree.where(format: "FALSEPREDICATE"))
  }

  @Test func `constants whose type decides how they are computed`() throws {
    #expect(try Tree.where(format: "(n * %@) > 2", 0.5) == Tree.where(format: "(n * 0.5) > 2"))
    #expect(try Tree.where(format: "(price * %@) > 2", Decimal(3)) == Tree.where(format: "(price * 3) > 2"))
    #expect(try Tree.where(format: "(n / %@) > 2", Decimal(3)) != Tree.where(format: "(n / 3) > 2"))
    for (text, argument) in [
      ("(n / %@) > 2", Decimal(3)), ("(price * %@) > 2", 5.0), ("(price * %@) > 2", Float(0.1)),
      ("abs(%@) > n", Decimal(3)), ("(ifnull(n, %@) / 2) > 2", Decimal(1)), ("(n + %@) > 2", UInt64.max),
    ] as [(String, any Sendable)] {
      try expectRead(Tree.where(format: text, argument))
    }
    try expectRead(Tree.where(format: "((%@ * %@) + price) > 2", -7.0, Decimal(0.05)))
    try expectRead(Tree.where(format: "((n + 18446744073709552000) * leaf.tags[0]) > 1e30"))
  }

  @Test func `values in place of missing ones, and values under a key, of all types`() throws {
    try expectRead(Tree.where { ($0.f ?? 1) > 2 })
    try expectRead(Tree.where { ($0.price ?? 1) > 2 })
    try expectRead(Tree.where { $0.prices["a"] > 2 })
  }
}
