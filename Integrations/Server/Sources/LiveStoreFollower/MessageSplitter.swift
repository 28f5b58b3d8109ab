/// Splits the text of a JSON array of objects, which arrives in parts of any size, into the objects.
///
/// Only the ends of objects are found, by quotes and brackets: whether one is valid JSON is seen when it is parsed.
package struct MessageSplitter {
  private enum Place {
    case start, opened, object, complete, comma, end
  }

  private let limit: Int
  private var place = Place.start
  private var pending: [UInt8] = []
  private var (depth, isInString, isEscaped) = (0, false, false)

  /// - Parameter limit: how many bytes an object may have.
  package init(limit: Int) { self.limit = limit }

  /// Whether the array is complete.
  package var isAtEnd: Bool { place == .end }

  /// Calls `receive` with the objects that a part completes.
  ///
  /// - Throws: `invalidStream` between objects, and what `receive` throws. Nothing may be read after that.
  package mutating func read(_ part: ArraySlice<UInt8>, _ receive: (String) throws -> Void) throws {
    var position = part.startIndex
    while position < part.endIndex {
      if place == .object {
        let end = endOfObject(in: part[position...])
        pending += part[position..<(end ?? part.endIndex)]
        if pending.count > limit { throw invalid("A message of the stream is longer than it may be.") }
        guard let end else { return }
        guard let text = String(validating: pending, as: UTF8.self) else {
          throw invalid("A message of the stream is no UTF-8.")
        }
        pending.removeAll(keepingCapacity: pending.count < 65_536)
        place = .complete
        position = end
        try receive(text)
        continue
      }
      let byte = part[position]
      switch (place, byte) {
      case (_, 0x20), (_, 0x0A), (_, 0x0D), (_, 0x09): position += 1
      case (.start, UInt8(ascii: "[")): (place, position) = (.opened, position + 1)
      case (.opened, UInt8(ascii: "{")), (.comma, UInt8(ascii: "{")): place = .object
      case (.complete, UInt8(ascii: ",")): (place, position) = (.comma, position + 1)
      case (.opened, UInt8(ascii: "]")), (.complete, UInt8(ascii: "]")):
        (place, position) = (.end, position + 1)
      default: throw invalid("The stream has no JSON array of messages.")
      }
    }
  }

  /// The position behind the end of the object; nil if that is not in this part.
  private mutating func endOfObject(in part: ArraySlice<UInt8>) -> Int? {
    for position in part.indices {
      let byte = part[position]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return position + 1 }
      default: break
      }
    }
    return nil
  }

  private func invalid(_ sentence: String) -> FollowerError { FollowerError(.invalidStream, sentence) }
}
