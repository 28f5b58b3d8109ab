import ArgumentParser
import Crypto
import Foundation
import LiveStoreSQLite

/// Which file is read, and with what key.
struct FileOptions: ParsableArguments {
  @Argument(help: "The file of a store.", completion: .file()) var file: String

  @Option(
    help: ArgumentHelp(
      "A file with the key of an encrypted file: 16 to 64 bytes, or their text in hexadecimal or base 64.",
      discussion: "Without it, the environment variable LIVESTORE_KEY may have such a text."),
    completion: .file())
  var keyFile: String?

  var url: URL { URL(fileURLWithPath: file) }

  func open() throws -> FileReader { try FileReader(url, key: key()) }

  private func key() throws -> SymmetricKey? {
    if let keyFile {
      let data = try Data(contentsOf: URL(fileURLWithPath: keyFile))
      if let text = String(data: data, encoding: .utf8), let key = Self.key(text) { return key }
      guard 16...64 ~= data.count else {
        throw ValidationError("\(keyFile) has no key: it has \(data.count) bytes.")
      }
      return SymmetricKey(data: data)
    }
    guard let text = ProcessInfo.processInfo.environment["LIVESTORE_KEY"] else { return nil }
    guard let key = Self.key(text) else {
      throw ValidationError("LIVESTORE_KEY is neither hexadecimal nor base 64, of 16 to 64 bytes.")
    }
    return key
  }

  private static func key(_ text: String) -> SymmetricKey? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    var bytes: [UInt8]? = []
    var digits = Substring(text)
    while !digits.isEmpty, bytes != nil {
      if let byte = UInt8(digits.prefix(2), radix: 16), digits.count >= 2 {
        bytes?.append(byte)
      } else {
        bytes = nil
      }
      digits = digits.dropFirst(2)
    }
    let decoded = bytes ?? Data(base64Encoded: text).map { Array($0) }
    guard let decoded, 16...64 ~= decoded.count else { return nil }
    return SymmetricKey(data: decoded)
  }
}

extension FileVersion {
  /// The entity of a name, or the only one.
  func entity(_ name: String?) throws -> String {
    let all = entities.joined(separator: ", ")
    if let name {
      if entities.contains(name) { return name }
      throw ValidationError("The file has no entity \(name). It has: \(all.isEmpty ? "none" : all).")
    }
    guard entities.count == 1, let only = entities.first else {
      throw ValidationError("Name an entity after the file. It has: \(all.isEmpty ? "none" : all).")
    }
    return only
  }
}
