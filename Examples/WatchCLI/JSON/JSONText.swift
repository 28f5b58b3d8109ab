package import LiveStore

/// A compact text of a JSON value, as ``JSONValue/description`` gives it, in which values are found without making
/// the others.
///
/// The form of the text is not checked again (N3). The bytes belong to the caller of its initialiser, which keeps them as long as this value
/// is used.
package struct JSONText {
  /// The text in UTF-8.
  package let bytes: UnsafeRawBufferPointer

  /// A text of these bytes.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The whole value.
  package var value: JSONValue { JSONValue(compact: bytes) }

  /// Whether the value is an object.
  package var isObject: Bool { bytes[0] == UInt8(ascii: "{") }

  /// Whether the value that a range has is null.
  package func isNull(at range: Range<Int>) -> Bool { bytes[range.lowerBound] == UInt8(ascii: "n") }

  /// Where the value at a path is; nil if something is missing on the way.
  ///
  /// - Complexity: O(length of the text up to its end)
  package func range(at path: [String]) -> Range<Int>? {
    var start = 0
    for step in path {
      guard let next = self.start(of: step, in: start) else { return nil }
      start = next
    }
    return start..<end(ofValueAt: start)
  }

  /// The text of the value at a path; nil if something is missing on the way.
  ///
  /// - Complexity: O(length of the text up to its end)
  package func text(at path: [String]) -> JSONText? {
    range(at: path).map { JSONText(UnsafeRawBufferPointer(rebasing: bytes[$0])) }
  }

  /// The value at a path, as ``JSONValue/value(at:)`` gives it.
  ///
  /// - Complexity: O(length of the text up to its end)
  package func value(at path: [String]) -> JSONValue? {
    text(at: path)?.value
  }

  /// The value that a range has.
  func value(in range: Range<Int>?) -> JSONValue? {
    range.map { JSONText(UnsafeRawBufferPointer(rebasing: bytes[$0])).value }
  }

  /// Calls a closure with the key of each member of the object at a place, and where its value is; nothing if there is no
  /// object. The key is valid in the closure alone.
  ///
  /// - Complexity: O(length of the object)
  @inline(__always)
  func forEachMember(at place: Int = 0, _ body: (_ key: JSONTextKey, _ value: Range<Int>) -> Void) {
    guard bytes[place] == UInt8(ascii: "{") else { return }
    var index = place + 1
    while bytes[index] == UInt8(ascii: "\"") {
      let key = JSONTextKey(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...]))
      let start = index + key.count + 3
      index = end(ofValueAt: start)
      body(key, start..<index)
      if bytes[index] == UInt8(ascii: ",") { index += 1 }
    }
  }

  /// Where the member or element that a step names begins, in the value at a place.
  private func start(of step: String, in place: Int) -> Int? {
    switch bytes[place] {
    case UInt8(ascii: "{"): member(step, of: place)
    case UInt8(ascii: "["): JSONValue.arrayIndex(step).flatMap { element($0, of: place) }
    default: nil
    }
  }

  private func member(_ step: String, of place: Int) -> Int? {
    var step = step
    return step.withUTF8 { name -> Int? in
      let isASCII = name.allSatisfy { $0 < 0x80 }
      var index = place + 1
      while bytes[index] == UInt8(ascii: "\"") {
        let key = JSONTextKey(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...]))
        index += key.count + 3
        if key.isEqual(to: name, isASCII: isASCII) { return index }
        index = end(ofValueAt: index)
        // After a comma comes the next key; otherwise the object ends.
        if bytes[index] == UInt8(ascii: ",") { index += 1 }
      }
      return nil
    }
  }

  private func element(_ number: Int, of place: Int) -> Int? {
    var (index, rest) = (place + 1, number)
    while bytes[index] != UInt8(ascii: "]") {
      if rest == 0 { return index }
      rest -= 1
      index = end(ofValueAt: index)
      if bytes[index] == UInt8(ascii: ",") { index += 1 }
    }
    return nil
  }
}

/// A key in a compact text, between its quotes.
struct JSONTextKey {
  let bytes: UnsafeRawBufferPointer
  /// Whether it is ASCII without escapes.
  private let isPlain: Bool

  /// The key at the beginning of a text, after its quote.
  @inline(__always)
  init(_ text: UnsafeRawBufferPointer) {
    var (end, isPlain) = (0, true)
    while text[end] != UInt8(ascii: "\"") {
      let byte = text[end]
      if byte == UInt8(ascii: "\\") || byte >= 0x80 { isPlain = false }
      end += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    (bytes, self.isPlain) = (UnsafeRawBufferPointer(rebasing: text[..<end]), isPlain)
  }

  /// How many bytes it has.
  var count: Int { bytes.count }

  /// Whether it is written in some bytes.
  @inline(__always)
  func isWritten(_ other: [UInt8]) -> Bool {
    other.withUnsafeBytes { $0.count == bytes.count && bytes.elementsEqual($0) }
  }

  /// Whether it is a name, as strings are equal: by canonical equivalence, of which ASCII alone needs nothing but bytes.
  @inline(__always)
  func isEqual(to name: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> Bool {
    if isPlain, isASCII { return bytes.count == name.count && bytes.elementsEqual(name) }
    return isSameText(text, String(decoding: name, as: UTF8.self))
  }

  /// The key as it is meant.
  var text: String {
    guard !isPlain, case .string(let text) = JSONValue(compactString: bytes) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return text
  }
}
