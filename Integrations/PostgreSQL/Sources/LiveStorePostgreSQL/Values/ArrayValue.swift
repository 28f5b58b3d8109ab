/// The elements of an array in the order of the server's, which is that of nested arrays.
///
/// The lower bounds of the dimensions, which are no part of Swift's arrays, only serve the text.
struct ArrayValue {
  let bytes: [UInt8]
  let fields: [TupleData.Field]
  /// The sizes of the dimensions, the outermost first. An empty array has none.
  let sizes: [Int]
  let lowerBounds: [Int]
  let type: PostgresType
  let place: ColumnPlace

  /// Arrays of more dimensions cannot be made.
  static let maximumDimensions = 6

  /// The array that is in a value; nil if the bytes are none.
  init?(_ value: FieldValue) {
    guard let type = value.type.element else { return nil }
    (self.type, place) = (type, value.place)
    if value.isBinary {
      var reader = ByteReader(value.bytes, value.range)
      guard let array = try? Self.binary(&reader) else { return nil }
      (bytes, (sizes, lowerBounds, fields)) = (value.bytes, array)
    } else {
      guard let text = value.withBytes({ ArrayTextParser.contents($0.bytes, delimiter: type.delimiter) })
      else {
        return nil
      }
      (bytes, (sizes, lowerBounds, fields)) = (text.bytes, text.contents)
    }
  }

  /// The elements of a text that is an array of texts; none if it is not.
  static func texts(of text: String) -> [String] {
    let place = ColumnPlace(table: "", column: "")
    let bytes = Array(text.utf8)
    let type = PostgresType.array(of: .text)
    let value = FieldValue(bytes: bytes, range: bytes.indices, isBinary: false, type: type, place: place)
    guard let array = ArrayValue(value) else { return [] }
    return array.fields.indices.compactMap { array.element($0)?.text }
  }

  typealias Contents = (sizes: [Int], lowerBounds: [Int], fields: [TupleData.Field])

  private static func binary(_ reader: inout ByteReader) throws -> Contents? {
    let dimensions = try reader.integer(Int32.self)
    guard 0...Int32(maximumDimensions) ~= dimensions else { return nil }
    _ = try reader.integer(Int32.self)  // Whether there are nulls, which their lengths say, too.
    _ = try reader.integer(UInt32.self)  // The type of the elements, which the catalog says.
    var (sizes, lowerBounds, count) = ([Int](), [Int](), dimensions == 0 ? 0 : 1)
    for _ in 0..<dimensions {
      let size = Int(try reader.integer(Int32.self))
      sizes.append(size)
      lowerBounds.append(Int(try reader.integer(Int32.self)))
      let (product, overflows) = count.multipliedReportingOverflow(by: size)
      if size < 0 || overflows { return nil }
      count = product
    }
    // Each element has its length at least.
    guard count <= reader.remaining / 4 else { return nil }
    var fields: [TupleData.Field] = []
    fields.reserveCapacity(count)
    for _ in 0..<count {
      let length = try reader.integer(Int32.self)
      fields.append(length == -1 ? .null : TupleData.Field(.binary, try reader.skip(length)))
    }
    try reader.finish()
    return count == 0 ? ([], [], []) : (sizes, lowerBounds, fields)
  }

  /// An element; nil if it is null.
  func element(_ index: Int) -> FieldValue? {
    let field = fields[index]
    if field.form == .null { return nil }
    return FieldValue(
      bytes: bytes, range: field.range, isBinary: field.form == .binary, type: type, place: place)
  }

  /// The text of the array as the server writes it; nil if an element cannot be read.
  var text: String? {
    if fields.isEmpty { return "{}" }
    var text = ""
    if lowerBounds.contains(where: { $0 != 1 }) {
      for (size, bound) in zip(sizes, lowerBounds) { text += "[\(bound):\(bound + size - 1)]" }
      text += "="
    }
    var index = 0
    return append(&text, &index, dimension: 0) ? text : nil
  }

  private func append(_ text: inout String, _ index: inout Int, dimension: Int) -> Bool {
    text += "{"
    for position in 0..<sizes[dimension] {
      if position > 0 { text.unicodeScalars.append(Unicode.Scalar(type.delimiter)) }
      if dimension + 1 < sizes.count {
        guard append(&text, &index, dimension: dimension + 1) else { return false }
        continue
      }
      if let element = element(index) {
        guard let elementText = element.text else { return false }
        text += quoted(elementText)
      } else {
        text += "NULL"
      }
      index += 1
    }
    text += "}"
    return true
  }

  private func quoted(_ text: String) -> String {
    let needsQuotes =
      text.isEmpty || text.utf8.count == 4 && text.lowercased() == "null"
      || text.utf8.contains { #"{}"\"#.utf8.contains($0) || $0 == type.delimiter || $0.isArraySpace }
    guard needsQuotes else { return text }
    return "\"\(Quoting.escaped(text, ["\\", "\""], with: "\\"))\""
  }
}

extension UInt8 {
  /// Whether the byte is white space in the text of an array.
  var isArraySpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
