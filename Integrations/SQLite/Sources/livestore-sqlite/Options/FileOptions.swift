import ArgumentParser
import Crypto
import Foundation
import LiveStoreSQLite

/// Which file is read, and with what key.
struct FileOptions: ParsableArguments {
  @Argument(help: "The file of a store.", completion: .file()) var file: String

  @Option(
    help: ArgumentHelp(
      "A file with the key of an encrypted file.",
      discussion: """
        It has the 16 to 1,024 bytes of the key, or their text in hexadecimal or base 64; what can be read as such a text is \
        taken for one. Without it, the environment variable LIVESTORE_KEY has such a text. A key cannot be an argument, \
        since all users of a machine see those.
        """,
      valueName: "path"),
    completion: .file())
  var keyFile: String?

  var url: URL { URL(fileURLWithPath: file) }

  func open() throws -> FileReader {
    if let keyFile { return try FileReader(url, key: KeyText.key(inFile: keyFile)) }
    // The variable may be there for another file.
    return try FileReader(url, key: KeyText.key(in: ProcessInfo.processInfo.environment), isKeyOptional: true)
  }
}
