/// Reads keys from the bytes that a terminal sends, in pieces of any size.
package struct KeyReader: Sendable {
  /// The beginning of an escape sequence, or of a character of several bytes.
  private var pending: [UInt8] = []

  /// A reader without pending bytes.
  package init() {}

  /// Whether there was an Escape, which is a key unless more of a sequence comes.
  package var mayBeEscape: Bool { pending == [0x1B] }

  /// Takes the Escape for a key.
  package mutating func takeEscape() -> TerminalKey {
    pending = []
    return .escape
  }

  /// The keys that the bytes complete.
  package mutating func keys(in bytes: some Sequence<UInt8>) -> [TerminalKey] {
    bytes.flatMap { key(completedBy: $0) }
  }

  private mutating func key(completedBy byte: UInt8) -> [TerminalKey] {
    switch pending.first {
    case nil:
      guard byte == 0x1B || (0xC2...0xF4).contains(byte) else { return [Self.key(byte)] }
      pending = [byte]
      return []
    case 0x1B: return sequenceKey(completedBy: byte)
    case let first?:
      guard byte & 0xC0 == 0x80 else {
        pending = []
        return [.other] + key(completedBy: byte)
      }
      pending.append(byte)
      guard pending.count == (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) else { return [] }
      defer { pending = [] }
      return String(decoding: pending, as: UTF8.self).unicodeScalars.first.map { [.character($0)] } ?? []
    }
  }

  private mutating func sequenceKey(completedBy byte: UInt8) -> [TerminalKey] {
    if pending.count == 1 {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
        pending.append(byte)
        return []
      }
      return [takeEscape()] + key(completedBy: byte)
    }
    if (0x40...0x7E).contains(byte) {
      defer { pending = [] }
      return [Self.key(sequence: pending.dropFirst(2) + [byte])]
    }
    pending = pending.count < 32 ? pending + [byte] : []
    return []
  }

  private static func key(_ byte: UInt8) -> TerminalKey {
    switch byte {
    case 0x10: .up
    case 0x0E: .down
    case 0x02: .pageUp
    case 0x06: .pageDown
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x15: .deleteLine
    case 0x0C: .redraw
    case 0x20..<0x7F: .character(Unicode.Scalar(byte))
    default: .other
    }
  }

  /// The key of a sequence without its introducer: `A`, `5~`, `1;5B`.
  private static func key(sequence: some Collection<UInt8>) -> TerminalKey {
    let text = String(decoding: sequence, as: UTF8.self)
    switch text.utf8.last.map(Unicode.Scalar.init) {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
    case "M": return .enter
    case "~":
      switch text.prefix(while: \.isNumber) {
      case "1", "7": return .home
      case "4", "8": return .end
      case "5": return .pageUp
      case "6": return .pageDown
      default: return .other
      }
    default: return .other
    }
  }
}
