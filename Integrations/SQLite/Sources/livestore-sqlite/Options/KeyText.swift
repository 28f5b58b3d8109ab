import Crypto
import Foundation

/// Keys as bytes and as text.
package enum KeyText {
  /// How many bytes a key has.
  private static let sizes = 16...1_024

  /// The key that a file has, as bytes or as text.
  static func key(inFile path: String) throws -> SymmetricKey {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw ToolFailure.input("The file \(path) of the key cannot be read: \(error.localizedDescription)")
    }
    if let text = String(data: data, encoding: .utf8), let bytes = bytes(of: text) {
      return SymmetricKey(data: bytes)
    }
    guard sizes.contains(data.count) else {
      throw ToolFailure.input(
        "The file \(path) has no key: it has \(data.count) bytes. A key has 16 to 1,024, or is their text in hexadecimal or base 64."
      )
    }
    return SymmetricKey(data: data)
  }

  /// The key in the environment; nil if there is none.
  static func key(in environment: [String: String]) throws -> SymmetricKey? {
    guard let text = environment["LIVESTORE_KEY"], !text.isEmpty else { return nil }
    guard let bytes = bytes(of: text) else {
      throw ToolFailure.input("LIVESTORE_KEY is no text of 16 to 1,024 bytes in hexadecimal or base 64.")
    }
    return SymmetricKey(data: bytes)
  }

  /// The bytes that a text in hexadecimal or base 64 stands for; nil if it is neither, or they are no key.
  package static func bytes(of text: String) -> [UInt8]? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let bytes = hexadecimal(text) ?? Data(base64Encoded: text).map({ Array($0) }),
      sizes.contains(bytes.count)
    else { return nil }
    return bytes
  }

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    let digits = text.map(\.hexDigitValue)
    guard digits.count % 2 == 0, text.utf8.count == digits.count else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
