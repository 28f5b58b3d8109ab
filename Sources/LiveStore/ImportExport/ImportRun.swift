// Import and export of JSON.
//
// An import is a pipe: chunks → elements (`JSONElementSplitter`) → edits (`ImportReader`) → batches
// (`ImportRun`) → one write transaction for each (`ImportBatch`). An edit is a decoded object with a
// closure that writes it; the mode (`ImportMode`) makes it. The blocking and the suspending form in
// `Store+ImportJSON.swift` and `Store+ImportJSONAsync.swift` differ in how they wait for chunks and for the
// write lock, and in that the suspending one reads and decodes in the background. An export is the reverse,
// in chunks, into a temporary file that is renamed at the end (`AtomicFile`).
//
// - **J1** How the text is cut into chunks changes nothing: not the objects, not the versions of batches,
//   not the error. So an error in a chunk is reported after the batches that the elements before it
//   complete.
// - **J2** Text is read by our own parser (exact positions, 512 levels, no crash), written again by our own
//   writer, and only that text is passed to `JSONDecoder`. Foundation's parser accepts more than JSON and
//   ends the process for some numbers. Its coders have no numbers but integers and doubles. The numbers of a
//   `JSONValue` are exact all the same: an encoder writes texts in their place, which are replaced, and a
//   decoder has the value, in which it finds them by their path (`ExactNumbers`).
// - **J3** Nothing is decoded under the write lock, except for merges, which depend on the stored objects. An
//   edit that fails fails its whole batch, before any of the batch is visible.
// - **J4** An import holds one chunk, one unfinished element of at most 64 MB, and the edits of one batch.
//   With `.once` the batch is the whole import: objects that the store is going to hold. Holding the write
//   lock while the file is read would save that memory, and block all other writers for as long.
// - **J5** A merge encodes the stored object, applies the patch (RFC 7396), and decodes the result. A
//   property that decodes to the same value with and without the patch gets its stored value again, since
//   coding may leave out or round it. If the patch changes nothing of the encoded object, nothing is decoded
//   or written.

/// The state of an import: the decoded edits that wait for their batch, and how much has been committed.
struct ImportRun<Element: Entity & Decodable> {
  private let batchSize: Int
  private var waiting: [ImportEdit<Element>] = []
  /// How many of the waiting edits have been handed out.
  private var first = 0
  /// Whether no more edits will be added.
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
