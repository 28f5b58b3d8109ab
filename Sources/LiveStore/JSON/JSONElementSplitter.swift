import Foundation

/// Splits a text of JSON elements, which arrives in chunks of any size, into the elements.
///
/// The text is an array, or one element a line (NDJSON). Its first byte decides: `[` begins an array. A byte order mark
/// at the beginning is skipped, and so are blank lines. Only the ends of elements are found, by quotes and brackets:
/// whether an element is valid JSON is seen when it is parsed. Where elements end does not depend on how the text is
/// cut into chunks (J1). Only an element that lies in several chunks is copied.
package struct JSONElementSplitter: Sendable {
  /// An element of the text; its bytes are valid while it is passed.
  package struct Element {
    /// The element, perhaps with blanks around it.
    package let bytes: UnsafeRawBufferPointer
    /// How many elements came before.
    package let index: Int
    /// Where its bytes begin.
    package let start: JSONPosition
  }

  private enum State {
    /// Nothing but a byte order mark and blanks so far.
    case beginning
    case line
    case element
    /// After the `[` of the array.
    case opened
    /// After a comma of the array.
    case comma
    /// After an element of the array.
    case complete
    /// After the array.
    case closed
  }

  private let maximumLength: Int
  private var state = State.beginning
  /// How many bytes of the byte order mark have been read.
  private var markLength = 0
  /// How many bytes came before this chunk, and before this line.
  private var (offset, lineStart) = (0, 0)
  private var (line, index) = (1, 0)
  /// Where the current element or line begins.
  private var start = JSONPosition(line: 1, column: 1)
  /// The part of the element or line that earlier chunks had.
  private var pending: [UInt8] = []
  /// In an element of the array: its open brackets, and whether the next byte belongs to a string, or to an escape.
  private var (depth, isInString, isEscaped) = (0, false, false)

  /// A splitter at the beginning of its text.
  ///
  /// - Parameter maximumLength: how many bytes an element may have, with blanks around it on its line.
  package init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// Calls `receive` with the elements that a chunk completes.
  ///
  /// - Throws: a ``JSONListError`` between elements, and what `receive` throws. Nothing may be read after that.
  /// - Complexity: O(length of the chunk).
  package mutating func read(_ chunk: UnsafeRawBufferPointer, _ receive: (Element) throws -> Void) throws {
    var position = 0
    while position < chunk.count {
      switch state {
      case .line: position = try readLine(chunk, from: position, receive)
      case .element: position = try readElement(chunk, from: position, receive)
      default: position = try readBetween(chunk, at: position)
      }
    }
    offset += chunk.count
  }

  /// Calls `receive` with a last line without a newline.
  ///
  /// - Throws: as ``read(_:_:)``.
  package mutating func finish(_ receive: (Element) throws -> Void) throws {
    switch state {
    case .beginning: try requireWholeMark()
    case .closed: break
    case .line: try emit(UnsafeRawBufferPointer(start: nil, count: 0), receive)
    case .element: throw error("the text ends within an element of the array", at: 0)
    case .opened, .comma, .complete: throw error("the array has no closing ]", at: 0)
    }
  }
}

extension JSONElementSplitter {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func position(at index: Int) -> JSONPosition {
    JSONPosition(line: line, column: offset + index - lineStart + 1)
  }

  private func error(_ reason: String, at index: Int) -> JSONListError {
    JSONListError(position: position(at: index), index: self.index, reason: reason)
  }

  private func requireWholeMark() throws(JSONListError) {
    if markLength == 0 || markLength == Self.mark.count { return }
    throw JSONListError(
      position: JSONPosition(line: 1, column: 1), index: 0, reason: "expected a value, found byte 0xEF")
  }

  private mutating func begin(_ state: State, at position: Int) {
    start = self.position(at: position)
    self.state = state
  }

  /// Reads a byte outside of elements, unless an element begins with it.
  ///
  /// - Returns: the position of the next byte.
  private mutating func readBetween(_ chunk: UnsafeRawBufferPointer, at position: Int) throws(JSONListError)
    -> Int
  {
    let byte = chunk[position]
    if markLength < Self.mark.count, markLength == offset + position, byte == Self.mark[markLength] {
      markLength += 1
      if markLength == Self.mark.count { lineStart = markLength }
      return position + 1
    }
    if Self.isBlank(byte) {
      endLine(byte, at: position)
      return position + 1
    }
    switch (state, byte) {
    case (.beginning, UInt8(ascii: "[")):
      try requireWholeMark()
      state = .opened
    case (.beginning, _):
      try requireWholeMark()
      begin(.line, at: position)
      return position
    case (.complete, UInt8(ascii: ",")): state = .comma
    case (.opened, UInt8(ascii: "]")), (.complete, UInt8(ascii: "]")): state = .closed
    case (.complete, _): throw error("expected , or ] after an element of the array", at: position)
    case (.closed, _): throw error("expected the end of the text after the array", at: position)
    case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")):
      throw error("expected an element of the array", at: position)
    default:
      begin(.element, at: position)
      return position
    }
    return position + 1
  }

  private mutating func readLine(
    _ chunk: UnsafeRawBufferPointer, from first: Int, _ receive: (Element) throws -> Void
  ) throws -> Int {
    let rest = UnsafeRawBufferPointer(rebasing: chunk[first...])
    guard let base = rest.baseAddress, let found = memchr(base, 0x0A, rest.count) else {
      try append(rest)
      return chunk.count
    }
    let length = UnsafeRawPointer(found) - base
    try emit(UnsafeRawBufferPointer(rebasing: rest[..<length]), receive)
    endLine(0x0A, at: first + length)
    start = JSONPosition(line: line, column: 1)
    return first + length + 1
  }

  private mutating func readElement(
    _ chunk: UnsafeRawBufferPointer, from first: Int, _ receive: (Element) throws -> Void
  ) throws -> Int {
    var position = first
    var (depth, isInString, isEscaped) = (depth, isInString, isEscaped)
    scan: while position < chunk.count {
      let byte = chunk[position]
      if isEscaped {
        isEscaped = false
      } else if isInString {
        if byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\")
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case _ where depth == 0 && Self.endsScalar(byte): break scan
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
        default: break
        }
      }
      endLine(byte, at: position)
      position += 1
    }
    (self.depth, self.isInString, self.isEscaped) = (depth, isInString, isEscaped)
    let part = UnsafeRawBufferPointer(rebasing: chunk[first..<position])
    if position == chunk.count {
      try append(part)
    } else {
      try emit(part, receive)
      state = .complete
    }
    return position
  }

  /// Stores the bytes of an unfinished element.
  private mutating func append(_ part: UnsafeRawBufferPointer) throws(JSONListError) {
    pending.append(contentsOf: part)
    try requireLength(pending.count)
  }

  /// Calls `receive` with an element, unless it is a blank line.
  private mutating func emit(
    _ last: UnsafeRawBufferPointer, _ receive: (Element) throws -> Void
  ) throws {
    try requireLength(pending.count + last.count)
    let (index, start) = (index, start)
    func pass(_ bytes: UnsafeRawBufferPointer) throws -> Int {
      if bytes.allSatisfy(Self.isBlank) { return 0 }
      try receive(Element(bytes: bytes, index: index, start: start))
      return 1
    }
    if pending.isEmpty {
      self.index += try pass(last)
    } else {
      pending.append(contentsOf: last)
      self.index += try pending.withUnsafeBytes(pass)
      pending.removeAll(keepingCapacity: pending.count < 1 << 20)
    }
  }

  private func requireLength(_ length: Int) throws(JSONListError) {
    if length <= maximumLength { return }
    throw JSONListError(
      position: start, index: index, reason: "the element is longer than \(maximumLength) bytes")
  }

  private mutating func endLine(_ byte: UInt8, at position: Int) {
    guard byte == 0x0A else { return }
    line += 1
    lineStart = offset + position + 1
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || isBlank(byte)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
