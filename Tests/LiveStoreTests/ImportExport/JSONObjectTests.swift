import Foundation
import LiveStore
import Synchronization
import Testing

private struct Note: Entity, Codable, Equatable {
  let id: String
  var text = ""
  var made = Date(timeIntervalSinceReferenceDate: 0)
  var numbers: [Double] = []
  var scratch = 0
  static let schema = Schema<Note> {
    \.text
    \.made
    \.numbers
    Ignored(\.scratch)
  }

  enum CodingKeys: String, CodingKey {
    case id, text, numbers, scratch
    case made = "made_at"
  }
}

/// A value that lists what its encoders have in common.
private struct Witness: Codable, Equatable {
  var number: JSONValue?
  static let encoders = Mutex<[ObjectIdentifier: any Sendable]>([:])

  func encode(to encoder: any Encoder) throws {
    for case let value as any Sendable & AnyObject in encoder.userInfo.values {
      Self.encoders.withLock { $0[ObjectIdentifier(value)] = value }
    }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  init(_ number: JSONValue?) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(JSONValue?.self)
  }
}

private struct Reported: Entity, Codable {
  let id: Int
  var witness: Witness
  static let schema = Schema<Reported> { \.witness }
}

@Suite("Whole objects as JSON text")
struct JSONObjectTests {
  private func text(_ note: Note) throws -> String {
    let store = try Store(Note.self)
    try store.write { tx in try tx.insert(note) }
    var rows = store.fetch(Note.all).jsonRows(try .objects())
    var bytes: [UInt8] = []
    while rows.next() {
      try rows.writeKey(to: &bytes)
      bytes.append(UInt8(ascii: " "))
      try rows.writeFields(to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("are what their coding writes, with dates and numbers as fields have them")
  func form() throws {
    let note = Note(
      id: "a", text: "x", made: Date(timeIntervalSinceReferenceDate: 0.25), numbers: [1, .nan, -.infinity],
      scratch: 3)
    #expect(
      try text(note)
        == #""a" {"id":"a","made_at":"2001-01-01T00:00:00.25Z","numbers":[1,"NaN","-Infinity"],"scratch":3,"text":"x"}"#
    )
    #expect(try JSONFields<Note>.objects().names == ["text", "made", "numbers", "scratch"])
    #expect(try JSONFields<Note>.objects().paths.isEmpty)
  }

  @Test("fields of any type are written by one encoder, and each as by one of its own")
  func oneEncoder() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let numbers: [JSONValue?] = [
      nil, 1, "x", 0.5, try JSONValue(parsing: "0.1234567890123456789"),
      try JSONValue(parsing: #"{"b":[1e300,123456789012345678901],"a":"\u0000"}"#),
    ]
    let store = try Store(Reported.self)
    try store.write { tx in
      for id in 0..<200 {
        let number = numbers[Int.random(in: 0..<numbers.count, using: &generator)]
        try tx.insert(Reported(id: id, witness: Witness(number)))
      }
    }
    let results = store.fetch(Reported.all)
    for fields in [try JSONFields<Reported>.objects(), try JSONFields<Reported>([\.witness])] {
      Witness.encoders.withLock { $0 = [:] }
      var rows = results.jsonRows(fields)
      var texts: [[UInt8]] = []
      while rows.next() {
        texts.append([])
        try rows.writeFields(to: &texts[texts.count - 1])
      }
      #expect(texts.count == 200 && Witness.encoders.withLock { $0.count } == 1)
      for position in (0..<200).shuffled(using: &generator) {
        rows.go(to: position)
        var (again, alone) = ([UInt8](), [UInt8]())
        try rows.writeFields(to: &again)
        var single = results.jsonRows(fields, in: position..<position + 1)
        _ = single.next()
        try single.writeFields(to: &alone)
        #expect(again == texts[position] && alone == again, "seed \(seed), row \(position)")
      }
    }
  }

  @Test("are decoded to what they were, to the last bit of each date")
  func roundTrip() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let fixed: [Double] = [
      0, 0.1, -0.1, 1e-20, -1e-20, .leastNonzeroMagnitude, -0.5, -1, -1.5, 0.3, 1.0.nextDown, (-1.0).nextUp,
      123_456.789_012_345_67,
      -62_135_769_600, 64_092_211_200, 800_000_000.123_456_7, 9.9e14, -9.9e14,
    ]
    let random = (0..<2_000).map { _ -> Double in
      let magnitude = Double.random(in: -20...15, using: &generator)
      return Double.random(in: -1...1, using: &generator) * pow(10, magnitude)
    }
    for interval in fixed + random {
      let note = Note(id: "a", made: Date(timeIntervalSinceReferenceDate: interval), numbers: [interval])
      let json = try JSONValue(parsing: String(try text(note).dropFirst(4)))
      #expect(
        try JSONFields<Note>.decoder().decode(Note.self, from: json) == note, "seed \(seed), \(interval)")
    }
  }

  @Test(
    "are not decoded where a time is none",
    arguments: [
      "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-02-28T24:00:00Z", "2026-02-28T00:60:00Z", "", "Z",
      "2026-02-28T00:00:00", "2026-02-28T00:00:00.Z", "+2026-02-28T00:00:00Z", "2026-02-28T00:00:00Zx",
      "2026-02-28 00:00:00Z", "é026-02-28T00:00:00Z", "2026-02-28T00:00:00.1e5Z",
    ])
  func otherTimes(text: String) {
    let json: JSONValue = ["id": "a", "text": "", "made_at": .string(text), "numbers": [], "scratch": 0]
    #expect(throws: DecodingError.self) { try JSONFields<Note>.decoder().decode(Note.self, from: json) }
  }
}
