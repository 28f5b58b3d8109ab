public import Foundation

extension Store {
  /// Imports the objects of a JSON file, blocking this thread.
  ///
  /// ```swift
  /// let report = try store.importJSON(Post.self, from: file, mode: .upsert)
  /// print(report.inserted, report.changed)
  /// ```
  /// The file is an array of objects or has one object a line (NDJSON); its first byte decides. It is UTF-8, and may
  /// begin with a byte order mark, end lines in CRLF and have blank lines. It is read in chunks. Memory depends on the
  /// size of an object and on that of a batch, not on the length of the file. Objects are decoded before the write lock
  /// is taken, so other writers wait for the writes of one batch at most.
  /// - Parameters:
  ///   - type: the entity.
  ///   - file: the URL of a local file, pipe or device.
  ///   - mode: what to do with an object whose id exists; `.insert`, an error, by default.
  ///   - commit: all or nothing, by default, or in batches.
  ///   - decoder: decodes the objects. `JSONDecoder()`, the default, reads what `JSONEncoder()` and
  ///     `exportJSON` write by default: dates as seconds since 2001, data in Base64.
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - isolation: the caller's actor; leave it out.
  ///   - progress: called after each chunk. What it throws ends the import, unless all of it is there.
  /// - Returns: how many objects were added, changed and left as they were.
  /// - Throws: `invalidJSON` for text that is no JSON, an object that cannot be decoded, or one of more than 64 MB,
  ///   100 levels, or 1,000 marks on a letter of a text or key; what `write` throws, with the line and index of the object; an error of
  ///   Foundation's if the file cannot be read; `CancellationError` if the task is cancelled. With `.once` nothing is
  ///   imported then, else the batches before it; a ``StoreError`` says how much in ``StoreError/committedCount``.
  /// - Complexity: O(length of the file), plus that of the writes.
  @discardableResult
  public func importJSON<Element: Entity & Decodable>(
    _ type: Element.Type, from file: URL, mode: ImportMode<Element> = .insert, commit: ImportCommit = .once,
    decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    isolation: isolated (any Actor)? = #isolation, progress: ((ImportProgress) throws -> Void)? = nil
  ) throws -> ImportReport {
    let chunks = try FileChunks(file)
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: chunks.totalBytes, progress)
    return try run(request, on: isolation) { try chunks.next() }
  }

  /// Imports the objects of JSON data, an array of objects or one object a line, blocking this thread.
  ///
  /// As for a file, which explains the parameters.
  /// - Throws: as for a file, except errors of reading it.
  /// - Complexity: O(length of the data), plus that of the writes.
  @discardableResult
  public func importJSON<Element: Entity & Decodable>(
    _ type: Element.Type, from data: Data, mode: ImportMode<Element> = .insert, commit: ImportCommit = .once,
    decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    isolation: isolated (any Actor)? = #isolation, progress: ((ImportProgress) throws -> Void)? = nil
  ) throws -> ImportReport {
    var chunks = DataChunks(data)
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: data.count, progress)
    return try run(request, on: isolation) { chunks.next() }
  }

  private func run<Element>(
    _ request: ImportRequest<Element>, on isolation: (any Actor)?, nextChunk: () throws -> Data?
  ) throws -> ImportReport {
    _ = try openState().catalog.require(Element.self)
    var (reader, run) = (request.reader, request.run)
    do {
      while true {
        try Task.checkCancellation()
        let chunk = try nextChunk()
        let part = reader.read(chunk)
        run.add(part, bytes: chunk?.count ?? 0)
        while let batch = run.nextBatch() {
          do {
            let (report, state) = try write(origin: request.origin, on: isolation) { tx in
              (try batch.write(in: &tx), tx.state)
            }
            run.record(report, version: state.isCommitted ? state.version : nil)
          } catch {
            throw batch.located(error)
          }
        }
        if try request.isFinished(by: part, run) { return run.report }
      }
    } catch {
      throw run.stopped(by: error)
    }
  }
}

extension ImportRequest {
  /// Whether a part, whose batches were written, is the last; says how far the import is.
  func isFinished(by part: ImportReader<Element>.Part, _ run: ImportRun<Element>) throws -> Bool {
    if let error = part.error { throw error }
    if !part.isLast {
      try progress?(run.progress)
      return false
    }
    // All objects are imported, which an error thrown here would deny.
    try? progress?(run.progress)
    return true
  }
}
