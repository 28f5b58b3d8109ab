import Foundation

/// Splits a stream of bytes, which arrives in chunks of any size, into lines.
///
/// A line ends at a newline or at the end. A carriage return before the newline is not part of it, nor is a byte
/// order mark at the very beginning. Only the end of a chunk that is not a whole line is copied.
///
/// If lines may end in carriage returns, as old Macs wrote them, they do where the first line does, but for those
/// of a log.
package struct LineSplitter {
  /// How many lines there have been.
  package private(set) var lineCount = 0
  /// The beginning of an incomplete line.
  private var pending: [UInt8] = []

  /// How many bytes of a line are of use.
  private let longestLine: Int
  /// What separates fields that may have newlines in quotation marks; nil if none may.
  private let delimiter: UInt8?
  /// The byte that ends lines.
  private(set) var newline: UInt8 = 0x0A
  /// Whether that is known; and if not, whether a field in quotation marks has not ended so far.
  private var isNewlineKnown: Bool, isQuoted = false

  /// A splitter at the beginning of its stream.
  ///
  /// - Parameters:
  ///   - longestLine: how many bytes of a line its receiver can use. Of one that is longer, and is not in one chunk, some
  ///     are left out, so that memory is bounded; it is still longer.
  ///   - delimiter: what separates fields that may have newlines in quotation marks; nil if none may. If there is one,
  ///     carriage returns before newlines are left to the receiver.
  ///   - mayEndInReturns: whether lines may end in carriage returns alone; then `findNewline` is called before `feed`.
  package init(longestLine: Int = .max, delimiter: UInt8? = nil, mayEndInReturns: Bool = false) {
    self.longestLine = longestLine
    self.delimiter = delimiter
    isNewlineKnown = !mayEndInReturns
  }

  /// Passes on the lines that a chunk completes, as long as the receiver returns true.
  ///
  /// - Complexity: O(length of the chunk), and a line of many chunks is searched once.
  package mutating func feed(_ chunk: UnsafeRawBufferPointer, to receive: (UnsafeRawBufferPointer) -> Bool) {
    if newline == 0x0D, pending.last == 0x0D {
      let held = pending + chunk
      pending = []
      return held.withUnsafeBytes { feed($0, to: receive) }
    }
    var rest = chunk
    while let end = end(in: rest) {
      let head = UnsafeRawBufferPointer(rebasing: rest[..<end])
      rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      guard pass(head, to: receive) else { return }
    }
    if isUsable { pending.append(contentsOf: rest) }
  }

  /// Whether the pending line may be short enough: a mark and a carriage return are not part of it.
  private var isUsable: Bool { pending.count - 4 <= longestLine }

  /// Passes on a last line that has no newline.
  package mutating func finish(to receive: (UnsafeRawBufferPointer) -> Bool) {
    // Behind lines that end in carriage returns, the file may end in a newline.
    if newline == 0x0D, pending.last == 0x0A { pending.removeLast() }
    if !pending.isEmpty { _ = pass(UnsafeRawBufferPointer(start: nil, count: 0), to: receive) }
  }

  private mutating func pass(_ head: UnsafeRawBufferPointer, to receive: (UnsafeRawBufferPointer) -> Bool)
    -> Bool
  {
    lineCount += 1
    if pending.isEmpty { return receive(trimmed(head)) }
    if isUsable { pending.append(contentsOf: head) }
    defer { pending.removeAll(keepingCapacity: pending.count < 1 << 20) }
    return pending.withUnsafeBytes { receive(trimmed($0)) }
  }

  private func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var bounds = line.startIndex..<line.endIndex
    if lineCount == 1 && line.starts(with: [0xEF, 0xBB, 0xBF]) { bounds = bounds.dropFirst(3) }
    if delimiter == nil, bounds.last.map({ line[$0] == 0x0D }) ?? false { bounds = bounds.dropLast() }
    return UnsafeRawBufferPointer(rebasing: line[bounds])
  }

  /// Finds which byte ends lines, if that is not known before a chunk: the one that ends the first line.
  ///
  /// - Parameter isLog: whether lines may have carriage returns within: then any newline in the chunk decides.
  mutating func findNewline(in chunk: UnsafeRawBufferPointer, isLog: Bool) {
    if isNewlineKnown { return }
    isNewlineKnown = isLog && chunk.contains(0x0A)
    if isNewlineKnown { return }
    var previous = pending.last
    for byte in chunk {
      if !isQuoted, byte == 0x0A || previous == 0x0D {
        (newline, isNewlineKnown) = (byte == 0x0A ? 0x0A : 0x0D, true)
        return
      }
      if byte == 0x22, isQuoted || beginsField(after: previous) { isQuoted.toggle() }
      previous = byte
    }
    isNewlineKnown = chunk.contains(0x0A)
  }

  /// Whether a quotation mark may begin a field, or is the second of two within one; also behind a byte order mark.
  private func beginsField(after byte: UInt8?) -> Bool {
    delimiter != nil && (byte == nil || byte == delimiter || byte == 0x22 || byte == 0xBF)
  }

  private func end(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = memchr(start, Int32(newline), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - start
  }
}
