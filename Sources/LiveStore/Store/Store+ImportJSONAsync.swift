public import Foundation

extension Store {
  /// Imports the objects of a JSON file.
  ///
  /// ```swift
  /// let report = try await store.importJSON(Post.self, from: file, mode: .upsert, commit: .every(1_000)) { progress in
  ///   print(progress.objectsCommitted)
  /// }
  /// ```
  /// As the blocking form. The file is read and decoded in the background; the transactions and `progress`
  /// run on the caller's isolation, where each step is short with batches. When it returns, the models of the
  /// caller's actor show what was imported.
  /// - Parameters:
  ///   - type: the entity.
  ///   - file: the URL of a local file, pipe or device.
  ///   - mode: what to do with an object whose id exists; `.insert`, an error, by default.
  ///   - commit: all or nothing, by default, or in batches.
  ///   - decoder: decodes the objects.
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - progress: called after each chunk. What it throws ends the import, unless all of it is there.
  /// - Returns: how many objects were added, changed and left as they were.
  /// - Throws: as the blocking form; `CancellationError` when the task is cancelled.
  /// - Complexity: O(length of the file), plus that of the writes.
  @discardableResult
  public nonisolated(nonsending) func importJSON<Element: Entity & Decodable>(
    _ type: Element.Type, from file: URL, mode: ImportMode<Element> = .insert, commit: ImportCommit = .once,
    decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    progress: ((ImportProgress) throws -> Void)? = nil
  ) async throws -> ImportReport {
    let chunks = try BackgroundFile(file)
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: chunks.totalBytes, progress)
    return try await run(request) { try await chunks.next() }
  }

  /// Imports the objects of JSON data, as from a file.
  ///
  /// - Throws: as for a file, except errors of reading it.
  /// - Complexity: O(length of the data), plus that of the writes.
  @discardableResult
  public nonisolated(nonsending) func importJSON<Element: Entity & Decodable>(
    _ type: Element.Type, from data: Data, mode: ImportMode<Element> = .insert, commit: ImportCommit = .once,
    decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    progress: ((ImportProgress) throws -> Void)? = nil
  ) async throws -> ImportReport {
    var chunks = DataChunks(data)
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: data.count, progress)
    return try await run(request) { chunks.next() }
  }

  /// Imports the objects of JSON text that arrives in chunks, such as from a network connection.
  ///
  /// ```swift
  /// try await store.importJSON(Post.self, from: response.body, mode: .upsert, commit: .every(1_000))
  /// ```
  /// As for a file. An object may begin in one chunk and end in another.
  /// - Throws: as for a file, and what the sequence throws.
  /// - Complexity: O(length of the text), plus that of the writes.
  @discardableResult
  public nonisolated(nonsending) func importJSON<Element: Entity & Decodable, Chunks: AsyncSequence>(
    _ type: Element.Type, from chunks: Chunks, mode: ImportMode<Element> = .insert,
    commit: ImportCommit = .once, decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    progress: ((ImportProgress) throws -> Void)? = nil
  ) async throws -> ImportReport where Chunks.Element: Collection<UInt8> {
    var (iterator, pieces) = (chunks.makeAsyncIterator(), DataChunks(Data()))
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: nil, progress)
    return try await run(request) {
      while true {
        if let piece = pieces.next() { return piece }
        guard let chunk = try await iterator.next(isolation: #isolation) else { return nil }
        pieces = DataChunks(Data(chunk))
      }
    }
  }

  /// Imports the objects of JSON text that arrives byte by byte.
  ///
  /// As for a file. A sequence of chunks is faster. `progress` is called after each 65,536 bytes.
  /// - Throws: as for a file, and what the sequence throws.
  /// - Complexity: O(length of the text), plus that of the writes.
  @discardableResult
  public nonisolated(nonsending) func importJSON<Element: Entity & Decodable, Bytes: AsyncSequence>(
    _ type: Element.Type, from bytes: Bytes, mode: ImportMode<Element> = .insert,
    commit: ImportCommit = .once, decoder: JSONDecoder = JSONDecoder(), origin: String? = nil,
    progress: ((ImportProgress) throws -> Void)? = nil
  ) async throws -> ImportReport where Bytes.Element == UInt8 {
    var iterator = bytes.makeAsyncIterator()
    let request = ImportRequest(mode, commit, decoder, origin, totalBytes: nil, progress)
    return try await run(request) {
      var chunk = Data()
      while chunk.count < FileChunks.chunkSize, let byte = try await iterator.next(isolation: #isolation) {
        chunk.append(byte)
      }
      return chunk.isEmpty ? nil : chunk
    }
  }

  private nonisolated(nonsending) func run<Element>(
    _ request: ImportRequest<Element>, nextChunk: nonisolated(nonsending) () async throws -> Data?
  ) async throws -> ImportReport {
    _ = try openState().catalog.require(Element.self)
    let reader = BackgroundReader(request.reader)
    var run = request.run
    do {
      while true {
        try Task.checkCancellation()
        let chunk = try await nextChunk()
        let part = await reader.read(chunk)
        run.add(part, bytes: chunk?.count ?? 0)
        while let batch = run.nextBatch() {
          do {
            let (report, state) = try await write(origin: request.origin) { tx in
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

/// Decodes an import in the background.
actor BackgroundReader<Element: Entity & Decodable> {
  private var reader: ImportReader<Element>

  init(_ reader: ImportReader<Element>) { self.reader = reader }

  /// Reads a chunk, or the end of the text.
  func read(_ chunk: Data?) -> ImportReader<Element>.Part { reader.read(chunk) }
}
