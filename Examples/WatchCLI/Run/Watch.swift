import LiveStore

/// Reads documents into a store and reports a live query over them.
///
/// Every version is reported by itself. Printing may fall behind the writing by as many commits as the store
/// remembers, and has caught up whenever the tool waits for input: so who reads the output slowly slows the
/// reading down instead of filling memory, and what has been read is shown before there is more.
package struct Watch: ~Copyable {
  private let options: WatchOptions
  private let store: Store
  private let reporter: Reporter
  private var reader: BatchReader
  /// What has been written since the printing had last caught up.
  private var unprinted = (commits: 0, documents: 0)

  /// How far the printing may fall behind.
  private static let limit = (commits: 256, documents: 20_000)

  /// A watch at the beginning of its input.
  ///
  /// - Parameter onBadLine: called for each line that is no document, besides its being counted.
  package init(
    _ options: WatchOptions, output: OutputWriter, isColored: Bool, onBadLine: @escaping (BadLine) -> Void
  ) throws {
    let files = options.files.isEmpty ? ["-"] : options.files
    for file in files { try InputFile.check(file) }
    let store = try Store(Document.self, configuration: Self.configuration(options))
    let isStrict = options.strict
    self.options = options
    self.store = store
    reporter = Reporter(ResultPrinter(writer: output, mode: options.output, isColored: isColored))
    reader = BatchReader(files: files, key: options.key, batch: options.batch) { line in
      onBadLine(line)
      return !isStrict
    }
  }

  /// A history as long as the printing may fall behind, and a transaction more.
  private static func configuration(_ options: WatchOptions) -> Store.Configuration {
    var configuration = Store.Configuration()
    configuration.historyCommits = options.once ? 0 : limit.commits + 1
    configuration.historyRows = limit.documents + max(options.batch ?? 0, BatchReader.largestRead)
    return configuration
  }

  /// Runs to the end of the input, or to what ends it before.
  package mutating func run() async -> Exit {
    do {
      if options.once { try await readAndPrint() } else { try await readAndReport() }
      return end
    } catch let exit as Exit {
      return exit.status == .interrupted ? Exit(.interrupted, "interrupted: \(summary)") : exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  /// Reports the result after the first transaction, and then the changes of each.
  private mutating func readAndReport() async throws {
    var token: NotificationToken?
    while let documents = try nextDocuments() {
      try await write(documents)
      if token == nil { token = await reporter.report(options.query, of: store) { $0 } }
      unprinted.commits += 1
      unprinted.documents += documents.count
      if reader.mustRead || unprinted.commits >= Self.limit.commits
        || unprinted.documents >= Self.limit.documents
      {
        try await catchUp()
      }
      if let failure = reporter.failure { throw failure }
    }
    // Without any input there is the empty result to report.
    if token == nil { token = await reporter.report(options.query, of: store) { $0 } }
    try await catchUp()
    token?.invalidate()
  }

  /// Waits until everything written has been printed.
  private mutating func catchUp() async throws {
    try await store.settled()
    unprinted = (0, 0)
    if let failure = reporter.failure { throw failure }
  }

  /// Reads everything and then prints the result.
  private mutating func readAndPrint() async throws {
    while let documents = try nextDocuments() { try await write(documents) }
    if !reader.tally.hasStopped { try await reporter.print(store.snapshot().fetch(options.query)) }
  }

  private mutating func nextDocuments() throws(Exit) -> [Document]? {
    if Interrupts.isInterrupted { throw Exit(.interrupted) }
    return try reader.next()
  }

  private func write(_ documents: [Document]) async throws {
    try await store.write { try $0.upsert(contentsOf: documents) }
  }

  /// How it ends when nothing went wrong but lines.
  private var end: Exit {
    let tally = reader.tally
    if tally.hasStopped { return Exit(.badLine, "stopped at the first bad line") }
    guard tally.badLines > 0 else { return Exit(.success) }
    return Exit(.success, "\(tally.badLines) bad line\(tally.badLines == 1 ? "" : "s") skipped")
  }

  private var summary: String {
    "\(reader.tally.summary), version \(store.version), \(reporter.count) in the result"
  }
}
