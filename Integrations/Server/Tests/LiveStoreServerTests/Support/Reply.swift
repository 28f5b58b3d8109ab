import Foundation
import LiveStore
import LiveStoreServer

/// A response as a test reads it.
struct Reply: Sendable {
  let status: Int
  let headers: [String: String]
  let body: String

  var messages: [StreamMessage] { get throws { try decode([StreamMessage].self, body) } }
  /// The members of the error that the body is.
  var error: [String: JSONValue] {
    get throws { try decode([String: [String: JSONValue]].self, body)["error"] ?? [:] }
  }
  var nextOffset: String { headers["stream-next-offset"] ?? "" }
}

func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
  try JSONDecoder().decode(type, from: Data(text.utf8))
}

struct Failure: Error, Equatable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A generator of numbers that a seed determines.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

extension JSONValue {
  /// The text that it is, if it is one.
  var text: String? { if case .string(let text) = self { text } else { nil } }
}
