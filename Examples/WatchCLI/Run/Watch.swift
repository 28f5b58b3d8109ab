import LiveStore

/// Reads documents into a store and reports a live query over them.
///
/// A transaction is written and its changes are printed before the next one is read: so every version is
/// reported by itself, and who reads the output slowly slows the reading down instead of filling memory.
package struct Watch: ~Copyable {
  private let options: WatchOptions
  private let store: Store
  private let reporter: Reporter
  private var reader: BatchReader

  /// A watch at the beginning of its input.
  ///
  /// - Parameter onBadLine: called for each line that is no document, besides its being counted.
  package init(
    _ options: WatchOptions, output: OutputWriter, isColored: Bool, onBadLine: @escaping (BadLine) -> Void
  ) throws {
    let files = options.files.isEmpty ? ["-"] : options.files
    for file in files { try InputFile.check(file) }
    let store = try Store(Document.self)
    let isStrict = options.strict
    self.options = options
    self.store = store
    reporter = Reporter(ResultPrinter(writer: output, mode: options.output, isColored: isColored))
    reader = BatchReader(files: files, key: options.key, batch: options.batch) { line in
      onBadLine(line)
      return !isStrict
    }
  }

  /// Runs to the end of the input, or to what ends it before.
  package mutating func run() async -> Exit {
    do {
      if options.once { try await readAndPrint() } else { try await readAndReport() }
      return end
    } catch let exit as Exit {
      return exit.status == .interrupted ? Exit(.interrupted, "interrupted: \(await summary)") : exit
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  /// Reports the result after the first transaction, and then the changes of each.
  private mutating func readAndReport() async throws {
    var token: NotificationToken?
    repeat {
      let documents = try nextDocuments()
      if let documents { try await write(documents) }
      // The first event is the result itself, so that it comes whether or not there was any input.
      if token == nil { token = await reporter.report(options.query, of: store) { $0 } }
      try await store.settled()
      if let failure = await reporter.failure { throw failure }
      if documents == nil { break }
    } while true
    token?.invalidate()
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
    get async {
      "\(reader.tally.summary), version \(store.version), \(await reporter.count) in the result"
    }
  }
}
