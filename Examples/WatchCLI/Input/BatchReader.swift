import Foundation
import LiveStore

/// Reads files one after the other, or follows them all, and groups their changes into transactions.
///
/// A group holds `batch` changes, if that is given. Otherwise it is the result of one read of a pipe; of a regular file,
/// it holds 1,000 changes, or a sixteenth of those before it if that is more and they have at most about 8 MB. So the
/// first changes are delivered early, and what a version costs is divided among as many lines as there are objects, but
/// for a factor. The end of a file ends a group; so does that of what files that are followed have for now.
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
  /// Called with messages about files that are waited for; nil if files are not followed.
  private let onWaiting: ((String) -> Void)?
  /// Whether the files that are followed have nothing more of the group now.
  private var isIdle = false
  private var file: InputFile?
  private var follower: FileFollower?
  /// Whether the pending changes are from a regular file.
  private var isRegular = true
  /// The readers of the open files, of which each has lines, titles and rows of its own; and which has read last.
  private var (readers, current): ([DocumentReader], Int)
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
  /// What lines in an envelope have said about whole tables and lists.
  private let tracker = EnvelopeTracker()
  private let progress: ProgressMeter?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
  /// The counts of the files that have been read.
  private var finished = InputTally()
  private var finishedKeyless = KeylessObjects()
  /// The columns of these files, each list once.
  private var finishedColumns: [[[String]]] = []

  /// A reader at the beginning of the first file.
  ///
  /// - Parameters:
  ///   - onWaiting: if files are read on when they grow, called with a message for each that is not there yet.
  ///   - unseen: paths to look for in the documents.
  ///   - progress: shows how much has been read.
  ///   - onBadLine: called for each bad line; whether to go on after it.
  package init(
    files: [String], onWaiting: ((String) -> Void)? = nil, rules: InputRules, batch: Int?,
    batchTime: Int32? = nil,
    unseen: UnseenPaths = UnseenPaths(), progress: ProgressMeter? = nil,
    onBadLine: @escaping (BadLine) -> Bool
  ) {
    (self.files, self.rules, self.batch, self.onBadLine) = (files[...], rules, batch, onBadLine)
    (self.onWaiting, self.batchTime) = (onWaiting, batchTime)
    self.progress = progress
    (readers, current) = ([DocumentReader(file: "", rules: rules, unseen: unseen)], 0)
  }

  deinit {
    buffer.deallocate()
  }

  /// What has been read so far.
  package var tally: InputTally {
    InputTally(
      lines: readers.reduce(finished.lines) { $0 + $1.lineCount },
      badLines: readers.reduce(finished.badLines) { $0 + $1.badLineCount },
      hasStopped: reader.hasStopped, isMet: reader.isMet)
  }

  /// The paths that no object has had so far.
  package var unseen: UnseenPaths {
    readers.dropFirst().reduce(readers[0].unseen) { $0.without(seenBy: $1.unseen) }
  }

  private var reader: DocumentReader { readers[current] }

  /// The objects without a key that have been read so far.
  package var keyless: KeylessObjects {
    readers.reduce(into: finishedKeyless) { $0.add($1.keyless) }
  }

  /// The paths of the columns that rows have had so far; those of several files more than once.
  package var columns: [[String]] { (finishedColumns + readers.map(\.columns)).flatMap(\.self) }

  /// True if the next group may have to be waited for, because more of it must arrive through a pipe or a terminal.
  package var mustWait: Bool {
    !(isRegular && isOpen && !isIdle) && waiting < groupSize
  }

  /// Whether there is something to read now, or the end.
  package var isReady: Bool { mutating get { follower.map { !$0.isAtEnd } ?? file?.isReady() ?? true } }

  private var isOpen: Bool { file != nil || follower != nil }

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
  ///
  /// - Parameter deadline: until when more is waited for; no changes if there is no group by then.
  package mutating func next(until deadline: ContinuousClock.Instant? = nil) throws(Exit) -> [InputChange]? {
    while true {
      let (waiting, size) = (waiting, groupSize)
      if waiting >= size { return take(isRegular || batch != nil ? size : waiting) }
      if !isOpen {
        if waiting > 0 { return take(waiting) }
        guard !reader.hasStopped, !reader.isMet, try openNext() else { return nil }
      } else if waiting > 0 {
        let isOver = isIdle ? true : try isGroupOver()
        if isOver { return take(waiting) }
      }
      if let deadline, isOpen, try !isReady(until: deadline) { return [] }
      try readMore()
    }
  }

  /// Waits for more of a group that has begun; true if its time is over before.
  private mutating func isGroupOver() throws(Exit) -> Bool {
    guard let batchTime, !isRegular else { return false }
    let end = groupEnd ?? .now + .milliseconds(Int(batchTime))
    groupEnd = end
    return try !isReady(until: end)
  }

  /// Waits until there is more to read; false if there is none until a time.
  private mutating func isReady(until end: ContinuousClock.Instant) throws(Exit) -> Bool {
    let rest = end - .now
    if rest <= .zero { return false }
    // A machine may sleep for longer than a number of milliseconds can say.
    let time = Int32(min(rest / .milliseconds(1), 1e9)) + 1
    if follower != nil { return try follower?.isReady(within: time) ?? true }
    return try file?.isReady(within: time) ?? true
  }

  /// Opens the next file, or all that are followed; false if there is none.
  private mutating func openNext() throws(Exit) -> Bool {
    guard let name = files.popFirst() else { return false }
    if let onWaiting {
      let follower = FileFollower([name] + files, report: onWaiting)
      readers = follower.names.map {
        DocumentReader(file: $0, rules: rules, unseen: reader.unseen, tracker: tracker)
      }
      files = []
      self.follower = follower
      return true
    }
    replaceReader(name)
    let file = try InputFile(name)
    isRegular = file.isRegular
    self.file = consume file
    return true
  }

  /// Puts a reader of other content in the place of the current one, whose counts are kept.
  private mutating func replaceReader(_ name: String) {
    finished.lines += reader.lineCount
    finished.badLines += reader.badLineCount
    finishedKeyless.add(reader.keyless)
    if !reader.columns.isEmpty, !finishedColumns.contains(reader.columns) {
      finishedColumns.append(reader.columns)
    }
    readers[current] = DocumentReader(file: name, rules: rules, unseen: reader.unseen, tracker: tracker)
    readers[current].linesBefore = finished.lines
  }

  /// Reads a chunk, or the end of some content; at the end of all, and after a bad line that stops, files are closed.
  private mutating func readMore() throws(Exit) {
    releaseUnneeded()
    var (count, isEnd) = (0, false)
    if follower == nil {
      count = try file?.read(into: buffer) ?? 0
      isEnd = count == 0
    } else if let part = try follower?.next(into: buffer) {
      (current, count, isEnd) = (part.file, part.count, part.isEnd)
      isRegular = part.isRegular
      readers[current].linesBefore = tally.lines - reader.lineCount
    } else {
      follower = nil
      return
    }
    if total.bytes == 0 { beginning = Array(buffer[..<min(count, InputGuess.length)]) }
    let chunk = isEnd ? nil : UnsafeRawBufferPointer(rebasing: buffer[..<count])
    readers[current].read(chunk, into: &changes, onBadLine: onBadLine)
    bytes.waiting += count
    total.bytes += count
    if let failure = reader.failure { throw failure }
    progress?.update(lines: tally.lines, bytes: byteCount)
    if reader.hasStopped || reader.isMet {
      file = nil
      (follower, isIdle) = (nil, false)
    } else if let follower {
      isIdle = isEnd || isRegular && follower.isAtEnd
      if isEnd { replaceReader(follower.names[current]) }
    } else if isEnd {
      file = nil
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
