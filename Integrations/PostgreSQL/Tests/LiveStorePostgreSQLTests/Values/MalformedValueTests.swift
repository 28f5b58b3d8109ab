import Foundation
import LiveStore
import Testing

import LiveStorePostgreSQL

/// Nothing that a server may send traps: what is malformed is a mismatch, or another value.
@Suite struct `Malformed values` {
  private func decodeAll(_ row: PostgresRow) {
    func decode<Value: Decodable>(_ type: Value.Type) {
      do {
        _ = try row.decode("value", as: type)
      } catch {
        #expect((error as? PostgresError)?.code == PostgresError.mismatch)
      }
    }
    decode(Int.self)
    decode(UInt8.self)
    decode(Int128.self)
    decode(Double.self)
    decode(Float.self)
    decode(Decimal.self)
    decode(Bool.self)
    decode(String.self)
    decode(UUID.self)
    decode(Date.self)
    decode(Data.self)
    decode([Int?].self)
    decode([[String?]].self)
    decode([Date]?.self)
  }

  @Test(arguments: ValueSample.all.filter { $0.binary.count <= 200 })
  func `values that are cut or changed anywhere are mismatches at the most`(sample: ValueSample) throws {
    var random = SeededGenerator(seed: 5)
    for isBinary in [false, true] {
      let original = isBinary ? sample.binary : Array(sample.text.utf8)
      let row: ([UInt8]) throws -> PostgresRow = {
        if isBinary { return try binaryRow(sample.postgresType, $0) }
        let layout = RowLayout(table: "t", names: ["value"], types: [sample.postgresType])
        return try PostgresRow(layout, TupleData(bytes: $0, fields: [.init(.text, $0.indices)]))
      }
      for count in 0...original.count { decodeAll(try row(Array(original[..<count]))) }
      for _ in 0..<60 where !original.isEmpty {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        decodeAll(try row(bytes))
      }
    }
  }

  @Test func `random bytes are mismatches at the most, as every type`() throws {
    var random = SeededGenerator(seed: 6)
    let types = Set(ValueSample.all.map(\.postgresType))
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ -> UInt8 in
        Bool.random(using: &random)
          ? .random(in: 0...255, using: &random)
          : [0, 1, 0xFF, 0x7F, 0x80, 0x2D, 0x7B, 0x30].randomElement(using: &random) ?? 0
      }
      for type in types {
        decodeAll(try binaryRow(type, bytes))
        let layout = RowLayout(table: "t", names: ["value"], types: [type])
        decodeAll(try PostgresRow(layout, TupleData(bytes: bytes, fields: [.init(.text, bytes.indices)])))
      }
    }
  }
}
