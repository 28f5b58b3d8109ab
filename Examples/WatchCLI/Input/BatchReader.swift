import Foundation

/// Reads files one after the other and groups their documents into transactions.
///
/// A group holds `batch` documents, if that is given, else 1,000 of a regular file and what one read gives of a
/// pipe. The end of a file ends a group.
package struct BatchReader: ~Copyable {
  /// How many documents of a regular file make a group by default.
  package static let defaultBatch = 1_000

  /// More documents than one read of a pipe can give.
  package static let largestRead = bufferSize / 4

  private static let bufferSize = 1 << 18

  private let key: KeyPathText
  private let batch: Int?
  private let onBadLine: (BadLine) -> Bool
  private var files: ArraySlice<String>
  private var file: InputFile?
  /// Whether the documents that wait are of a regular file.
  private var isRegular = true
  private var reader: DocumentReader
  /// Documents that have been read and not been given out, from `first` on.
  private var documents: [Document] = []
  private var first = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
  /// The counts of the files that have been read.
  private var finished = InputTally()

  /// A reader at the beginning of the first file.
  ///
  /// - Parameter onBadLine: called for each bad line; whether to go on after it.
  package init(files: [String], key: KeyPathText, batch: Int?, onBadLine: @escaping (BadLine) -> Bool) {
    (self.files, self.key, self.batch, self.onBadLine) = (files[...], key, batch, onBadLine)
    reader = DocumentReader(file: "", key: key)
  }

  deinit {
    buffer.deallocate()
  }

  /// What has been read so far.
  package var tally: InputTally {
    InputTally(
      lines: finished.lines + reader.lineCount, badLines: finished.badLines + reader.badLineCount,
      hasStopped: reader.hasStopped)
  }

  /// True if the next group needs more than has been read already.
  package var mustRead: Bool {
    documents.count - first < groupSize
  }

  /// How many documents are enough for a group.
  private var groupSize: Int {
    batch ?? (isRegular ? Self.defaultBatch : 1)
  }

  /// The next group, or nil at the end of the last file and after a bad line that stops.
  package mutating func next() throws(Exit) -> [Document]? {
    while true {
      let waiting = documents.count - first
      let size = groupSize
      if waiting >= size { return take(isRegular || batch != nil ? size : waiting) }
      if file == nil {
        if waiting > 0 { return take(waiting) }
        guard !reader.hasStopped, try openNext() else { return nil }
      }
      try readMore()
    }
  }

  private mutating func openNext() throws(Exit) -> Bool {
    guard let name = files.popFirst() else { return false }
    finished = tally
    reader = DocumentReader(file: name, key: key)
    let file = try InputFile(name)
    isRegular = file.isRegular
    self.file = consume file
    return true
  }

  /// Reads a chunk; at the end of the file, and after a bad line that stops, the file is closed.
  private mutating func readMore() throws(Exit) {
    let count = try file?.read(into: buffer) ?? 0
    if count > 0 {
      reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &documents, onBadLine: onBadLine)
    } else {
      reader.read(nil, into: &documents, onBadLine: onBadLine)
    }
    if count == 0 || reader.hasStopped { file = nil }
  }

  private mutating func take(_ count: Int) -> [Document] {
    let group = Array(documents[first..<first + count])
    first += count
    if first == documents.count {
      documents.removeAll(keepingCapacity: true)
      first = 0
    }
    return group
  }
}

/// What has been read.
package struct InputTally: Hashable, Sendable {
  /// Lines that held something.
  package var lines = 0
  /// Lines among them that were bad.
  package var badLines = 0
  /// True if reading stopped at a bad line.
  package var hasStopped = false

  /// Counts, zero by default.
  package init(lines: Int = 0, badLines: Int = 0, hasStopped: Bool = false) {
    (self.lines, self.badLines, self.hasStopped) = (lines, badLines, hasStopped)
  }

  /// The counts in words: `12 lines, 1 bad`.
  package var summary: String {
    "\(lines) line\(lines == 1 ? "" : "s")\(badLines == 0 ? "" : ", \(badLines) bad")"
  }
}
