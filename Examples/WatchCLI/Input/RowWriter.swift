import LiveStore

/// Writes rows as the JSON text of their objects, from bytes to bytes.
struct RowWriter {
  /// The object that was written last.
  private(set) var object: [UInt8] = []
  /// How its numbers were written that JSON writes otherwise.
  private(set) var spellings = NumberSpellings()
  /// Where the objects begin that are open, and where the text ended before each.
  private var open: [Int] = []

  /// How long an object may be: offsets in it have 31 bits.
  private static let longest = 1 << 30

  /// Writes the object of a row; what is missing or empty, and not in quotation marks, is left out.
  ///
  /// - Parameters:
  ///   - row: UTF-8.
  ///   - decisive: whether only the members are written that decide whether the object is needed.
  /// - Complexity: O(length of the row and the names)
  mutating func write(
    _ fields: RowFields, of row: UnsafeRawBufferPointer, _ layout: RowLayout, values: Values,
    decisive: Bool = false
  ) throws(RowMistake) {
    object.removeAll(keepingCapacity: object.count < 1 << 20)
    spellings.removeAll()
    open.removeAll()
    object.append(UInt8(ascii: "{"))
    for step in decisive ? layout.decisive : layout.steps {
      switch step {
      case .value(let column, let key):
        let index = values == .allFields ? column : 2 * column + 1
        guard index < fields.fields.count else { continue }
        let field = fields.fields[index]
        guard field.isQuoted || field.start < field.end else { continue }
        begin(layout.keys[key])
        fields.withBytes(of: field, in: row) { append($0, layout.kinds[column]) }
      case .begin(let key):
        open.append(object.count)
        begin(layout.keys[key])
        object.append(UInt8(ascii: "{"))
      case .end:
        let start = open.removeLast()
        if object.last == UInt8(ascii: "{") {
          object.removeSubrange(start...)
        } else {
          object.append(UInt8(ascii: "}"))
        }
      }
      if object.count > Self.longest {
        throw RowMistake(reason: "the object is longer than \(Self.longest) bytes")
      }
    }
    object.append(UInt8(ascii: "}"))
  }

  /// Which of the fields are values.
  enum Values {
    case allFields
    /// Each second one, behind its name.
    case namedFields
  }

  private mutating func begin(_ key: ArraySlice<UInt8>) {
    // No value ends in this byte.
    if object.last != UInt8(ascii: "{") { object.append(UInt8(ascii: ",")) }
    object.append(contentsOf: key)
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ kind: RowLayout.Kind) {
    if kind != .text, let first = bytes.first {
      if first < 0x3A {
        if let number = RowNumber(bytes, withZeros: kind == .number) { return append(number, bytes) }
      } else if kind == .any, bytes.count == 4 || bytes.count == 5,
        bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8)
      {
        object.append(contentsOf: bytes)
        return
      }
    }
    object.append(UInt8(ascii: "\""))
    if bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      for byte in bytes { JSONValue.write(byte, to: &object) }
    } else {
      object.append(contentsOf: bytes)
    }
    object.append(UInt8(ascii: "\""))
  }

  private mutating func append(_ number: RowNumber, _ bytes: UnsafeRawBufferPointer) {
    switch number {
    case .asWritten: object.append(contentsOf: bytes)
    case .otherwise(let text):
      spellings.add(bytes, at: object.count)
      object.append(contentsOf: text)
    }
  }
}

/// A value of a row that is a number.
enum RowNumber {
  /// JSON writes it in the same way.
  case asWritten
  /// JSON writes it so.
  case otherwise([UInt8])

  /// The number that some bytes are: `12.50`, `-0.5`, `1e3`, `+5`, `.5`, `5.`, of any length; nil if they are none, or beyond
  /// what JSON values hold exactly, about 10³⁰⁸.
  ///
  /// - Parameter withZeros: whether `007` is a number.
  /// - Complexity: O(length)
  @inline(__always)
  init?(_ bytes: UnsafeRawBufferPointer, withZeros: Bool) {
    var index = 0
    var isJSON = true
    if bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
      isJSON = bytes[0] == UInt8(ascii: "-")
      index = 1
    }
    let whole = Self.digits(bytes, &index)
    if whole.count > 1, bytes[whole.lowerBound] == UInt8(ascii: "0") {
      guard withZeros else { return nil }
      isJSON = false
    }
    var fraction = index..<index
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      fraction = Self.digits(bytes, &index)
      isJSON = isJSON && !fraction.isEmpty
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    isJSON = isJSON && !whole.isEmpty
    var exponent = index..<index
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      let start = index
      if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
        index += 1
      }
      guard !Self.digits(bytes, &index).isEmpty else { return nil }
      exponent = start..<index
    }
    guard index == bytes.count else { return nil }
    if isJSON {
      self = .asWritten
      // Up to here no number is too large or too small.
      if exponent.isEmpty, bytes.count <= 300 { return }
      guard (try? JSONValue(parsing: bytes)) != nil else { return nil }
      return
    }
    var text: [UInt8] = bytes[0] == UInt8(ascii: "-") ? [bytes[0]] : []
    let significant = bytes[whole].drop { $0 == UInt8(ascii: "0") }
    text += significant.isEmpty ? [UInt8(ascii: "0")] : Array(significant)
    if !fraction.isEmpty { text += [UInt8(ascii: ".")] + bytes[fraction] }
    if !exponent.isEmpty { text += [UInt8(ascii: "e")] + bytes[exponent] }
    guard (try? JSONValue(parsing: text)) != nil else { return nil }
    self = .otherwise(text)
  }

  @inline(__always)
  private static func digits(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) -> Range<Int> {
    let start = index
    while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
    return start..<index
  }
}
