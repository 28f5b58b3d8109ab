/// What an input may be of which no line could be read, by its first bytes.
package struct InputGuess {
  private let bytes: [UInt8]
  private let format: InputFormat

  /// How many bytes are looked at.
  static let length = 512

  /// A guess about an input that was read in a format.
  package init(_ bytes: some Collection<UInt8>, readAs format: InputFormat) {
    (self.bytes, self.format) = (Array(bytes.prefix(Self.length)), format)
  }

  /// What the input seems to be, and how it can be read; nil if it does not look like anything.
  package var hint: String? {
    if let program = compression {
      return "the input seems to be compressed: \(program) -dc FILE | livestore-watch"
    }
    if let encoding {
      return "the input seems to be \(encoding), which --encoding utf-16 reads"
    }
    if bytes.contains(where: { $0 < 0x20 && !Self.blanks.contains($0) }) {
      return "the input seems to be no text"
    }
    if let first = start.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return format == .json ? nil : "the input seems to be JSON, which is read without --input"
    }
    if Self.beginnings.contains(where: { start.starts(with: $0.utf8) }) {
      return "the input seems to be server-sent events, which --envelope state reads"
    }
    guard let other else { return nil }
    let name = other == .logfmt ? "logfmt" : other.rawValue.uppercased()
    return "the input seems to be \(name), which --input \(other.rawValue) reads"
  }

  private static let beginnings = ["event:", "data:{", "data:["]

  private static let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]

  /// The bytes without blanks and a byte order mark.
  private var start: [UInt8] {
    bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).filter { !Self.blanks.contains($0) }
  }

  /// The program that makes the input longer.
  private var compression: String? {
    let marks: [(bytes: [UInt8], program: String)] = [
      ([0x1F, 0x8B], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz"),
      ([0x42, 0x5A, 0x68], "bzip2"),
    ]
    return marks.first { bytes.starts(with: $0.bytes) }?.program
  }

  /// The encoding, if each second byte is zero.
  private var encoding: String? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    let pairs = bytes.prefix(16)
    guard pairs.count >= 4 else { return nil }
    let zeros = [0, 1].map { half in
      pairs.enumerated().allSatisfy { ($0.offset % 2 == half) == ($0.element == 0) }
    }
    return zeros[0] ? "UTF-16BE" : zeros[1] ? "UTF-16LE" : nil
  }

  /// The format of rows that the first line has.
  private var other: InputFormat? {
    let line = bytes.prefix { $0 != 0x0A }
    let found: InputFormat? =
      if isLogfmt(line) {
        .logfmt
      } else if line.contains(0x09) {
        .tsv
      } else if line.contains(UInt8(ascii: ",")) {
        .csv
      } else {
        nil
      }
    return found == format ? nil : found
  }

  /// Whether a line begins with a name and an equals sign.
  private func isLogfmt(_ line: some Collection<UInt8>) -> Bool {
    let name = line.prefix { $0 != UInt8(ascii: "=") && $0 > 0x20 && $0 != UInt8(ascii: ",") }
    return !name.isEmpty && line.dropFirst(name.count).first == UInt8(ascii: "=")
  }
}
