import Foundation
import LiveStore
import Testing

/// An entity with JSON at its top and within other values.
private struct Reading: Entity, Codable, Equatable {
  struct Part: Codable, Hashable {
    var rawValue: JSONValue
  }

  let id: Int
  var value: JSONValue
  var parts: [String: [Part]]
  var price: Decimal?
  static let schema = Schema<Reading> {
    \.value
    \.parts
    \.price
  }
}

/// An entity with JSON in a text, or in bytes, made by an encoder that has the `userInfo` of that which encodes the entity.
private struct Envelope: Entity, Codable, Equatable {
  let id: Int
  var text: String
  var bytes: Data
  var number: JSONValue
  static let schema = Schema<Envelope> {
    \.text
    \.bytes
    \.number
  }

  func encode(to encoder: any Encoder) throws {
    let inner = JSONEncoder()
    // Any and any Sendable have one layout. In Swift 5 the assignment is enough.
    inner.userInfo = unsafeBitCast(encoder.userInfo, to: [CodingUserInfoKey: any Sendable].self)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(
      text.isEmpty ? "" : String(decoding: inner.encode([number]), as: UTF8.self), forKey: .text)
    try members.encode(bytes.isEmpty ? Data() : inner.encode([number]), forKey: .bytes)
    try members.encode(number, forKey: .number)
  }
}

/// An encoder with settings of its own, as an application may have one.
private final class OwnEncoder: JSONEncoder, @unchecked Sendable {}

private let fifty = "12345678901234567890123456789012345678901234567890"
private let fraction = "0.1234567890123456789012345678901234567891"

@Suite struct `Exact numbers in JSON` {
  /// Numbers with which doubles and integers of 64 bits end, and texts that look like numbers.
  private static func reading() throws -> Reading {
    let value = try JSONValue(
      parsing: #"{"a_b":[\#(fifty),18446744073709551616,-9007199254740993.5,1e300,0.1,-3,"1"]}"#)
    let number = try JSONValue(parsing: fraction)
    return Reading(id: 1, value: value, parts: ["p_q": [.init(rawValue: 7), .init(rawValue: number)]])
  }

  private func exported(_ reading: Reading, _ encoder: JSONEncoder) throws -> String {
    let store = try Store(Reading.self)
    try store.write { tx in try tx.insert(reading) }
    var text = Data()
    try store.snapshot().exportJSON(Reading.all, format: .lines, encoder: encoder) { text.append($0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Bug: fifty digits became 1.2345678901234567e+49.
  @Test func `an export has the digits of each number of a JSON value`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let expected =
      #"{"id":1,"parts":{"p_q":[{"rawValue":7},{"rawValue":\#(fraction)}]},"#
      + #""value":{"a_b":[\#(fifty),18446744073709551616,-9007199254740993.5,1e+300,0.1,-3,"1"]}}"# + "\n"
    #expect(try exported(Self.reading(), encoder) == expected)
    #expect(encoder.userInfo.isEmpty)
  }

  @Test(arguments: [JSONFormat.array, .lines])
  func `an import has the numbers of an export, in structures, arrays and dictionaries`(
    format: JSONFormat
  ) throws {
    let (store, copy) = (try Store(Reading.self), try Store(Reading.self))
    try store.write { tx in try tx.insert(Self.reading()) }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.outputFormatting = .prettyPrinted
    encoder.keyEncodingStrategy = .convertToSnakeCase
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var text = Data()
    try store.snapshot().exportJSON(Reading.all, format: format, encoder: encoder) { text.append($0) }
    try copy.importJSON(Reading.self, from: text, decoder: decoder)
    #expect(Array(copy.fetch(Reading.all)) == [try Self.reading()])
  }

  @Test func `a patch leaves the numbers that it does not name as they are`() throws {
    let store = try Store(Reading.self)
    try store.write { tx in try tx.insert(Self.reading()) }
    try store.write { tx in
      _ = try tx.merge(Reading.self, 1, JSONValue(parsing: #"{"value":{"c":\#(fraction)}}"#))
    }
    let value = store[Reading.self, 1]?.value
    #expect(value?[path: ["a_b", "0"]] == (try JSONValue(parsing: fifty)))
    #expect(value?[path: ["c"]] == (try JSONValue(parsing: fraction)))
    #expect(store[Reading.self, 1]?.parts == (try Self.reading()).parts)
  }

  /// Bug: Foundation writes NaN, which is no JSON.
  @Test func `a Decimal that is no number ends an export`() throws {
    var reading = try Self.reading()
    reading.price = .nan
    #expect(throws: EncodingError.self) { try exported(reading, JSONEncoder()) }
    reading.price = 2.5
    reading.value = "NaN"
    #expect(try exported(reading, JSONEncoder()).contains(#""NaN""#))
  }

  /// Bug: what stood for numbers was left in the bytes, and the text was no JSON.
  @Test(arguments: [("", ""), ("[0.125]", ""), ("", "[0.125]")])
  func `numbers that a type encodes by an encoder of its own are those of that encoder`(
    text: String, bytes: String
  ) throws {
    let store = try Store(Envelope.self)
    let numbers = [fraction, "0.125", fraction].compactMap { try? JSONValue(parsing: $0) }
    try store.write { tx in
      for (index, number) in numbers.enumerated() {
        // Only the second one has JSON in JSON, of a number for which nothing stands; the third one of another.
        let (text, bytes) = index == 0 ? ("", Data()) : (text, Data(bytes.utf8))
        try tx.insert(Envelope(id: index, text: text, bytes: bytes, number: number))
      }
    }
    var lines = Data()
    try store.snapshot().exportJSON(Envelope.all, format: .lines, encoder: JSONEncoder()) { lines.append($0) }
    let copy = try Store(Envelope.self)
    try copy.importJSON(Envelope.self, from: lines)
    let double = "0.12345678901234568"
    let isPlain = text.isEmpty && bytes.isEmpty
    #expect(
      copy.fetch(Envelope.all).map(\.number.description) == [fraction, "0.125", isPlain ? fraction : double])
    #expect(copy[Envelope.self, 2]?.text == (text.isEmpty ? "" : "[\(double)]"))
    #expect(copy[Envelope.self, 2]?.bytes == (bytes.isEmpty ? Data() : Data("[\(double)]".utf8)))
  }

  @Test func `an encoder of a subclass encodes numbers as doubles`() throws {
    #expect(try exported(Self.reading(), OwnEncoder()).contains("1.2345678901234567e+49"))
  }

  @Test func `keys that differ by normalization alone are refused where that is asked for`() throws {
    let (one, two) = (#"{"a":[{"\u00e9":1,"e\u0301":2}]}"#, #"{"a":1,"b":[{"a":1}],"a":2}"#)
    let texts = [one, #"{"\#u{e9}":1,"a":0,"e\#u{301}":2}"#]
    for text in texts {
      let error = #expect(throws: JSONSyntaxError.self) {
        try JSONValue(parsing: text, refusingEquivalentKeys: true)
      }
      #expect(error?.reason.contains("canonically equivalent") == true)
      #expect(throws: Never.self) { try JSONValue(parsing: text, refusingEquivalentKeys: false) }
    }
    #expect(try JSONValue(parsing: two, refusingEquivalentKeys: true) == ["a": 2, "b": [["a": 1]]])
  }
}
