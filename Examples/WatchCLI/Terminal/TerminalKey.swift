/// What a key of the keyboard means.
package enum TerminalKey: Hashable, Sendable {
  case up, down, left, right
  case pageUp, pageDown
  case home, end
  case quit
  case redraw
  /// A key without a meaning.
  case other
}

/// Reads keys from the bytes that a terminal sends, in pieces of any size.
package struct KeyReader {
  /// The beginning of an escape sequence.
  private var pending: [UInt8] = []

  /// A reader without pending bytes.
  package init() {}

  /// The keys that the bytes complete.
  package mutating func keys(in bytes: some Sequence<UInt8>) -> [TerminalKey] {
    var keys: [TerminalKey] = []
    for byte in bytes {
      if pending.isEmpty {
        if byte == 0x1B { pending = [byte] } else { keys.append(Self.key(byte)) }
      } else if pending.count == 1 {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "O"): pending.append(byte)
        case 0x1B: break
        default:
          // Escape, and then a key.
          pending = []
          keys.append(Self.key(byte))
        }
      } else if (0x40...0x7E).contains(byte) {
        keys.append(Self.key(sequence: pending.dropFirst(2) + [byte]))
        pending = []
      } else if pending.count < 32 {
        pending.append(byte)
      } else {
        pending = []
      }
    }
    return keys
  }

  private static func key(_ byte: UInt8) -> TerminalKey {
    switch Unicode.Scalar(byte) {
    case "k", "\u{10}": .up
    case "j", "\u{0E}", "\r", "\n": .down
    case "h": .left
    case "l": .right
    case "b", "\u{02}": .pageUp
    case " ", "f", "\u{06}": .pageDown
    case "g", "<": .home
    case "G", ">": .end
    case "q", "Q": .quit
    case "\u{0C}": .redraw
    default: .other
    }
  }

  /// The key of a sequence without its introducer: `A`, `5~`, `1;5B`.
  private static func key(sequence: some Collection<UInt8>) -> TerminalKey {
    let text = String(decoding: sequence, as: UTF8.self)
    switch text.last {
    case "A": return .up
    case "B": return .down
    case "C": return .right
    case "D": return .left
    case "H": return .home
    case "F": return .end
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
