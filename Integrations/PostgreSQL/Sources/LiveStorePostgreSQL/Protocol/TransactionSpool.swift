import Foundation

/// The messages of one large transaction that the server streams before it ends.
///
/// Up to a limit they are in memory, beyond it in a temporary file without a name, which is gone when the spool is, or
/// when the process ends. Each message follows the id of its subtransaction and its length.
///
/// Aborted subtransactions are left out when the messages are read. Descriptions of tables and types are kept even so:
/// the server sends them once in a transaction, whatever becomes of the subtransaction that they came with.
package final class TransactionSpool {
  private let limit: Int
  private let directory: String?
  private var buffer: [UInt8] = []
  private var file: Int32 = -1
  private var aborted: Set<UInt32> = []
  /// The bytes that are in the file.
  package private(set) var fileSize: Int64 = 0
  /// The number of the messages, those of aborted subtransactions included.
  package private(set) var count = 0

  private static let headerSize = 8
  private static let pieceSize = 1 << 18

  /// An empty spool.
  ///
  /// - Parameters:
  ///   - limit: how many bytes are kept in memory.
  ///   - directory: where the temporary file is; nil for the system's folder.
  package init(limit: Int = 4 << 20, directory: String? = nil) {
    (self.limit, self.directory) = (limit, directory)
  }

  deinit {
    if file >= 0 { close(file) }
  }

  /// The bytes that are in memory.
  package var memorySize: Int { buffer.count }

  /// Adds a message, which is in part of an array.
  package func append(_ bytes: [UInt8], _ range: Range<Int>, subtransaction: UInt32) throws {
    guard let length = UInt32(exactly: range.count) else {
      throw PostgresError.violation("A message of \(range.count) bytes is too long.")
    }
    withUnsafeBytes(of: subtransaction) { buffer.append(contentsOf: $0) }
    withUnsafeBytes(of: length) { buffer.append(contentsOf: $0) }
    buffer.append(contentsOf: bytes[range])
    count += 1
    if buffer.count > limit { try writeBuffer() }
  }

  /// Moves what is in memory to the file.
  package func writeToFile() throws {
    if !buffer.isEmpty { try writeBuffer() }
    buffer = []
  }

  /// Drops the messages of a subtransaction.
  package func abort(_ subtransaction: UInt32) { aborted.insert(subtransaction) }

  /// Calls a closure with the messages in their order, each as part of an array.
  package func forEach(
    _ body: (_ bytes: [UInt8], _ range: Range<Int>, _ subtransaction: UInt32) throws -> Void
  )
    throws
  {
    var offset: Int64 = 0
    var piece: [UInt8] = []
    while offset < fileSize {
      try read(&piece, at: &offset)
      let end = try messages(piece, body)
      piece.removeFirst(end)
    }
    guard piece.isEmpty, try messages(buffer, body) == buffer.count else { throw Self.failure("read", EIO) }
  }

  /// Calls a closure with the messages that are whole.
  ///
  /// - Returns: where what is left begins.
  private func messages(_ bytes: [UInt8], _ body: ([UInt8], Range<Int>, UInt32) throws -> Void) throws -> Int
  {
    var position = 0
    while bytes.count - position >= Self.headerSize {
      // In bounds: the header was checked.
      let (subtransaction, length) = bytes.withUnsafeBytes {
        (
          $0.loadUnaligned(fromByteOffset: position, as: UInt32.self),
          Int($0.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self))
        )
      }
      let start = position + Self.headerSize
      guard bytes.count - start >= length else { break }
      position = start + length
      if !aborted.contains(subtransaction) || Self.isDescription(bytes[start..<position]) {
        try body(bytes, start..<position, subtransaction)
      }
    }
    return position
  }

  private static func isDescription(_ message: ArraySlice<UInt8>) -> Bool {
    message.first == UInt8(ascii: "R") || message.first == UInt8(ascii: "Y")
  }

  // MARK: File

  private func open() throws {
    let path = "\(directory ?? NSTemporaryDirectory())/livestore-postgresql-\(UUID())"
    // A process that is started meanwhile must not keep it.
    file = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure("created", errno) }
    unlink(path)
  }

  private func writeBuffer() throws {
    if file < 0 { try open() }
    try buffer.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        // In bounds: the count is what is left.
        let result = pwrite(
          file, bytes.baseAddress.map { $0 + written }, bytes.count - written,
          off_t(fileSize) + off_t(written))
        if result < 0, errno == EINTR { continue }
        guard result > 0 else { throw Self.failure("written", result < 0 ? errno : ENOSPC) }
        written += result
      }
    }
    fileSize += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Adds the next bytes of the file to a piece that has the beginning of a message.
  private func read(_ piece: inout [UInt8], at offset: inout Int64) throws {
    let count = Int(min(Int64(Self.pieceSize), fileSize - offset))
    let start = piece.count
    piece.append(contentsOf: repeatElement(0, count: count))
    let result = piece.withUnsafeMutableBytes { bytes in
      // In bounds: the piece was just made longer by the count.
      while true {
        let result = pread(file, bytes.baseAddress.map { $0 + start }, count, off_t(offset))
        if result >= 0 || errno != EINTR { return result }
      }
    }
    guard result > 0 else { throw Self.failure("read", result < 0 ? errno : EIO) }
    piece.removeLast(count - result)
    offset += Int64(result)
  }

  private static func failure(_ what: String, _ code: Int32) -> any Error {
    let reason = String(cString: strerror(code))
    return PostgresError(
      PostgresError.spoolFailed, "The temporary file of a large transaction cannot be \(what): \(reason).")
  }
}

extension Collection<TransactionSpool> {
  /// Moves the largest of them to their files until they have no more than so many bytes in memory together.
  package func limitMemory(to limit: Int) throws {
    var size = reduce(0) { $0 + $1.memorySize }
    for spool in size > limit ? sorted(by: { $0.memorySize > $1.memorySize }) : [] where size > limit {
      size -= spool.memorySize
      try spool.writeToFile()
    }
  }
}
