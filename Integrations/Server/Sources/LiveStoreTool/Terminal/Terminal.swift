import Foundation
import Synchronization

/// A key of the terminal.
package enum Key: Equatable, Sendable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, last, tab, backTab, enter, escape, backspace
  /// Control-C or Control-D.
  case end
  /// The end of the input.
  case closed
}

/// Reads keys from the bytes of a terminal, which come in chunks that end anywhere.
package struct KeyParser {
  /// The beginning of a character or of an escape sequence.
  private var rest: [UInt8] = []
  /// No sequence that a terminal sends is longer.
  private static let longestSequence = 32

  package init() {}

  /// Whether bytes wait for others.
  package var isWaiting: Bool { !rest.isEmpty }

  /// The keys in a chunk, and in what was left of those before.
  package mutating func keys(in chunk: some Sequence<UInt8>) -> [Key] {
    rest += chunk
    var keys: [Key] = []
    while let first = rest.first {
      guard let (key, length) = first == 0x1B ? sequence() : single(first) else { break }
      if let key { keys.append(key) }
      rest.removeFirst(length)
    }
    return keys
  }

  /// The keys in what waits, if nothing follows it: Escape alone is the beginning of each sequence.
  package mutating func finish() -> [Key] {
    defer { rest = [] }
    return rest == [0x1B] ? [.escape] : []
  }

  /// The key that is not a sequence; nil if its character is not complete.
  private func single(_ first: UInt8) -> (Key?, length: Int)? {
    switch first {
    case 0x03, 0x04: return (.end, 1)
    case 0x09: return (.tab, 1)
    case 0x0A, 0x0D: return (.enter, 1)
    case 0x08, 0x7F: return (.backspace, 1)
    case 0..<0x20: return (nil, 1)
    case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
    default: break
    }
    let length = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 1
    let bytes = rest.prefix(length)
    // A byte that continues nothing, and a character that another interrupts, have no meaning.
    let valid = 1 + bytes.dropFirst().prefix { $0 & 0xC0 == 0x80 }.count
    guard valid == length else { return valid == rest.count ? nil : (nil, valid) }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
      return (nil, length)
    }
    return (.character(character), length)
  }

  /// The key of an escape sequence, nil for one without a meaning here; nil if it is not complete.
  private func sequence() -> (Key?, length: Int)? {
    guard rest.count > 1 else { return nil }
    guard rest[1] == UInt8(ascii: "[") || rest[1] == UInt8(ascii: "O") else { return (.escape, 1) }
    let body = rest.dropFirst(2)
    guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return rest.count > Self.longestSequence ? (nil, rest.count) : nil
    }
    let names: [String: Key] = [
      "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .last, "Z": .backTab, "5~": .pageUp,
      "6~": .pageDown, "1~": .home, "4~": .last,
    ]
    return (names[String(decoding: body[...end], as: UTF8.self)], end + 1)
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

  /// The keys that are pressed; the last is `closed`, if the input ends.
  func keys() -> AsyncStream<Key> {
    let (keys, continuation) = AsyncStream.makeStream(of: Key.self)
    // Reading blocks. The thread ends with the process.
    Thread.detachNewThread {
      var (parser, bytes) = (KeyParser(), [UInt8](repeating: 0, count: 256))
      while true {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let ready = poll(&input, 1, parser.isWaiting ? Self.longestGap : -1)
        if ready < 0, errno == EINTR { continue }
        if ready == 0 {
          for key in parser.finish() { continuation.yield(key) }
          continue
        }
        let count = bytes.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else { break }
        for key in parser.keys(in: bytes[..<count]) { continuation.yield(key) }
      }
      continuation.yield(.closed)
      continuation.finish()
    }
    return keys
  }

  /// How many milliseconds may be between the bytes of one key.
  private static let longestGap: Int32 = 50
}
