/// The state of an import: what has been decoded and waits for its batch, and what has been committed.
struct ImportRun<Element: Entity & Decodable> {
  private let batchSize: Int
  private var waiting: [ImportEdit<Element>] = []
  /// How many of those have been handed out.
  private var first = 0
  /// Whether no more will be added.
  private var isLast = false
  private(set) var progress: ImportProgress
  private(set) var report = ImportReport()

  init(_ commit: ImportCommit, totalBytes: Int?) {
    batchSize = commit.batchSize
    progress = ImportProgress(totalBytes: totalBytes)
  }

  /// Adds the edits of a chunk.
  mutating func add(_ part: ImportReader<Element>.Part, bytes: Int) {
    waiting.removeFirst(first)
    first = 0
    waiting.append(contentsOf: part.edits)
    isLast = part.isLast && part.error == nil
    progress.bytesRead += bytes
    progress.objectsRead += part.edits.count
  }

  /// The next batch that is complete.
  mutating func nextBatch() -> ImportBatch<Element>? {
    let count = waiting.count - first
    guard count > 0, isLast || count >= batchSize else { return nil }
    let end = first + min(count, batchSize)
    defer { first = end }
    return ImportBatch(edits: waiting[first..<end])
  }

  /// Records that a batch was written.
  ///
  /// - Parameter version: the version of its commit, if it made one.
  mutating func record(_ batch: ImportReport, version: Version?) {
    report.add(batch)
    if let version { report.add(commit: version) }
    progress.objectsCommitted += batch.objects
  }

  /// An error that ends the import, with how much was committed.
  func stopped(by error: any Error) -> any Error {
    (error as? StoreError)?.stopped(after: progress.objectsCommitted) ?? error
  }
}
