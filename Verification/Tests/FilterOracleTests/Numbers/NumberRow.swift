import Foundation
import LiveStore
import TestSupport

/// The indexes of the entities of the number oracle.
protocol NumberMode: Sendable {
  static var schema: Schema<NumberRow<Self>> { get }
}

/// Numbers of each type, optional and not, and lists of them.
struct NumberRow<Mode: NumberMode>: Entity {
  let id: Int
  var n = 0
  var mn: Int?
  var small: Int8 = 0
  var u: UInt64 = 0
  var mu: UInt64?
  var f: Float = 0
  var mf: Float?
  var d = 0.0
  var md: Double?
  var dec = Decimal(0)
  var mdec: Decimal?
  var ns: [Int] = []
  var us: [UInt64] = []
  var fs: [Float] = []
  var ds: [Double] = []
  var decs: [Decimal] = []
  var counts: [String: Int] = [:]
  var part: Ref<NumberPart>?
  var parts = RefList<NumberPart>()
  static var schema: Schema<NumberRow> { Mode.schema }
}

/// What the rows link to.
struct NumberPart: Entity {
  let id: Int
  var n: Int?
  var f: Float = 0
  var d = 0.0
  var dec: Decimal?
  static let schema = Schema<NumberPart> {
    \.n
    Property(\.f, .indexed)
    \.d
    \.dec
  }
}

enum UnindexedNumbers: NumberMode {
  static let schema = Schema<NumberRow<UnindexedNumbers>> {
    \.n
    \.mn
    \.small
    \.u
    \.mu
    \.f
    \.mf
    \.d
    \.md
    \.dec
    \.mdec
    \.ns
    \.us
    \.fs
    \.ds
    \.decs
    \.counts
    Relation(\.part)
    Relation(\.parts)
  }
}

enum IndexedNumbers: NumberMode {
  static let schema = Schema<NumberRow<IndexedNumbers>> {
    Property(\.n, .indexed)
    Property(\.mn, .indexed)
    Property(\.small, .indexed)
    Property(\.u, .indexed)
    Property(\.mu, .indexed)
    Property(\.f, .indexed)
    Property(\.mf, .indexed)
    Property(\.d, .indexed)
    Property(\.md, .indexed)
    Property(\.dec, .indexed)
    Property(\.mdec, .indexed)
    Property(\.ns, .indexedElements)
    Property(\.us, .indexedElements)
    Property(\.fs, .indexedElements)
    Property(\.ds, .indexedElements)
    Property(\.decs, .indexedElements)
    \.counts
    Property(\.f, \.n, .indexed)
    Relation(\.part)
    Relation(\.parts)
  }
}

/// The values of which rows and constants are made: of all types, near each other.
enum NumberPools {
  static let ints = [
    0, 1, 2, 3, -7, 16_777_216, 16_777_217, 123_456_790, 123_456_792, 9_007_199_254_740_993, .max, .min,
  ]
  static let smalls: [Int8] = [-128, -1, 0, 1, 2, 3, 127]
  static let unsigned: [UInt64] = [
    0, 1, 2, 3, 16_777_217, 9_007_199_254_740_993, 1 << 63, 9_223_372_036_854_776_000, .max,
  ]
  static let floats: [Float] = [
    0, 1, 2, 3, 0.1, 0.5, 2.5, -7, 16_777_216, 123_456_792, 1e10, 0x1p63, 1e30, .leastNonzeroMagnitude,
    .infinity,
    -.infinity, .nan,
  ]
  static let doubles: [Double] = [
    0, 1, 2, 3, 0.1, 0.3, 0.5, 2.5, -7, 16_777_217, 16_777_216.5, 123_456_792, 9_007_199_254_740_992, 0x1p63,
    1e30,
    1e300, .leastNonzeroMagnitude, 0.10000000149011612, .infinity, -.infinity, .nan,
  ]
  static let decimals = [
    "0", "1", "2", "3", "0.1", "0.3", "0.5", "2.5", "-7", "16777217", "16777216.5", "9007199254740993",
    "9007199254740993.5", "18446744073709551615", "0.05",
  ].map(decimal)
  /// Numbers as a text writes them, without a sign.
  static let literals = [
    "0", "1", "2", "3", "7", "0.1", "0.3", "0.5", "2.0", "2.5", "1e3", "16777217", "16777217.0", "16777216.5",
    "123456790", "123456792", "9007199254740993", "9007199254740993.0", "9223372036854775808",
    "18446744073709551615", "1e30", "1000000000000000000000000000000", "0.10000000000000000001",
  ]

  static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }
}

extension SplitMix64 {
  mutating func numberPart(_ id: Int) -> NumberPart {
    NumberPart(
      id: id, n: maybe(NumberPools.ints), f: pick(NumberPools.floats), d: pick(NumberPools.doubles),
      dec: maybe(NumberPools.decimals))
  }

  mutating func numberRow<Mode>(_ id: Int) -> NumberRow<Mode> {
    var row = NumberRow<Mode>(id: id)
    (row.n, row.mn) = (pick(NumberPools.ints), maybe(NumberPools.ints))
    row.small = pick(NumberPools.smalls)
    (row.u, row.mu) = (pick(NumberPools.unsigned), maybe(NumberPools.unsigned))
    (row.f, row.mf) = (pick(NumberPools.floats), maybe(NumberPools.floats))
    (row.d, row.md) = (pick(NumberPools.doubles), maybe(NumberPools.doubles))
    (row.dec, row.mdec) = (pick(NumberPools.decimals), maybe(NumberPools.decimals))
    row.ns = some(of: NumberPools.ints, upTo: 3)
    row.us = some(of: NumberPools.unsigned, upTo: 3)
    row.fs = some(of: NumberPools.floats.filter { !$0.isNaN }, upTo: 3)
    row.ds = some(of: NumberPools.doubles.filter { !$0.isNaN }, upTo: 3)
    row.decs = some(of: NumberPools.decimals, upTo: 3)
    if let count = maybe(NumberPools.ints) { row.counts["k"] = count }
    row.part = chance(1, in: 3) ? nil : Ref(int(0...3))
    row.parts = RefList(ids: some(of: [0, 1, 2, 3], upTo: 3))
    return row
  }

  private mutating func maybe<Value>(_ values: [Value]) -> Value? { chance(1, in: 4) ? nil : pick(values) }
}

/// The rows in their order, and the parts.
struct NumberWorld<Mode: NumberMode>: Sendable {
  var rows: [NumberRow<Mode>]
  var parts: [NumberPart]

  init(_ random: inout SplitMix64, count: Int) {
    parts = (0..<4).map { random.numberPart($0) }
    rows = (0..<count).map { random.numberRow($0) }
  }

  func part(of row: NumberRow<Mode>) -> NumberPart? { row.part.map { parts[$0.id] } }
  func parts(of row: NumberRow<Mode>) -> [NumberPart] { row.parts.map { parts[$0.id] } }
}
