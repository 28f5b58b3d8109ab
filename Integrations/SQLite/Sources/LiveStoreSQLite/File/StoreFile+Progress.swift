extension StoreFile {
  /// How far an operation on a file is: opening it, a backup, a compaction, another key, an export, an import.
  ///
  /// ```swift
  /// let options = StoreFile.Options(progress: { progress in
  ///   let percent = progress.fraction.map { "\(Int($0 * 100))%" }
  ///   print(progress.phase, percent ?? "\(progress.done) \(progress.unit)")
  /// })
  /// let file = try await StoreFile.open(at: url, Post.self, options: options)
  /// ```
  /// An operation has one phase or several, and each begins at 0. Within a phase, ``done`` never decreases, and if the phase
  /// has a ``total``, it ends with it. A phase that fails or is cancelled ends before. A repair reads the new file in the
  /// end, so that phases come again.
  ///
  /// Progress is reported at the beginning and at the end of each phase, and some ten times a second at the most in between,
  /// within the operation: it goes on when the closure returns. SQLite does not say how far some of its own work is; then
  /// the amount stays as it is for a while.
  public struct Progress: Sendable, Hashable {
    /// What is being done.
    public internal(set) var phase: Phase
    /// How much of it has been done, in rows or bytes.
    public internal(set) var done = 0
    /// How much there is to do, in rows or bytes; nil if that is not known.
    public internal(set) var total: Int?
    /// What is counted.
    public internal(set) var unit: Unit

    package init(phase: Phase, done: Int = 0, total: Int? = nil, unit: Unit) {
      (self.phase, self.done, self.total, self.unit) = (phase, done, total, unit)
    }

    /// The part that has been done, from 0 to 1; nil if the total is not known.
    public var fraction: Double? {
      total.map { total in total > 0 ? min(1, Double(done) / Double(total)) : 1 }
    }
  }
}

extension StoreFile.Progress {
  /// What is being done. New phases may be added; show those that you do not know by their names.
  ///
  /// ```swift
  /// let options = StoreFile.Options(progress: { progress in
  ///   if progress.phase == .migrating { print("Preparing what you have for this version…") }
  /// })
  /// ```
  public struct Phase: Sendable, Hashable, CustomStringConvertible {
    /// The name of the phase, such as `checking pages`.
    public let description: String

    /// The pages of the file are checked, in bytes.
    public static let checkingPages = Phase(description: "checking pages")
    /// Rows are checked, and where some are lost, the links to them.
    public static let checkingRows = Phase(description: "checking rows")
    /// Migrations run; rows that are checked before and rows that are written count. How many there will be is not known.
    public static let migrating = Phase(description: "migrating")
    /// Rows are read into the store; in bytes, the lines of an import.
    public static let reading = Phase(description: "reading")
    /// Rows that are whole are copied from a damaged file to a new one. How many there are may be lost.
    public static let repairing = Phase(description: "repairing")
    /// Rows are written, in another form or as lines.
    public static let writing = Phase(description: "writing")
    /// A copy of a file is written, in bytes.
    public static let copying = Phase(description: "copying")
    /// The file is written again without its unused room, in bytes that are read, written to the log, and moved from there
    /// to the file. SQLite does the second and the third at a stretch.
    public static let compacting = Phase(description: "compacting")
    /// What was stored under another key is overwritten, in rows.
    public static let overwriting = Phase(description: "overwriting")
  }

  /// What is counted. New units may be added.
  ///
  /// ```swift
  /// let options = StoreFile.Options(progress: { progress in
  ///   print(progress.unit == .bytes ? "\(progress.done / 1_000_000) MB" : "\(progress.done) objects")
  /// })
  /// ```
  public struct Unit: Sendable, Hashable, CustomStringConvertible {
    /// The name of the unit.
    public let description: String

    /// Rows, which are objects.
    public static let rows = Unit(description: "rows")
    /// Bytes of a file.
    public static let bytes = Unit(description: "bytes")
  }
}
