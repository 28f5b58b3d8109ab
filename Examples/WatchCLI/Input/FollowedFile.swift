import Foundation

/// A file that is read on when it grows, under a name that another file may take, or a pipe that is read to its end.
///
/// A file that only grows keeps its beginning. So one that is shorter than before, or begins with other bytes, has been
/// overwritten, and is read from its beginning. NUL bytes where a line begins, and holes, are skipped: a writer that does
/// not append leaves them when the file is truncated under it.
///
/// ```
/// 0            head.count                 place          size
/// │ compared at each look │ has been read │ to be read │
/// ```
final class FollowedFile {
  /// What one look at a file finds.
  enum Finding {
    /// So many bytes that continue the content; 0 if all of them were skipped.
    case bytes(Int)
    /// The content ends here: other content replaces it, or a pipe has ended.
    case end
    /// Nothing more for now.
    case nothing
  }

  /// The name as given on the command line.
  let name: String
  /// The open file; -1 as long as there is none.
  private(set) var descriptor: Int32 = -1
  /// Whether it is a file that can grow, instead of a pipe or a device.
  private(set) var isRegular = false
  /// Whether it is a pipe that has ended.
  private(set) var hasEnded = false
  /// Whether its events have been asked for since it was opened.
  var isWatched = false
  /// How many bytes have been read or skipped.
  private(set) var place = 0
  /// The first of them.
  private var head: [UInt8] = []
  /// Whether the next byte begins a line.
  private var isAtLineStart = true
  /// Called with a message if there is no file yet.
  private let report: (String) -> Void
  private var isReported = false

  /// How many bytes are compared, and how many NULs where a line begins are not text. Two may be, in UTF-16.
  private static let limit = (head: 1_024, zeros: 3)
  #if canImport(Darwin)
    private static let seekData = SEEK_DATA
  #else
    /// `SEEK_DATA`, which the C library's header defines under a macro only.
    private static let seekData: Int32 = 3
  #endif
  /// A pipe is opened without waiting for its writer.
  private static let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

  /// A file that is opened by the first look at it, or standard input for `-`.
  init(_ name: String, report: @escaping (String) -> Void) {
    (self.name, self.report) = (name, report)
    if name == "-" { descriptor = STDIN_FILENO }
  }

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// Reads what there is, without waiting for more.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Exit) -> Finding {
    if hasEnded { return .nothing }
    if descriptor < 0, try !open() { return .nothing }
    if !isRegular { return try readPipe(into: buffer) }
    // Looked at first, so that a file is read to its end before the one that replaces it.
    let isReplaced = isReplaced
    var count = 0
    if let start = nextByte {
      if start > place { skip(start - place) }
      count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(place))
      if count < 0 { throw InputFile.failure(name) }
    }
    // Looked at last, so that bytes from the middle of other content are never taken for more of the same.
    if isOverwritten {
      begin()
      return .end
    }
    if count > 0 { return .bytes(take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))) }
    return isReplaced && reopen() ? .end : .nothing
  }

  /// Whether a look would find bytes, or the end of a pipe.
  var hasMore: Bool {
    if descriptor < 0 || hasEnded { return false }
    return isRegular ? nextByte != nil : isReady
  }

  /// How many bytes the file has; as many as possible before it is opened.
  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : .max
  }
}

// MARK: Opening

extension FollowedFile {
  /// Opens the file; false if there is none yet.
  private func open() throws(Exit) -> Bool {
    if reopen() { return true }
    guard errno == ENOENT else { throw InputFile.failure(name) }
    if !isReported { report("waiting for \(name), which is not there yet") }
    isReported = true
    return false
  }

  /// Opens the file that has the name now, in the place of the one that is open; false if that cannot be.
  private func reopen() -> Bool {
    let opened = Foundation.open(name, Self.flags)
    if opened < 0 { return false }
    if descriptor >= 0 { close(descriptor) }
    var status = stat()
    isRegular = fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    (descriptor, isWatched) = (opened, false)
    begin()
    return true
  }

  private func begin() {
    (place, head, isAtLineStart) = (0, [], true)
  }

  /// Whether another file has the name.
  private var isReplaced: Bool {
    var (own, named) = (stat(), stat())
    guard stat(name, &named) == 0, fstat(descriptor, &own) == 0 else { return false }
    return named.st_ino != own.st_ino || named.st_dev != own.st_dev
  }

  /// Whether the content is no longer that which has been read.
  private var isOverwritten: Bool {
    if size < place { return true }
    var found = [UInt8](repeating: 0, count: head.count)
    return pread(descriptor, &found, found.count, 0) != head.count || found != head
  }
}

// MARK: Reading

extension FollowedFile {
  /// Where the next byte stands that is in no hole; nil if there is none, as at the end.
  private var nextByte: Int? {
    let start = lseek(descriptor, off_t(place), Self.seekData)
    if start >= 0 { return Int(start) }
    // Some file systems do not report holes.
    return errno != ENXIO && size > place ? place : nil
  }

  /// Records bytes that have been read from the place on; how many of them are passed on.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let zeros = isAtLineStart ? Self.leadingZeros(bytes) : 0
    if zeros >= Self.limit.zeros {
      skip(zeros)
      return 0
    }
    let end = Self.endOfText(bytes)
    head += bytes[..<min(end, Self.limit.head - head.count)]
    place += end
    isAtLineStart = bytes[end - 1] == 0x0A
    return end
  }

  private func skip(_ zeros: Int) {
    head += Array(repeating: 0, count: min(zeros, Self.limit.head - head.count))
    place += zeros
  }

  private static func leadingZeros(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress, bytes[0] == 0 else { return 0 }
    // Each byte equals the one before it.
    if memcmp(start, start + 1, bytes.count - 1) == 0 { return bytes.count }
    return bytes.firstIndex { $0 != 0 } ?? bytes.count
  }

  /// Where a line begins with NULs, or at the end with what may be the first of them; else the end.
  private static func endOfText(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    var rest = 0
    while let found = memchr(start + rest, 0, bytes.count - rest) {
      let place = UnsafeRawPointer(found) - start
      let isLineStart = place > 0 && bytes[place - 1] == 0x0A
      if isLineStart, bytes[place...].prefix(limit.zeros).allSatisfy({ $0 == 0 }) { return place }
      rest = place + 1
    }
    return bytes.count
  }

  /// Whether a pipe has bytes, or has ended.
  private var isReady: Bool {
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, 0) > 0
  }

  private func readPipe(into buffer: UnsafeMutableRawBufferPointer) throws(Exit) -> Finding {
    guard isReady else { return .nothing }
    let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
    if count > 0 { return .bytes(count) }
    if count < 0, errno == EINTR || errno == EAGAIN { return .nothing }
    if count < 0 { throw InputFile.failure(name) }
    hasEnded = true
    return .end
  }
}
