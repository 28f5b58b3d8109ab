import Foundation

extension ValueBytes {
  /// A UUID, of a text too.
  @inline(__always)
  var uuid: UUID? {
    if isBinary, kind == .uuid {
      guard bytes.count == 16 else { return nil }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
    return kind == .uuid || kind == .text ? uuidText : nil
  }

  private var uuidText: UUID? {
    guard count == 36 else { return nil }
    var id = noID
    var cursor = ByteCursor(bytes)
    return withUnsafeMutableBytes(of: &id) { id in
      for index in 0..<16 {
        if [4, 6, 8, 10].contains(index), !cursor.take("-" as Unicode.Scalar) { return nil }
        guard let byte = cursor.hexadecimalByte() else { return nil }
        id[index] = byte
      }
      return UUID(uuid: id.load(as: uuid_t.self))
    }
  }

  /// The bytes of a `bytea`; its text is in either of the server's formats.
  var data: [UInt8]? {
    guard kind == .bytea else { return nil }
    if isBinary { return Array(bytes) }
    var cursor = ByteCursor(bytes)
    var data: [UInt8] = []
    if cursor.take("\\x" as StaticString) {
      guard count % 2 == 0 else { return nil }
      data.reserveCapacity(count / 2 - 1)
      while !cursor.isAtEnd {
        guard let byte = cursor.hexadecimalByte() else { return nil }
        data.append(byte)
      }
      return data
    }
    while let byte = cursor.next() {
      guard byte == UInt8(ascii: "\\") else {
        data.append(byte)
        continue
      }
      if cursor.take("\\" as Unicode.Scalar) {
        data.append(byte)
      } else {
        guard let code = cursor.octalByte() else { return nil }
        data.append(code)
      }
    }
    return data
  }

  static func hexadecimal(_ data: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\\x".utf8)
    text.reserveCapacity(2 + 2 * data.count)
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

private let noID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

extension ByteCursor {
  /// A byte of two hexadecimal digits.
  mutating func hexadecimalByte() -> UInt8? {
    guard let high = next()?.hexadecimalDigit, let low = next()?.hexadecimalDigit else { return nil }
    return high << 4 | low
  }

  /// A byte of three octal digits.
  mutating func octalByte() -> UInt8? {
    var code = 0
    for _ in 0..<3 {
      guard let digit = next()?.decimalDigit, digit < 8 else { return nil }
      code = code * 8 + Int(digit)
    }
    return UInt8(exactly: code)
  }
}
