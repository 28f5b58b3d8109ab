import Foundation
import Synchronization

/// A key of the terminal.
package enum Key: Equatable, Sendable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, last, tab, backTab, enter, escape, backspace
  /// Control-C, or the end of the input.
  case end

  /// The keys in what was read at once.
  package static func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == 0x1B, let (key, length) = sequence(rest) {
        if let key { keys.append(key) }
        rest = rest.dropFirst(length)
        continue
      }
      switch first {
      case 0x03, 0x04: keys.append(.end)
      case 0x09: keys.append(.tab)
      case 0x0A, 0x0D: keys.append(.enter)
      case 0x1B: keys.append(.escape)
      case 0x08, 0x7F: keys.append(.backspace)
      case 0..<0x20: break
      default:
        let text = String(decoding: rest.prefix { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
        keys += text.map { .character($0) }
        rest = rest.dropFirst(text.utf8.count - 1)
      }
      rest = rest.dropFirst()
    }
    return keys
  }

  /// The key of an escape sequence, nil for one without a meaning here; nil if this is the Escape key itself.
  private static func sequence(_ bytes: ArraySlice<UInt8>) -> (Key?, length: Int)? {
    let second = bytes.dropFirst().first
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return nil }
    let body = bytes.dropFirst(2)
    guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return (nil, bytes.count) }
    let names: [String: Key] = [
      "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .last, "Z": .backTab, "5~": .pageUp,
      "6~": .pageDown,
      "1~": .home,
      "4~": .last,
    ]
    return (names[String(decoding: body[...end], as: UTF8.self)], end - bytes.startIndex + 1)
  }
}

/// The terminal as a screen of its own, until it is restored.
///
/// State: `before`, what the terminal was like, nil once it is restored, guarded by its mutex.
final class Terminal: Sendable {
  private let before: Mutex<termios?>

  /// - Throws: a `ToolFailure` if standard input is none.
  init() throws {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw ToolFailure.output(errno) }
    before = Mutex(settings)
    cfmakeraw(&settings)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    // The other screen, without a cursor and without breaking lines.
    try Output.write(Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l".utf8))
  }

  deinit { restore() }

  /// Leaves the terminal as it was.
  func restore() {
    let settings = before.withLock { before in
      defer { before = nil }
      return before
    }
    guard var settings else { return }
    try? Output.write(Array("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8))
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Shows lines from the top.
  func show(_ lines: [String]) throws {
    // Between the two marks, a terminal that knows them shows nothing half drawn.
    var text = "\u{1B}[?2026h\u{1B}[H"
    text += lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
    try Output.write(Array((text + "\u{1B}[J\u{1B}[?2026l").utf8))
  }

  /// The keys that are pressed; the last is `end`, if the input ends.
  func keys() -> AsyncStream<Key> {
    let (keys, continuation) = AsyncStream.makeStream(of: Key.self)
    // Reading blocks. The thread ends with the process.
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for key in Key.keys(in: Array(bytes[..<count])) { continuation.yield(key) }
      }
      continuation.yield(.end)
      continuation.finish()
    }
    return keys
  }
}
