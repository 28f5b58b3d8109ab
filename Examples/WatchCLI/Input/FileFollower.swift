import Foundation

/// Reads several files as they grow, and pipes among them, on the thread of its caller.
///
/// The files are read in rounds: each up to the size that it had when its slice of the round began, a pipe once. When none has
/// anything to read, the system's events are waited for. All files are then looked at, which costs a few system calls
/// each: an event needs no attribution, and one that is lost is made up for by any other, and by a look each second.
struct FileFollower {
  /// A part of a file.
  struct Part {
    /// The position of the file among those that are followed.
    var file: Int
    /// How many bytes have been read; it may be 0 before the end.
    var count = 0
    /// Whether the content ends: other content replaces it, or a pipe has ended.
    var isEnd = false
    /// Whether the file can grow, instead of being a pipe or a device.
    var isRegular: Bool
  }

  private let files: [FollowedFile]
  private var events: FileEvents?
  /// The file whose slice it is, and the size that ends the slice.
  private var slice = (file: 0, end: Int.max)

  /// The names of the files: each once, since a pipe of two readers would tear lines.
  var names: [String] { files.map(\.name) }

  /// Follows files from their beginnings.
  ///
  /// - Parameter report: called with a message for each file that is not there yet.
  init(_ names: [String], report: @escaping (String) -> Void) {
    files = Self.distinct(names).map { FollowedFile($0, report: report) }
  }

  /// Paths without those that occurred before, byte by byte: the system distinguishes what Unicode does not.
  static func distinct(_ paths: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return paths.filter { seen.insert(Array($0.utf8)).inserted }
  }

  /// Reads the next part, waiting until there is one; nil if all files were pipes and have ended.
  mutating func next(into buffer: UnsafeMutableRawBufferPointer) throws(Exit) -> Part? {
    while files.contains(where: { !$0.hasEnded }) {
      for _ in files {
        if Interrupts.isInterrupted { throw Interrupts.exit }
        let (number, file) = (slice.file, files[slice.file])
        let finding = try file.read(into: buffer)
        if case .bytes = finding, file.isRegular, file.place < slice.end {} else { endSlice() }
        switch finding {
        case .bytes(let count): return Part(file: number, count: count, isRegular: file.isRegular)
        case .end: return Part(file: number, isEnd: true, isRegular: file.isRegular)
        case .nothing: continue
        }
      }
      try wait()
    }
    return nil
  }

  private mutating func endSlice() {
    slice.file = (slice.file + 1) % files.count
    slice.end = files[slice.file].size
  }

  /// Whether there is nothing to read now.
  var isAtEnd: Bool { !files.contains { $0.hasMore } }

  /// Waits until there is something to read; false if there is nothing in a time.
  mutating func isReady(within milliseconds: Int32) throws(Exit) -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while isAtEnd {
      let rest = end - .now
      if rest <= .zero { return false }
      try wait(milliseconds: Int32(rest / .milliseconds(1)) + 1)
    }
    return true
  }

  /// Waits until the files should be looked at.
  private mutating func wait(milliseconds: Int32 = .max) throws(Exit) {
    guard let events, !files.contains(where: { $0.descriptor >= 0 && !$0.isWatched }) else {
      // No event reports what was written before, so the files are looked at.
      events = FileEvents(files)
      return
    }
    let pipes = files.filter { !$0.isRegular && !$0.hasEnded }.map(\.descriptor)
    let polled = ([events.descriptor] + pipes).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // File systems of other machines have events of this one only.
    let pace: Int32 = events.isComplete ? 1_000 : 100
    if Interrupts.wait(for: polled, milliseconds: min(pace, milliseconds)) == nil { throw Interrupts.exit }
    events.drain()
  }
}
