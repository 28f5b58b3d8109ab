import Foundation

/// Splits a stream of bytes, which arrives in chunks of any size, into lines.
///
/// A line ends at a newline or at the end. A carriage return before the newline is not part of it, nor is a byte
/// order mark at the very beginning. Only the end of a chunk that is not a whole line is copied.
///
/// If lines may end in carriage returns, as old Macs wrote them, they do in a stream that begins with some and without newlines.
package struct LineSplitter {
  /// How many lines there have been.
  package private(set) var lineCount = 0
  /// The beginning of an incomplete line.
  private var pending: [UInt8] = []

  /// How many bytes of a line are of use.
  private let longestLine: Int
  /// Whether a carriage return before the newline is a part of the line.
  private let keepsReturns: Bool
  /// The byte that ends lines.
  private(set) var newline: UInt8 = 0x0A
  /// Whether that is known.
  private var isNewlineKnown: Bool

  /// A splitter at the beginning of its stream.
  ///
  /// - Parameters:
  ///   - longestLine: how many bytes of a line its receiver can use. Of one that is longer, and is not in one chunk, some
  ///     are left out, so that memory is bounded; it is still longer.
  ///   - mayEndInReturns: whether lines may end in carriage returns alone.
  ///   - keepsReturns: whether carriage returns are left to the receiver, of which some may be in a quoted field.
  package init(longestLine: Int = .max, keepsReturns: Bool = false, mayEndInReturns: Bool = false) {
    self.longestLine = longestLine
    self.keepsReturns = keepsReturns
    isNewlineKnown = !mayEndInReturns
  }

  /// Passes on the lines that a chunk completes, as long as the receiver returns true.
  ///
  /// - Complexity: O(length of the chunk), and a line of many chunks is searched once.
  package mutating func feed(_ chunk: UnsafeRawBufferPointer, to receive: (UnsafeRawBufferPointer) -> Bool) {
    findNewline(in: chunk)
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
    if !keepsReturns, bounds.last.map({ line[$0] == 0x0D }) ?? false { bounds = bounds.dropLast() }
    return UnsafeRawBufferPointer(rebasing: line[bounds])
  }

  /// Finds which byte ends lines, if that is not known before a chunk.
  mutating func findNewline(in chunk: UnsafeRawBufferPointer) {
    if isNewlineKnown { return }
    isNewlineKnown = chunk.contains(0x0A)
    // One at the end may be a part of a newline.
    if !isNewlineKnown, pending.last == 0x0D || chunk.dropLast().contains(0x0D) {
      (newline, isNewlineKnown) = (0x0D, true)
    }
  }

  private func end(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = memchr(start, Int32(newline), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - start
  }
}
