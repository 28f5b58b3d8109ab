import Foundation
import LiveStore
import Testing

import LiveStorePostgreSQL

private enum Color: String, Codable, CaseIterable { case red, green }
private enum Strict: String, Codable { case only }

private struct Inner: Codable { var a: Int, b: [String], c: Color }

private struct Item: Codable {
  var id: UUID
  var title: String
  var count: Int8
  var price: Decimal
  var weight: Float
  var isNew: Bool
  var date: Date
  var photo: Data
  var site: URL
  var color: Color
  var tags: [String]
  var inner: Inner
  var author: Ref<Person>
  var extra: JSONValue
  var big: Int128
  var note: String?
  var amount: Int?
}

private struct Guarded: Codable { var id: Int, strict: Strict, title: String }

@Suite struct `Properties that a type asks for` {
  @Test func `all properties are known with their types`() {
    let requested = RequestedProperties(of: Item.self)
    #expect(requested.isComplete)
    #expect(
      requested.properties.map(\.name) == [
        "id", "title", "count", "price", "weight", "isNew", "date", "photo", "site", "color", "tags", "inner",
        "author",
        "extra", "big", "note", "amount",
      ])
    #expect(requested.properties.filter(\.isOptional).map(\.name) == ["note", "amount"])
    #expect("\(requested.properties[2].type)" == "Int8")
  }

  @Test func `a type without a placeholder ends what is known`() {
    let requested = RequestedProperties(of: Guarded.self)
    #expect(!requested.isComplete && requested.properties.map(\.name) == ["id", "strict"])
  }

  @Test func `a column that is missing, or of another type, is a mismatch`() throws {
    let requested = RequestedProperties(of: Guarded.self)
    let check = { (names: [String], types: [PostgresType]) in
      try requested.check(RowLayout(table: "t", names: names, types: types), .same)
    }
    #expect(try check(["id", "strict"], [.int4, .text]) == [])
    #expect(try check(["id", "strict"], [.jsonb, .text]) == [])
    #expect(throws: PostgresError.self) { try check(["id"], [.int4]) }
    for type in [PostgresType.bool, .uuid, .date, .bytea, .array(of: .int4)] {
      let error = #expect(throws: PostgresError.self) { try check(["id", "strict"], [type, .text]) }
      #expect(error?.message == "Column id (\(type)) of table t cannot be read as Int.")
    }
  }

  @Test func `optional properties without a column are reported`() throws {
    struct Note: Codable { var id: Int, text: String? }
    let layout = RowLayout(table: "t", names: ["id"], types: [.int8])
    #expect(try RequestedProperties(of: Note.self).check(layout, ["text": "body"]) == ["text"])
  }

  @Test(arguments: ValueSample.all) func `what can be read is never ruled out`(sample: ValueSample) throws {
    func check<Value: Decodable>(_ type: Value.Type) throws {
      for row in try sample.rows() where (try? row.decode("value", as: type)) != nil {
        #expect(sample.postgresType.kind.mayBe(type))
      }
    }
    try check(Int.self)
    try check(UInt8.self)
    try check(Double.self)
    try check(Float.self)
    try check(Decimal.self)
    try check(Bool.self)
    try check(UUID.self)
    try check(Date.self)
    try check(Data.self)
    try check(String.self)
    try check(JSONValue.self)
  }
}
