import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private struct Values: Codable, Equatable, Sendable {
  var double: Double = 0
  var float: Float = 0
  var decimal: Decimal = 0
  var unsigned: UInt64 = 0
  var wide: Int128 = 0
  var wideUnsigned: UInt128 = 0
  var optional: Int128?
  var date = Date(timeIntervalSinceReferenceDate: 0)

  /// Equality by bits, so that zeros of both signs differ, and NaN equals itself.
  static func == (left: Values, right: Values) -> Bool {
    func isSame<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Bool {
      left.isNaN && right.isNaN || left == right && left.sign == right.sign
    }
    return isSame(left.double, right.double) && isSame(left.float, right.float)
      && (left.decimal == right.decimal || left.decimal.isNaN && right.decimal.isNaN)
      && left.unsigned == right.unsigned && left.wide == right.wide && left.wideUnsigned == right.wideUnsigned
      && left.optional == right.optional
      && (left.date == right.date
        || left.date.timeIntervalSince1970.isNaN && right.date.timeIntervalSince1970.isNaN)
  }
}

/// Values in columns, and within JSON.
private struct Extreme: Entity, Codable, Equatable {
  let id: Int
  var double: Double
  var float: Float
  var decimal: Decimal
  var unsigned: UInt64
  var wide: Int128
  var wideUnsigned: UInt128
  var optional: Int128?
  var date: Date
  var nested: Values
  var list: [Values]
  var wideList: [Int128]
  var decimals: [String: Decimal]
  static let schema = Schema<Extreme> {
    \.double
    \.float
    \.decimal
    \.unsigned
    \.wide
    \.wideUnsigned
    \.optional
    \.date
    \.nested
    \.list
    \.wideList
    \.decimals
  }

  init(id: Int, _ values: Values) {
    self.id = id
    double = values.double
    float = values.float
    decimal = values.decimal
    unsigned = values.unsigned
    wide = values.wide
    wideUnsigned = values.wideUnsigned
    optional = values.optional
    date = values.date
    nested = values
    list = [values, values]
    wideList = [values.wide, .min]
    decimals = ["a": values.decimal]
  }

  /// The values in columns.
  var columns: Values {
    Values(
      double: double, float: float, decimal: decimal, unsigned: unsigned, wide: wide,
      wideUnsigned: wideUnsigned,
      optional: optional, date: date)
  }
}

@Suite struct `Extreme values` {
  private static let values: [Values] = {
    let doubles: [Double] = [
      -0.0, .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      -9_223_372_036_854_775_808, 9_223_372_036_854_775_808, 1e22, 0.1, 9_007_199_254_740_992,
    ]
    let decimals: [Decimal] = [
      .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .leastNormalMagnitude,
      Decimal(sign: .minus, exponent: -127, significand: 7),
      Decimal(sign: .plus, exponent: 127, significand: 3), -0,
    ]
    let wides: [Int128] = [.min, .max, -1, Int128(Int64.max) + 1, Int128(Int64.min) - 1]
    return doubles.map { number in
      Values(double: number, float: Float(number), date: Date(timeIntervalSinceReferenceDate: number))
    }
      + decimals.map { Values(decimal: $0) }
      + wides.map { Values(unsigned: .max, wide: $0, wideUnsigned: UInt128($0.magnitude) + 1, optional: $0) }
      + [Values(wideUnsigned: .max)]
  }()

  @Test(arguments: Self.values.indices)
  func `a value is read as it was written, or refused when it is written`(index: Int) async throws {
    let folder = try Folder()
    let object = Extreme(id: 1, Self.values[index])
    let file = try await StoreFile.open(at: folder.file, Extreme.self)
    try await file.write { tx in try tx.insert(object) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Extreme.self)
    let read = try #require(again.store.fetch(Extreme.all).first)
    #expect(read.columns == object.columns)
    #expect(read.nested == object.nested && read.list == object.list)
    #expect(
      read.wideList == object.wideList
        && Values(decimal: read.decimals["a"] ?? 0) == Values(decimal: object.decimal))
    try await again.close()
  }
}
