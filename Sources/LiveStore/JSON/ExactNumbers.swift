import Foundation
import Synchronization

/// How Foundation's coders, which have only 64-bit integers and doubles, encode and decode other numbers.
///
/// - A marked encoder writes texts in place of these numbers, which are then replaced in the encoder's
///   output. If the output lacks some of the texts, a type has encoded them with an encoder of its own that
///   has the same `userInfo`: then everything is encoded again, without such texts.
/// - A marked decoder has the JSON value that it decodes, in which a number is looked up by its path.
///
/// Both are marked by their `userInfo`, so that no other coder is affected; a caller's coder is copied first.
enum ExactNumbers {
  /// The beginning of the texts in place of numbers. No text of a program begins with it: it differs by
  /// process, and begins with a scalar that stands for no character.
  private static let mark = "\u{10FFFF}\(UUID().uuidString) "

  private static let key = CodingUserInfoKey(rawValue: "LiveStore.ExactNumbers")

  /// The text that a marked encoder writes in the place of a number; nil for another encoder.
  static func standIn(for number: JSONNumber, in encoder: any Encoder) -> String? {
    guard let key, let standIns = encoder.userInfo[key] as? StandIns else { return nil }
    return standIns.state.withLock { state in
      if state.isOff { return nil }
      state.count += 1
      return mark + number.description
    }
  }

  /// The texts that a marked encoder has written in the place of numbers.
  fileprivate final class StandIns: Sendable {
    /// How many texts were written, and whether writing them is off.
    let state = Mutex((count: 0, isOff: false))
  }

  /// The texts that a marked encoder has written; nil for another encoder.
  fileprivate static func standIns(of encoder: JSONEncoder) -> StandIns? {
    key.flatMap { encoder.userInfo[$0] as? StandIns }
  }

  /// The value that a marked decoder decodes.
  fileprivate struct Source {
    let value: JSONValue
    /// The value with folded keys, to find a property in camel case; nil if property names are the keys.
    let folded: JSONValue?
  }

  /// The number at the path of a marked decoder; nil for another decoder. The caller checks that the decoded
  /// double is nearest to the number: the decoder may belong to another text and have the same `userInfo`.
  static func number(in decoder: any Decoder) -> JSONNumber? {
    guard let key, let source = decoder.userInfo[key] as? Source else { return nil }
    let path = decoder.codingPath
    return source.value.number(at: path) { $0 } ?? source.folded?.number(at: path, JSONValue.folded)
  }

  fileprivate static func set(_ value: some Sendable, in userInfo: inout [CodingUserInfoKey: any Sendable]) {
    if let key { userInfo[key] = value }
  }

  /// A marked encoder's output with numbers in place of texts; nil if it does not have `count` of them.
  fileprivate static func restore(_ text: Data, _ count: Int) -> Data? {
    let start = Data("\"\(mark)".utf8)
    var (result, rest, found) = (Data(), text[...], 0)
    while let standIn = rest.range(of: start),
      let end = rest[standIn.upperBound...].firstIndex(of: UInt8(ascii: "\""))
    {
      // The text is inside another string, as when JSON text contains JSON text.
      if rest[..<standIn.lowerBound].last == UInt8(ascii: "\\") { return nil }
      result += rest[..<standIn.lowerBound] + rest[standIn.upperBound..<end]
      rest = rest[(end + 1)...]
      found += 1
    }
    return found == count ? result + rest : nil
  }
}

extension JSONEncoder {
  /// A copy that is marked; the encoder itself if it is of a subclass.
  func marked() -> JSONEncoder {
    guard type(of: self) == JSONEncoder.self else { return self }
    let copy = JSONEncoder()
    copy.outputFormatting = outputFormatting
    copy.dateEncodingStrategy = dateEncodingStrategy
    copy.dataEncodingStrategy = dataEncodingStrategy
    copy.nonConformingFloatEncodingStrategy = nonConformingFloatEncodingStrategy
    copy.keyEncodingStrategy = keyEncodingStrategy
    copy.userInfo = userInfo
    ExactNumbers.set(ExactNumbers.StandIns(), in: &copy.userInfo)
    return copy
  }

  /// The JSON text of a value, with exact numbers if the encoder is marked.
  ///
  /// - Throws: what the encoder throws, and `EncodingError.invalidValue` for a `Decimal` that is NaN, which
  ///   Foundation writes as NaN.
  func text(of value: some Encodable) throws -> Data {
    let text = try encoded(value)
    if text.contains(byte: UInt8(ascii: "N")), text.range(of: Data("NaN".utf8)) != nil,
      (try? JSONValue(parsing: text)) == nil
    {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(codingPath: [], debugDescription: "JSON has no number that a NaN could be."))
    }
    return text
  }

  private func encoded(_ value: some Encodable) throws -> Data {
    guard let standIns = ExactNumbers.standIns(of: self) else { return try encode(value) }
    standIns.state.withLock { $0 = (0, false) }
    let text = try encode(value)
    let count = standIns.state.withLock { $0.count }
    if count == 0 { return text }
    if let restored = ExactNumbers.restore(text, count) { return restored }
    standIns.state.withLock { $0.isOff = true }
    return try encode(value)
  }
}

extension JSONDecoder {
  /// A copy that is marked, for a value with numbers that need it; otherwise, or if it is of a subclass, the decoder itself.
  func marked(for value: JSONValue) -> JSONDecoder {
    guard value.hasDecimals, type(of: self) == JSONDecoder.self else { return self }
    let copy = JSONDecoder()
    copy.dateDecodingStrategy = dateDecodingStrategy
    copy.dataDecodingStrategy = dataDecodingStrategy
    copy.nonConformingFloatDecodingStrategy = nonConformingFloatDecodingStrategy
    copy.keyDecodingStrategy = keyDecodingStrategy
    copy.allowsJSON5 = allowsJSON5
    copy.assumesTopLevelDictionary = assumesTopLevelDictionary
    copy.userInfo = userInfo
    var folded: JSONValue?
    if case .useDefaultKeys = keyDecodingStrategy {} else { folded = value.foldingKeys }
    ExactNumbers.set(ExactNumbers.Source(value: value, folded: folded), in: &copy.userInfo)
    return copy
  }
}

extension JSONValue {
  /// Whether the value contains a number that is neither a 64-bit integer nor a double.
  fileprivate var hasDecimals: Bool {
    switch self {
    case .number(let number): if case .decimal = number.storage { true } else { false }
    case .array(let elements): elements.contains(where: \.hasDecimals)
    case .object(let object): object.contains { $0.value.hasDecimals }
    default: false
    }
  }

  /// The number at a path; a closure converts each key of the path before the look-up.
  fileprivate func number(at path: [any CodingKey], _ key: (String) -> String) -> JSONNumber? {
    var value = self
    for step in path {
      switch value {
      case .array(let elements):
        guard let index = step.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      case .object(let object):
        guard let member = object[key(step.stringValue)] else { return nil }
        value = member
      default: return nil
      }
    }
    if case .number(let number) = value { return number }
    return nil
  }

  /// The value with folded keys.
  fileprivate var foldingKeys: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.foldingKeys))
    case .object(let object):
      .object(JSONObject(object.map { (key: Self.folded($0.key), value: $0.value.foldingKeys) }))
    default: self
    }
  }

  /// A key without underscores and capitals, the same for a name in snake case and in camel case.
  fileprivate static func folded(_ key: String) -> String {
    let letters = key.utf8.filter { $0 != UInt8(ascii: "_") }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    return String(decoding: letters, as: UTF8.self)
  }
}

extension Data {
  fileprivate func contains(byte: UInt8) -> Bool {
    withUnsafeBytes { bytes in bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
    }
  }
}
