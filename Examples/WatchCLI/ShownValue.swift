import LiveStore

/// A value as it is written where no JSON is asked for.
package enum ShownValue: Hashable, Sendable {
  case null
  case text(String)
  /// A number as it was written.
  case number(String)
  /// Anything else, as JSON.
  case json(String)

  /// The value that a range of an object has.
  ///
  /// - Parameter spellings: how numbers of the object were written, see `NumberSpellings`.
  init(_ object: JSONText, at range: Range<Int>, _ spellings: UnsafeRawBufferPointer) {
    let bytes = UnsafeRawBufferPointer(rebasing: object.bytes[range])
    switch bytes[0] {
    case UInt8(ascii: "\""):
      self = if case .string(let text) = JSONText(bytes).value { .text(text) } else { .null }
    case UInt8(ascii: "n"): self = .null
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "t"), UInt8(ascii: "f"):
      self = .json(String(decoding: bytes, as: UTF8.self))
    default:
      let spelling = NumberSpellings.spelling(at: range.lowerBound, in: spellings)
      self = .number(String(decoding: spelling ?? bytes, as: UTF8.self))
    }
  }
}
