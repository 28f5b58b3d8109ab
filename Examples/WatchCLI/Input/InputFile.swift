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
    let descriptor = isStandardInput ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
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
  package static func check(_ name: String) throws(Exit) {
    if name != "-" && access(name, R_OK) != 0 { throw failure(name) }
  }

  /// Whether there are bytes to read now, or the end is.
  package borrowing func isReady() -> Bool {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) != 0
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

  private static func failure(_ name: String) -> Exit {
    let name = name == "-" ? "standard input" : name
    return Exit(.noInput, "cannot read \(name): \(String(cString: strerror(errno)))")
  }
}
