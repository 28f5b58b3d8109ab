import Foundation
import LiveStore
import TestSupport

/// What holds for every text that is read as JSON, whatever it is.
enum JSONLaw {
  /// Reads a text and checks all that must hold of the answer.
  @discardableResult
  static func check(_ bytes: [UInt8]) throws -> Result<JSONValue, JSONSyntaxError> {
    let answer = read(bytes)
    try requireSame(
      answer, Result { () throws(JSONSyntaxError) in try JSONValue(parsing: AnySequence(bytes)) }, bytes)
    // A text inside a buffer ends where it ends, whatever follows.
    let framed = Array("[\"".utf8) + bytes + Array("\"]}1".utf8)
    let within = framed.withUnsafeBytes { frame in
      Result { () throws(JSONSyntaxError) in
        try JSONValue(parsing: UnsafeRawBufferPointer(rebasing: frame[2..<2 + bytes.count]))
      }
    }
    try requireSame(answer, within, bytes)
    try CompactLaw.check(bytes, answer)
    switch answer {
    case .success(let value): try checkRendering(value)
    case .failure(let error): try check(error, bytes)
    }
    return answer
  }

  static func read(_ bytes: [UInt8]) -> Result<JSONValue, JSONSyntaxError> {
    Result { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes) }
  }

  private static func requireSame(
    _ one: Result<JSONValue, JSONSyntaxError>, _ other: Result<JSONValue, JSONSyntaxError>, _ bytes: [UInt8]
  ) throws {
    try require(one == other, "\(one) and \(other) for \(shown(bytes))")
  }

  private static func check(_ error: JSONSyntaxError, _ bytes: [UInt8]) throws {
    try require(
      (1...bytes.count + 1).contains(error.column),
      "\(error) is not within \(bytes.count) bytes, \(shown(bytes))")
    try Fuzzing.requireLine(error.description)
  }

  /// What was read and written is read as the same value, written in the same way.
  private static func checkRendering(_ value: JSONValue) throws {
    let text = value.description
    let again = try JSONValue(parsing: text)
    try require(again == value && value == again, "\(text) reads back as \(again)")
    try require(again.hashValue == value.hashValue, "\(text) reads back with another hash")
    try require(again.description == text, "\(text) is written as \(again) the second time")
    try require(JSONValue.order(value, again) == 0, "\(text) is not in one place with itself")
    try require(!(value < again) && !(again < value), "\(text) stands before itself")
  }

  /// Holds two values' order, equality and hashes against each other.
  static func checkOrder(_ left: JSONValue, _ right: JSONValue) throws {
    let (order, back) = (JSONValue.order(left, right), JSONValue.order(right, left))
    try require((order == 0) == (left == right), "order and == of \(left) and \(right)")
    try require(order.signum() == -back.signum(), "both orders of \(left) and \(right)")
    if left == right { try require(left.hashValue == right.hashValue, "hashes of \(left) and \(right)") }
    guard let rule = ValueOrder<JSONValue>.ofType() else { throw Mismatch("JSON values have no order") }
    let (a, b) = (rule.abbreviate(left), rule.abbreviate(right))
    if order < 0 { try require(a <= b, "abbreviations of \(left) and \(right)") }
    if order == 0 { try require(a == b, "abbreviations of \(left) and \(right)") }
  }
}
