import Foundation

/// The terminal of the output, opened once more: what is set for this opening, not to wait, concerns no other process.
///
/// There is one in a process, which is never closed.
struct TerminalFile: Sendable {
  let descriptor: Int32

  /// Opens the terminal that an open file is; nil if it is none or cannot be opened.
  init?(of output: Int32) {
    guard isatty(output) == 1 else { return nil }
    var name = [CChar](repeating: 0, count: 1_024)
    var descriptor: Int32 = -1
    if ttyname_r(output, &name, name.count) == 0 { descriptor = Self.open(&name) }
    if descriptor < 0 || !Self.areSame(descriptor, output) {
      if descriptor >= 0 { close(descriptor) }
      // The name may be of another file system, as in a container.
      var controlling = Array("/dev/tty\0".utf8CString)
      descriptor = Self.open(&controlling)
    }
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  private static func open(_ name: inout [CChar]) -> Int32 {
    Foundation.open(&name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
  }

  private static func areSame(_ one: Int32, _ other: Int32) -> Bool {
    var (a, b) = (stat(), stat())
    return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_rdev == b.st_rdev
  }

  /// How many characters a terminal shows; the usual 80 by 24 if it does not say.
  static func size(of descriptor: Int32) -> TableScreen.Size {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return TableScreen.Size(rows: 24, columns: 80)
    }
    return TableScreen.Size(rows: Int(size.ws_row), columns: Int(size.ws_col))
  }

  /// Reads what keys have sent; nil at the end of the terminal, empty if there is nothing.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1_024)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
  }

  /// Writes as much as the terminal takes now; nil at its end.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }
}
