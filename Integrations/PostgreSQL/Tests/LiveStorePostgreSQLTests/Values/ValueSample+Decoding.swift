import Testing

import LiveStorePostgreSQL

extension ValueSample {
  /// Expects a value from both forms.
  static func expect<Value: Decodable & Equatable>(
    _ type: String, _ literal: String, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for row in try of(type, literal).rows() {
      #expect(try row.decode("value") == value, sourceLocation: sourceLocation)
    }
  }

  /// Expects that neither form can be read as a type.
  static func expectMismatch<Value: Decodable>(
    _ type: String, _ literal: String, _ value: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for row in try of(type, literal).rows() {
      let error = #expect(throws: PostgresError.self, sourceLocation: sourceLocation) {
        try row.decode("value", as: value)
      }
      #expect(error?.code == PostgresError.mismatch, sourceLocation: sourceLocation)
      #expect(error?.table == "public.samples" && error?.column == "value", sourceLocation: sourceLocation)
      #expect((error?.value?.count ?? 0) <= 80, sourceLocation: sourceLocation)
    }
  }
}

/// A column of a text that a test makes up.
func textRow(_ type: PostgresType, _ text: String) throws -> PostgresRow {
  let layout = RowLayout(table: "public.samples", names: ["value"], types: [type])
  let bytes = Array(text.utf8)
  return try PostgresRow(layout, TupleData(bytes: bytes, fields: [.init(.text, bytes.indices)]))
}

func binaryRow(_ type: PostgresType, _ bytes: [UInt8]) throws -> PostgresRow {
  let layout = RowLayout(table: "public.samples", names: ["value"], types: [type])
  return try PostgresRow(layout, TupleData(bytes: bytes, fields: [.init(.binary, bytes.indices)]))
}
