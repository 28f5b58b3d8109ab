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

/// Decodes what it was encoded without by asking first.
private struct Asking: Entity, Codable, Equatable {
  let id: Int
  var photo: Data?
  var size: Double
  static let schema = Schema<Asking> {
    \.photo
    \.size
  }

  init(id: Int, photo: Data?, size: Double) { (self.id, self.photo, self.size) = (id, photo, size) }

  private enum CodingKeys: CodingKey, CaseIterable { case id, photo, size }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    photo = container.contains(.photo) ? try container.decode(Data.self, forKey: .photo) : nil
    size = try container.decode(Double.self, forKey: .size)
    let keys: Set<CodingKeys> = photo == nil ? [.id, .size] : [.id, .photo, .size]
    guard Set(container.allKeys) == keys else {
      throw DecodingError.dataCorruptedError(forKey: .photo, in: container, debugDescription: "other keys")
    }
  }
}

private enum AskingWithDecimals {
  struct Asking: Entity, Codable {
    let id: Int
    var size: Decimal
    static let schema = Schema<Asking> { \.size }
  }
}

private struct Deep: Entity, Codable {
  let id: Int
  var json: JSONValue
  var list: Nested
  static let schema = Schema<Deep> {
    \.json
    \.list
  }

  struct Nested: Codable, Hashable, Sendable { var inner: [Nested] }

  init(id: Int, levels: Int) {
    self.id = id
    json = (0..<levels).reduce(1) { json, _ in [json] }
    // Each has two levels.
    list = (1..<levels / 2).reduce(Nested(inner: [])) { nested, _ in Nested(inner: [nested]) }
  }
}

/// Properties by names that are made at run time.
private struct Free: Entity, Codable {
  let id: Int
  var values: [String: Int]
  static let schema = Schema<Free> { \.values }

  init(id: Int, values: [String: Int]) { (self.id, self.values) = (id, values) }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    id = try container.decode(Int.self, forKey: Name(stringValue: "id"))
    values = [:]
    for key in container.allKeys where key.stringValue != "id" {
      values[key.stringValue] = try container.decode(Int.self, forKey: key)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(id, forKey: Name(stringValue: "id"))
    for (name, value) in values { try container.encode(value, forKey: Name(stringValue: name)) }
  }
}

@Suite struct `Values at the limits of a column` {
  @Test func `a property that an object was encoded without is not contained in its row`() async throws {
    let folder = try Folder()
    let objects = [
      Asking(id: 1, photo: nil, size: 1), Asking(id: 2, photo: Data([1]), size: 2),
      Asking(id: 3, photo: nil, size: 3),
    ]
    let file = try await StoreFile.open(at: folder.file, Asking.self)
    try await file.write { tx in try tx.insert(contentsOf: objects) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Asking.self)
    #expect(Array(again.store.fetch(Asking.all)) == objects)
    try await again.close()
  }

  @Test(arguments: [Double.infinity, -.infinity, 1e300])
  func `a number that no Decimal can be is refused when it is read as one`(number: Double) async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Asking.self)
    try await file.write { tx in try tx.insert(Asking(id: 1, photo: nil, size: number)) }
    try await file.close()
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, AskingWithDecimals.Asking.self)
    }
    #expect(error?.code == .mismatch && error?.table == "Asking")
  }

  @Test func `a value of more levels than can be read is refused when it is written`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Deep.self)
    try await file.write { tx in try tx.insert(Deep(id: 1, levels: 511)) }
    // Frames are larger under the sanitizer.
    #if THREAD_SANITIZER
      let most = 1_000
    #else
      let most = 5_000
    #endif
    for object in [Deep(id: 2, levels: 512), Deep(id: 2, levels: most)] {
      let error = await #expect(throws: StoreFileError.self) {
        try await file.write { tx in try tx.upsert(object) }
      }
      #expect(error?.code == .mismatch && error?.message.contains("511 levels") == true)
      #expect((error?.message.count ?? 0) < 500)
    }
    try await file.write { tx in try tx.delete(Deep.self, 2) }
    try await file.exportJSON(to: folder.url)
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Deep.self)
    #expect(again.store.fetch(Deep.all).first?.json == Deep(id: 1, levels: 511).json)
    #expect(try await again.importJSON(from: folder.url) == 1)
    try await again.close()
  }

  @Test func `a property may have any name but those of the file and one with a null character`() async throws
  {
    let folder = try Folder()
    let values = [
      "a\"b": 1, "\"\u{301}": 2, "x\"\u{301} INTEGER, evil": 3, "'": 4, "]": 5, "": 6, "select": 7, "é": 8,
    ]
    let file = try await StoreFile.open(at: folder.file, Free.self)
    try await file.write { tx in try tx.insert(Free(id: 1, values: values)) }
    let error = await #expect(throws: StoreFileError.self) {
      try await file.write { tx in try tx.insert(Free(id: 2, values: ["a\u{0}b": 1])) }
    }
    #expect(error?.code == .mismatch)
    try await file.write { tx in try tx.delete(Free.self, 2) }
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Free.self)
    #expect(again.store.fetch(Free.all).map(\.values) == [values])
    try await again.close()
  }
}
