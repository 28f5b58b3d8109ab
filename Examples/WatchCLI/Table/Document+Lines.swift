import LiveStore

extension Document {
  /// The object as JSON with a line for each value, indented by two spaces for each level, without what a terminal would
  /// obey; of more lines than the limit, the first.
  ///
  /// - Complexity: O(length of the object)
  package func indentedLines(atMost limit: Int) -> [String] {
    withObject { object in
      var (lines, line): ([String], [UInt8]) = ([], [])
      var (level, isInString, isEscaped) = (0, false, false)
      func endLine() {
        lines.append(String(decoding: line, as: UTF8.self).escapingInvisibles)
        line = Array(repeating: UInt8(ascii: " "), count: 2 * level)
      }
      for (place, byte) in object.bytes.enumerated() {
        if lines.count > limit { break }
        let isEmpty = place > 0 && (object.bytes[place - 1] | 0x20) == UInt8(ascii: "{")
        let opensNothing =
          place + 1 < object.bytes.count && (object.bytes[place + 1] | 0x20) == UInt8(ascii: "}")
        switch byte {
        case _ where isInString:
          line.append(byte)
          isInString = isEscaped || byte != UInt8(ascii: "\"")
          isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          line.append(byte)
          level += 1
          if !opensNothing { endLine() }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          level -= 1
          if !isEmpty { endLine() }
          line.append(byte)
        case UInt8(ascii: ","):
          line.append(byte)
          endLine()
        case UInt8(ascii: ":"): line += Array(": ".utf8)
        default:
          line.append(byte)
          isInString = byte == UInt8(ascii: "\"")
        }
      }
      endLine()
      return lines
    }
  }
}
