import Foundation
import LiveStore
import Testing

@Suite("Numbers of all types in filters") struct NumberFilterTests {
  struct Part: Entity {
    var id = 0
    var marks: [Int] = []
    var labels: [String: String] = [:]
    static let schema = Schema<Part> {
      \.marks
      \.labels
    }
  }

  struct Gauge: Entity {
    var id = 0
    var f: Float = 0, d = 0.0, n = 0, u: UInt64 = 0
    var mf: Float?
    var dec: Decimal?
    var nums: [Int] = [], fs: [Float] = [], decs: [Decimal] = []
    var wide: UInt128 = 0
    var counts: [String: UInt64] = [:]
    var meta: [String: String] = [:]
    var maybeMeta: [String: String]?
    var prices: [String: Decimal] = [:]
    var text = "", data = Data()
    var parts = RefList<Part>()
    static let schema = Schema<Gauge> {
      Property(\.f, .indexed)
      Property(\.d, .indexed)
      Property(\.n, .indexed)
      \.u
      \.mf
      \.dec
      \.nums
      \.fs
      \.decs
      \.wide
      \.counts
      \.meta
      \.maybeMeta
      \.prices
      \.text
      \.data
      Relation(\.parts)
    }
  }

  private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

  private func count(_ row: Gauge, _ parts: [Part] = [], _ query: Query<Gauge>) throws -> Int {
    let store = try Store(Gauge.self, Part.self)
    try store.write { tx in
      try tx.insert(contentsOf: parts)
      try tx.insert(row)
    }
    let negated = store.count(Gauge.all) - store.fetch(query).count
    #expect(store.count(query) == 1 - negated)
    return store.fetch(query).count
  }

  /// A filter over one row, and whether it finds it.
  private func expect(
    _ text: String, _ arguments: (any Sendable)?..., finds isFound: Bool, _ row: Gauge, _ parts: [Part] = []
  ) throws {
    let query = try Gauge.where(format: text, arguments: arguments)
    #expect(try count(row, parts, query) == (isFound ? 1 : 0), "\(text) \(arguments)")
    let negated = try Gauge.where(format: "NOT (\(text))", arguments: arguments)
    #expect(try count(row, parts, negated) == (isFound ? 0 : 1), "NOT (\(text)) \(arguments)")
    let format = try #require(query.format)
    #expect(try Gauge.query(format: format) == query, "\(text) \(arguments) is \(format)")
  }

  @Test func `an integral Float is compared as itself and not as the number that it prints`() throws {
    let row = Gauge(f: 123_456_792, n: 123_456_792)
    try expect("f == n", finds: true, row)
    try expect("f == 123456792", finds: true, row)
    try expect("f == 123456790", finds: false, row)
    try expect("f IN {123456790, 123456791}", finds: false, row)
    #expect(try count(row, [], Gauge.where { $0.f == $0.n }) == 1)
    #expect(try count(row, [], Gauge.where { $0.f.double + 0 == 123_456_792 }) == 1)
    try expect("f == n AND f == %@", 0x1p40, finds: true, Gauge(f: 0x1p40, n: 1 << 40))
    try expect(
      "f == dec AND f == d AND f == 0.1", finds: true, Gauge(f: 0.1, d: 0.1, dec: Self.decimal("0.1")))
  }

  @Test func `a constant is not rounded to the type of the property that it is compared with`() throws {
    try expect("f == 16777217.0", finds: false, Gauge(f: 16_777_216))
    try expect("f >= %@", Double.leastNonzeroMagnitude, finds: false, Gauge(f: 0))
    try expect("f <= %@", 1e300, finds: false, Gauge(f: .infinity))
    try expect("f == %@", 1e300, finds: false, Gauge(f: .infinity))
    try expect("ANY fs == 16777217", finds: false, Gauge(fs: [16_777_216]))
    try expect("ANY fs > 16777216.5", finds: false, Gauge(fs: [16_777_216]))
    try expect("f BETWEEN {16777215.5, 16777216.5}", finds: true, Gauge(f: 16_777_216))
    try expect("f BETWEEN {16777216.5, 16777218}", finds: false, Gauge(f: 16_777_216))
    try expect("f BETWEEN {16777216, 16777216.5}", finds: true, Gauge(f: 16_777_216))
    try expect("f BETWEEN {16777214.5, 16777216}", finds: true, Gauge(f: 16_777_216))
    try expect("d < 0.10000000000000000001 AND d > 0.09999999999999999999", finds: true, Gauge(d: 0.1))
    try expect("n < 2.99999999999999999999", finds: false, Gauge(n: 3))
    try expect("n == 9007199254740993.0", finds: true, Gauge(n: 9_007_199_254_740_993))
    try expect("n == 9007199254740993.0", finds: false, Gauge(n: 9_007_199_254_740_992))
    try expect("dec == 9007199254740993.0", finds: true, Gauge(dec: Self.decimal("9007199254740993")))
    try expect(
      "dec == 12345678901234567890123456789012345678.01", finds: false,
      Gauge(dec: Self.decimal("12345678901234567890123456789012345678")))
    try expect("mf != %@", 1e300, finds: true, Gauge())
    try expect("mf < %@", 1e300, finds: false, Gauge())
  }

  @Test func `an order by a constant between two values of a type is served by an index of it`() throws {
    let store = try Store(Gauge.self, Part.self)
    try store.write { tx in
      for id in 0..<2000 { try tx.insert(Gauge(id: id, f: Float(16_776_216 + id), d: Double(id))) }
    }
    for (text, argument) in [("f > %@", 16_778_215.5), ("f > %@", 16_778_216.5)] as [(String, Double)] {
      let query = try Gauge.where(format: text, argument)
      let plan = query.explain(in: store.snapshot())
      #expect(plan.hasPrefix("index"), "\(plan)")
      let expected = store.fetch(Gauge.all).filter { Double($0.f) > argument }.map(\.id)
      #expect(store.fetch(query).map(\.id).sorted() == expected)
    }
  }

  @Test(arguments: ["1.2.3", "12-5", "e5"])
  func `a text that is no number is not made one`(text: String) {
    for type in ["NSNumber", "NSDecimalNumber"] {
      #expect(throws: StoreError.self) { try Gauge.where(format: "n == CAST('\(text)', '\(type)')") }
    }
  }

  @Test
  func `a Decimal is computed exactly, as a property, an element, an argument and the result of a function`()
    throws
  {
    let tenth = Self.decimal("0.1")
    try expect("(n / %@) > 2.3", Decimal(3), finds: true, Gauge(n: 7))
    try expect("(n / CAST('3', 'NSDecimalNumber')) > 2.3", finds: true, Gauge(n: 7))
    try expect("(decs[0] / 2) == 1.5", finds: true, Gauge(decs: [3]))
    try expect("(decs[0] * 3) == 0.3", finds: true, Gauge(decs: [tenth]))
    try expect("SUBQUERY(decs, $x, ($x * 3) == 0.3).@count == 1", finds: true, Gauge(decs: [tenth]))
    try expect("(abs(dec) / 2) == 1.5", finds: true, Gauge(dec: 3))
    try expect("(trunc(dec) / 2) == 1.5", finds: true, Gauge(dec: Self.decimal("3.7")))
    try expect("(ifnull(dec, 0) / 2) == 1.5", finds: true, Gauge(dec: 3))
    try expect("(decs.@min / 2) == 1.5", finds: true, Gauge(decs: [3, 4]))
    try expect("(prices['a'] / 2) == 1.5", finds: true, Gauge(prices: ["a": 3]))
    try expect("(decs.@sum / 2) == 1.5", finds: true, Gauge(decs: [1, 2]))
    try expect("decs.@sum == 0.3", finds: true, Gauge(decs: [tenth, Self.decimal("0.2")]))
    try expect("decs.@avg == 0.15", finds: true, Gauge(decs: [tenth, Self.decimal("0.2")]))
    try expect("(dec ** 2) == 0.01", finds: true, Gauge(dec: tenth))
    try expect("(dec ** -2) == 0.25", finds: true, Gauge(dec: 2))
    // With a floating-point number, all are.
    try expect("(dec * %@) == 0.3", 3.0, finds: false, Gauge(dec: tenth))
    try expect("(dec * 3.0) == 0.3", finds: true, Gauge(dec: tenth))
  }

  @Test func `a Float is computed as Double, whatever its value`() throws {
    try expect("(f / n) == 1.5", finds: true, Gauge(f: 3, n: 2))
    try expect("(n / f) == INF", finds: true, Gauge(f: 0, n: 2))
    try expect("(fs[0] / 2) == 1.5", finds: true, Gauge(fs: [3]))
    try expect("(fs.@sum / 2) == 3.5", finds: true, Gauge(fs: [3, 4]))
    try expect("(%@ / n) == 1.5", Float(3), finds: true, Gauge(n: 2))
    try expect("(%@ / n) == 1.5", 3.0, finds: true, Gauge(n: 2))
    try expect("(abs(f) / 2) == 1.5", finds: true, Gauge(f: -3))
    try expect("(floor(f) / 2) == 1.5", finds: true, Gauge(f: 3.5))
    try expect("(ifnull(mf, 3) / 2) == 1.5", finds: true, Gauge())
    try expect("(n / double(2)) == 3.5", finds: true, Gauge(n: 7))
  }

  /// Bug: they were taken for functions of the row, which their text is not.
  @Test func `functions of constants are constants, however they nest`() throws {
    let nested = try Gauge.where(format: "(n + double(double(3))) >= 1")
    #expect(try nested == Gauge.where(format: "(n + double(3)) >= 1"))
    let format = try #require(nested.format)
    #expect(try Gauge.where(format: format) == nested, "\(format)")
    for text in ["double(double(3)) IN {1, 3}", "double(CAST('0.1', 'NSDecimalNumber')) > 1"] {
      #expect(throws: StoreError.self, "\(text)") { try Gauge.where(format: text) }
    }
  }

  /// Bug: it was written as a double prints, and so read as another integer.
  @Test(arguments: [-0x1p63, 1_234_567_890_123_456_768, 0x1p53, 0x1p53 + 2, 1e16, 3, -0.0])
  func `a text with an integral Double reads as an equal filter`(value: Double) throws {
    for text in ["(%@ / n) > 1", "(dec * %@) != n", "n == %@", "d < %@"] {
      let query = try Gauge.where(format: text, value)
      let format = try #require(query.format)
      #expect(try Gauge.where(format: format) == query, "\(format)")
    }
  }

  @Test func `integers of all types are computed as Int, in elements, literals and powers too`() throws {
    try expect("(nums[0] / u) == 0", finds: true, Gauge(n: 1, u: .max, nums: [1]))
    try expect("(n + 18446744073709551615) == 9223372036854775807", finds: true, Gauge(n: 1))
    try expect("abs(u) == 9223372036854775807 AND u == 18446744073709551615", finds: true, Gauge(u: .max))
    try expect("((n ** 2) / 2) == 4", finds: true, Gauge(n: 3))
    try expect("(n ** -1) == 0 AND ((n - 3) ** -1) == nil", finds: true, Gauge(n: 3))
    try expect("(nums.@count / 2) == 1", finds: true, Gauge(nums: [1, 2, 3]))
    try expect("(length(text) / 2) == 1", finds: true, Gauge(text: "abc"))
  }

  /// Bug: what is beyond 64 bits made the sum one of doubles, and beyond 127 bits another number.
  @Test func `integers beyond Int64 are themselves, in sums and as constants`() throws {
    let row = Gauge(wide: .max, counts: ["a": .max, "b": 2])
    try expect(
      "counts[*].@sum == 18446744073709551617 AND counts[*].@sum > 18446744073709551616", finds: true, row)
    try expect(
      "counts[*].@avg > 9.2233720368547e18 AND counts[*].@avg < 9.2233720368548e18", finds: true, row)
    try expect("wide == %@", UInt128.max, finds: true, row)
    try expect("wide == %@", UInt128.max, finds: false, Gauge(wide: UInt128(Int128.max)))
    try expect("wide == 340282366920938463463374607431768211455", finds: true, row)
    try expect("wide >= 340282366920938463463374607431768211455", finds: false, Gauge(wide: .max - 1))
  }

  @Test func `the mean of integers is the double nearest to the exact mean`() throws {
    let large = 9_007_199_254_740_993
    try expect("nums.@avg == 3002399751580331", finds: true, Gauge(nums: [large, 0, 0]))
    let store = try Store(Gauge.self, Part.self)
    try store.write { tx in
      for (id, n) in [large, 0, 0].enumerated() { try tx.insert(Gauge(id: id, n: n)) }
    }
    #expect(store.snapshot().value(of: Gauge.all.average(\.n)) == 3_002_399_751_580_331)
    for numbers in [[Int.max, .max, .max], [.min, .min], [.max, -1, 2], [.max, .max, .max - 1, 3, 3]] {
      let sum = numbers.reduce(Int128(0)) { $0 + Int128($1) }
      // As many digits of the quotient as decide how it is rounded.
      let (whole, rest) = sum.quotientAndRemainder(dividingBy: Int128(numbers.count))
      let digits = String(rest.magnitude * 1_000_000_000_000 / UInt128(numbers.count))
      let sign = sum < 0 && whole == 0 ? "-" : ""
      let mean = Double("\(sign)\(whole).\(String(repeating: "0", count: 12 - digits.count))\(digits)")
      let query = Gauge.where { $0.nums.average() == mean }
      #expect(try count(Gauge(nums: numbers), [], query) == 1, "\(numbers)")
    }
  }

  @Test func `ANY, ALL and NONE of a dictionary are about its values`() throws {
    for row in [Gauge(meta: ["a": "x", "b": "y"]), Gauge(maybeMeta: ["a": "x", "b": "y"])] {
      let name = row.meta.isEmpty ? "maybeMeta" : "meta"
      try expect("ANY \(name) == 'x'", finds: true, row)
      try expect("NONE \(name) == 'x'", finds: false, row)
      try expect("NONE \(name) == 'z'", finds: true, row)
      try expect("ALL \(name) == 'x'", finds: false, row)
      try expect("ALL \(name) >= 'x'", finds: true, row)
      try expect("ANY \(name) BEGINSWITH[c] 'X'", finds: true, row)
      try expect("\(name) CONTAINS 'y'", finds: true, row)
    }
    try expect("NONE maybeMeta == 'x'", finds: true, Gauge())
    let error = #expect(throws: StoreError.self) { try Gauge.where(format: "ANY meta == 3") }
    #expect(error?.column == 13)
  }

  @Test func `the elements of lists and dictionaries of linked objects are some of several values`() throws {
    let parts = [Part(id: 1, marks: [3, 4], labels: ["a": "x"]), Part(id: 2, marks: [5])]
    let row = Gauge(parts: RefList(ids: [1, 2]))
    try expect("ANY parts.marks == 4", finds: true, row, parts)
    try expect("ALL parts.marks > 2", finds: true, row, parts)
    try expect("ALL parts.marks > 3", finds: false, row, parts)
    try expect("parts.@sum.marks == 12", finds: true, row, parts)
    try expect("NONE parts.labels == 'x'", finds: false, row, parts)
    try expect("parts.labels CONTAINS 'x'", finds: true, row, parts)
  }

  @Test func `options on anything but text are refused with the column`() throws {
    for (text, column) in [
      ("data ==[c] 'abc'", 6), ("data CONTAINS[cd] 'abc'", 6), ("n ==[c] u", 3), ("text ==[c] n", 6),
      ("ANY nums ==[c] n", 10),
    ] {
      let error = #expect(throws: StoreError.self) { try Gauge.where(format: text) }
      #expect(error?.column == column, "\(text): \(error.map { "\($0)" } ?? "")")
      #expect("\(try #require(error))".contains("options in [ ] are for text"))
    }
  }
}
