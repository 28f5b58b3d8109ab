import Foundation
import LiveStore

/// Reads files one after the other and groups their changes into transactions.
///
/// A group holds `batch` changes, if that is given. Otherwise it is the result of one read of a pipe; of a regular file,
/// it holds 1,000 changes, or a sixteenth of those before it if that is more and they have at most about 8 MB. So the
/// first changes are delivered early, and what a version costs is divided among as many lines as there are objects, but
/// for a factor. The end of a file ends a group.
///
/// Memory depends on the ids of a group and the length of a read: a change is released when it is delivered, or when
/// a later one of its group makes it needless.
///
/// ```
/// changes    [ given out │ wait for the next group │ … ]
///            0           first                     count      `replaced` more belong to the group, but are released
/// ```
package struct BatchReader: ~Copyable {
  /// The size of a group of a regular file by default: at least this many changes, or this part of those before it
  /// while they are read from this many bytes.
  private static let regular = (least: 1_000, part: 16, bytes: 8 << 20)

  private static let bufferSize = 1 << 18

  private let rules: InputRules
  private let batch: Int?
  /// How long the first change of a group waits for others, in milliseconds.
  private let batchTime: Int32?
  /// When the group ends that has begun.
  private var groupEnd: ContinuousClock.Instant?
  private let onBadLine: (BadLine) -> Bool
  private var files: ArraySlice<String>
  /// Whether the last file is read on when it grows.
  private let isFollowing: Bool
  /// Whether the file that is followed has nothing more now.
  private var isIdle = false
  /// Whether the next file is the one that took the name of the last.
  private var isReopening = false
  private var file: InputFile?
  /// Whether the pending changes are from a regular file.
  private var isRegular = true
  private var reader: DocumentReader
  /// Changes that have been read and not delivered, from `first` on.
  private var changes: [InputChange] = []
  private var first = 0
  /// How many changes have been delivered, and those they replaced, and how many bytes have been read.
  private var total = (changes: 0, bytes: 0)
  /// How many changes of a regular file are enough for the next group.
  private var regularSize = regular.least
  /// How many changes of the current group have been released because later ones replace them.
  private var replaced = 0
  /// About how many bytes the pending changes were read from; and the number at which replaced ones are released.
  private var bytes = (waiting: 0, limit: leastLimit)

  private static let leastLimit = 2 * regular.bytes
  /// How many bytes have been read.
  package var byteCount: Int { total.bytes }
  /// The first of them.
  package private(set) var beginning: [UInt8] = []
  private let progress: ProgressMeter?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
  /// The counts of the files that have been read.
  private var finished = InputTally()
  private var finishedKeyless = KeylessObjects()

  /// A reader at the beginning of the first file.
  ///
  /// - Parameters:
  ///   - isFollowing: whether the last file is read on when it grows, and another that takes its name after it.
  ///   - unseen: paths to look for in the documents.
  ///   - progress: shows how much has been read.
  ///   - onBadLine: called for each bad line; whether to go on after it.
  package init(
    files: [String], isFollowing: Bool = false, rules: InputRules, batch: Int?, batchTime: Int32? = nil,
    unseen: UnseenPaths = UnseenPaths(), progress: ProgressMeter? = nil,
    onBadLine: @escaping (BadLine) -> Bool
  ) {
    (self.files, self.rules, self.batch, self.onBadLine) = (files[...], rules, batch, onBadLine)
    (self.isFollowing, self.batchTime) = (isFollowing, batchTime)
    self.progress = progress
    reader = DocumentReader(file: "", rules: rules, unseen: unseen)
  }

  deinit {
    buffer.deallocate()
  }

  /// What has been read so far.
  package var tally: InputTally {
    InputTally(
      lines: finished.lines + reader.lineCount, badLines: finished.badLines + reader.badLineCount,
      hasStopped: reader.hasStopped, isMet: reader.isMet)
  }

  /// The paths that no object has had so far.
  package var unseen: UnseenPaths { reader.unseen }

  /// The objects without a key that have been read so far.
  package var keyless: KeylessObjects {
    var keyless = finishedKeyless
    if keyless.count == 0 { keyless.example = reader.keyless.example }
    keyless.count += reader.keyless.count
    return keyless
  }

  /// True if the next group may have to be waited for, because more of it must arrive through a pipe or a terminal.
  package var mustWait: Bool {
    !(isRegular && file != nil && !isIdle) && waiting < groupSize
  }

  /// Whether there is something to read now, or the end.
  package var isReady: Bool { mutating get { !isIdle && file?.isReady() ?? true } }

  /// How many changes of the next group have been read.
  private var waiting: Int {
    changes.count - first + replaced
  }

  /// How many changes are enough for a group.
  private var groupSize: Int {
    batch ?? (isRegular ? regularSize : 1)
  }

  /// How many changes of a regular file are enough for a group, after others that were read from so many bytes.
  package static func regularSize(after changes: Int, of bytes: Int) -> Int {
    let average = max(1, bytes / max(1, changes))
    return max(regular.least, min(changes / regular.part, regular.bytes / average))
  }

  /// The next group, or nil at the end of the last file and after a bad line that stops.
  package mutating func next() throws(Exit) -> [InputChange]? {
    while true {
      let (waiting, size) = (waiting, groupSize)
      if waiting >= size { return take(isRegular || batch != nil ? size : waiting) }
      if file == nil {
        if waiting > 0 { return take(waiting) }
        guard !reader.hasStopped, !reader.isMet, try openNext() else { return nil }
      } else if waiting > 0 {
        let isOver = isIdle ? true : try isGroupOver()
        if isOver { return take(waiting) }
      }
      try readMore()
    }
  }

  /// Waits for more of a group that has begun; true if its time is over before.
  private mutating func isGroupOver() throws(Exit) -> Bool {
    guard let batchTime, !isRegular else { return false }
    let end = groupEnd ?? .now + .milliseconds(Int(batchTime))
    groupEnd = end
    // A machine may sleep for longer than a number of milliseconds can say.
    let rest = end - .now
    if rest <= .zero { return true }
    return try !(file?.isReady(within: Int32(rest / .milliseconds(1)) + 1) ?? true)
  }

  private mutating func openNext() throws(Exit) -> Bool {
    guard let name = files.popFirst() else { return false }
    (finished, finishedKeyless) = (tally, keyless)
    var rules = rules
    rules.linesBefore = finished.lines
    reader = DocumentReader(file: name, rules: rules, unseen: reader.unseen, tracker: reader.tracker)
    let isLast = isFollowing && files.isEmpty
    let file = try InputFile(name, isFollowed: isLast, isAwaited: isReopening)
    isReopening = false
    isIdle = isLast && file.isRegular && file.isAtEnd()
    isRegular = file.isRegular
    self.file = consume file
    return true
  }

  /// Reads a chunk; at the end of the file, and after a bad line that stops, the file is closed.
  private mutating func readMore() throws(Exit) {
    releaseUnneeded()
    let count = try file?.read(into: buffer) ?? 0
    if total.bytes == 0 { beginning = Array(buffer[..<min(count, InputGuess.length)]) }
    if count > 0 {
      reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &changes, onBadLine: onBadLine)
      bytes.waiting += count
      total.bytes += count
    } else {
      reader.read(nil, into: &changes, onBadLine: onBadLine)
    }
    if let failure = reader.failure { throw failure }
    progress?.update(lines: tally.lines, bytes: byteCount)
    if let isFollowed = file?.isFollowed, isFollowed {
      isIdle = file?.isAtEnd() ?? false
      // The file has been truncated, or another has its name.
      if count == 0, let name = file?.name {
        files.append(name)
        isReopening = true
      }
    }
    if count == 0 || reader.hasStopped || reader.isMet {
      file = nil
      isIdle = false
    }
  }

  /// Delivers changes of the next group, which `count` of its lines complete.
  private mutating func take(_ count: Int) -> [InputChange] {
    let end = first + count - replaced
    let group = Array(changes[first..<end])
    (first, replaced) = (end, 0)
    groupEnd = nil
    total.changes += count
    regularSize = Self.regularSize(after: total.changes, of: total.bytes)
    bytes = (0, Self.leastLimit)
    if first == changes.count { releaseUnneeded() }
    return group
  }

  /// Releases the delivered changes, and those of the next group that later ones replace. All pending changes belong
  /// to that group, as it is not complete.
  ///
  /// - Complexity: O(1) a change that is read, over all calls.
  private mutating func releaseUnneeded() {
    changes.removeFirst(first)
    first = 0
    guard bytes.waiting >= bytes.limit else { return }
    let count = changes.count
    changes = changes.withoutReplaced()
    replaced += count - changes.count
    bytes.waiting = count == 0 ? 0 : bytes.waiting / count * changes.count
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
  /// True if reading ended with the object that was waited for.
  package var isMet = false

  /// Counts, zero by default.
  package init(lines: Int = 0, badLines: Int = 0, hasStopped: Bool = false, isMet: Bool = false) {
    (self.lines, self.badLines, self.hasStopped, self.isMet) = (lines, badLines, hasStopped, isMet)
  }

  /// The counts in words: `12 lines, 1 bad`.
  package var summary: String {
    "\(lines) line\(lines == 1 ? "" : "s")\(badLines == 0 ? "" : ", \(badLines) bad")"
  }
}
