import Foundation

/// A file, pipe or device that is read from front to end.
package struct InputFile: ~Copyable {
  /// The name as given on the command line.
  package let name: String
  /// True for a regular file, all of whose content is available.
  package let isRegular: Bool
  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens a file, or takes standard input for `-`.
  package init(_ name: String) throws(Exit) {
    let isStandardInput = name == "-"
    // A pipe that nothing writes to would not open, so that neither a signal nor --timeout ended the tool. It is waited for
    // before each read.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = isStandardInput ? STDIN_FILENO : open(name, flags)
    guard descriptor >= 0 else { throw Self.failure(name) }
    var status = stat()
    self.name = name
    self.descriptor = descriptor
    isOwned = !isStandardInput
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Checks that a file can be opened, without opening it.
  ///
  /// - Parameter isAwaited: whether the file need not be there yet.
  package static func check(_ name: String, isAwaited: Bool = false) throws(Exit) {
    if name == "-" || access(name, R_OK) == 0 || isAwaited && errno == ENOENT { return }
    throw failure(name)
  }

  /// How many bytes there are to read in several files together; nil if one of them is not a regular file.
  static func size(of names: [String]) -> Int? {
    var sum = 0
    for name in names {
      var status = stat()
      let isStandardInput = name == "-"
      guard (isStandardInput ? fstat(STDIN_FILENO, &status) : stat(name, &status)) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      let (total, isBeyond) = sum.addingReportingOverflow(Int(status.st_size))
      // Files with holes can have any size.
      if isBeyond { return nil }
      sum = total
      // What was read before by another process is not read again.
      if isStandardInput { sum -= max(0, Int(lseek(STDIN_FILENO, 0, SEEK_CUR))) }
    }
    return sum
  }

  /// Whether there are bytes to read now, or the end is.
  package borrowing func isReady() -> Bool {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) != 0
  }

  /// Waits until there are bytes to read, or the end is; false if there are none in a time.
  package borrowing func isReady(within milliseconds: Int32) throws(Exit) -> Bool {
    switch Interrupts.wait(reading: descriptor, milliseconds: milliseconds) {
    case .ready: return true
    case .timeout: return false
    case .interrupted: throw Interrupts.exit
    }
  }

  /// Reads the available bytes, waiting until there are some; returns their number, 0 at the end.
  package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(Exit) -> Int {
    while true {
      if Interrupts.wait(reading: descriptor) { throw Interrupts.exit }
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR && errno != EAGAIN { throw Self.failure(name) }
    }
  }

  /// The end because of a file that cannot be opened or read.
  static func failure(_ name: String) -> Exit {
    let name = name == "-" ? "standard input" : name
    return Exit(.noInput, "cannot read \(name): \(String(cString: strerror(errno)))")
  }
}
