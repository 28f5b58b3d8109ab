import Foundation
import LiveStore

/// Reads files one after the other and groups their documents into transactions.
///
/// A group holds `batch` documents, if that is given, else 1,000 of a regular file and the result of one read of a
/// pipe. The end of a file ends a group.
///
/// Memory depends on the ids of a group and the length of a read: a document is released when it is delivered, or
/// when a later document of its group replaces it.
///
/// ```
/// documents  [ given out │ wait for the next group │ … ]
///            0           first                     count      `replaced` more belong to the group, but are released
/// ```
package struct BatchReader: ~Copyable {
  /// How many documents of a regular file make a group by default.
  package static let defaultBatch = 1_000

  private static let bufferSize = 1 << 18

  private let key: KeyPathText
  private let batch: Int?
  private let onBadLine: (BadLine) -> Bool
  /// The paths that no document has had so far.
  package private(set) var unseen: UnseenPaths
  private var files: ArraySlice<String>
  private var file: InputFile?
  /// Whether the pending documents are from a regular file.
  private var isRegular = true
  private var reader: DocumentReader
  /// Documents that have been read and not delivered, from `first` on.
  private var documents: [Document] = []
  private var first = 0
  /// How many documents of the current group have been released because later ones replace them.
  private var replaced = 0
  /// About how many bytes the pending documents were read from; and the number at which replaced ones are released.
  private var bytes = (waiting: 0, limit: leastLimit)

  private static let leastLimit = 1 << 20
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
  /// The counts of the files that have been read.
  private var finished = InputTally()
  private var finishedKeyless = KeylessObjects()

  /// A reader at the beginning of the first file.
  ///
  /// - Parameters:
  ///   - unseen: paths to look for in the documents.
  ///   - onBadLine: called for each bad line; whether to go on after it.
  package init(
    files: [String], key: KeyPathText, batch: Int?, unseen: UnseenPaths = UnseenPaths(),
    onBadLine: @escaping (BadLine) -> Bool
  ) {
    (self.files, self.key, self.batch, self.onBadLine) = (files[...], key, batch, onBadLine)
    self.unseen = unseen
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

  /// The objects without a key that have been read so far.
  package var keyless: KeylessObjects {
    var keyless = finishedKeyless
    if keyless.count == 0 { keyless.example = reader.keyless.example }
    keyless.count += reader.keyless.count
    return keyless
  }

  /// True if the next group may have to be waited for, because more of it must arrive through a pipe or a terminal.
  package var mustWait: Bool {
    !(isRegular && file != nil) && waiting < groupSize
  }

  /// Whether there is something to read now, or the end.
  package var isReady: Bool { mutating get { file?.isReady() ?? true } }

  /// How many documents of the next group have been read.
  private var waiting: Int {
    documents.count - first + replaced
  }

  /// How many documents are enough for a group.
  private var groupSize: Int {
    batch ?? (isRegular ? Self.defaultBatch : 1)
  }

  /// The next group, or nil at the end of the last file and after a bad line that stops.
  package mutating func next() throws(Exit) -> [Document]? {
    while true {
      let (waiting, size) = (waiting, groupSize)
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
    (finished, finishedKeyless) = (tally, keyless)
    reader = DocumentReader(file: name, key: key)
    let file = try InputFile(name)
    isRegular = file.isRegular
    self.file = consume file
    return true
  }

  /// Reads a chunk; at the end of the file, and after a bad line that stops, the file is closed.
  private mutating func readMore() throws(Exit) {
    releaseUnneeded()
    let waiting = documents.count
    let count = try file?.read(into: buffer) ?? 0
    if count > 0 {
      reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &documents, onBadLine: onBadLine)
      bytes.waiting += count
    } else {
      reader.read(nil, into: &documents, onBadLine: onBadLine)
    }
    unseen.look(at: documents[waiting...])
    if count == 0 || reader.hasStopped { file = nil }
  }

  /// Delivers documents of the next group, which `count` of its lines complete.
  private mutating func take(_ count: Int) -> [Document] {
    let end = first + count - replaced
    let group = Array(documents[first..<end])
    (first, replaced) = (end, 0)
    bytes = (0, Self.leastLimit)
    if first == documents.count { releaseUnneeded() }
    return group
  }

  /// Releases the delivered documents, and those of the next group that later ones replace. All pending documents
  /// belong to that group, as it is not complete.
  ///
  /// - Complexity: O(1) a document that is read, over all calls.
  private mutating func releaseUnneeded() {
    documents.removeFirst(first)
    first = 0
    guard bytes.waiting >= bytes.limit else { return }
    let count = documents.count
    var positions: [JSONValue: Int] = [:]
    var newest: [Document] = []
    for document in documents {
      if let position = positions[document.id] {
        // As in the store, an equal document does not replace another.
        if newest[position] != document { newest[position] = document }
      } else {
        positions[document.id] = newest.count
        newest.append(document)
      }
    }
    documents = newest
    replaced += count - newest.count
    bytes.waiting = count == 0 ? 0 : bytes.waiting / count * newest.count
    bytes.limit = max(Self.leastLimit, 2 * bytes.waiting)
  }
}

/// What has been read.
package struct InputTally: Hashable, Sendable {
  /// Lines that are not empty.
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
