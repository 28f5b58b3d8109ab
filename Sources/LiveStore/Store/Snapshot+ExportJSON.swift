public import Foundation

extension Snapshot {
  /// Writes the objects of a query to a JSON file, in their order.
  ///
  /// ```swift
  /// try store.snapshot().exportJSON(Post.sorted(by: \.title), to: file, format: .lines)
  /// ```
  /// The file is written under another name beside it and then renamed, so it is complete or as it was
  /// before. Objects are encoded one after another: memory does not depend on their number, except for sorted
  /// rows. ``Store/importJSON(_:from:mode:commit:decoder:origin:isolation:progress:)-(_,URL,_,_,_,_,_,_)``
  /// reads it again.
  /// - Parameters:
  ///   - query: the objects; `Post.all` for all.
  ///   - file: the URL of a local file, in a folder that exists.
  ///   - format: an array, by default, or one object a line.
  ///   - encoder: encodes each object.
  /// - Returns: how many objects were written.
  /// - Throws: the error of the query; what the encoder throws, such as for a number that is NaN; an error of
  ///   Foundation's if the file cannot be written; `CancellationError` if the task is cancelled.
  /// - Complexity: that of fetching the query, plus O(length of the file).
  @discardableResult
  public func exportJSON<Element: Entity & Encodable>(
    _ query: Query<Element>, to file: URL, format: JSONFormat = .array, encoder: JSONEncoder = JSONEncoder()
  ) throws -> Int {
    let results = fetch(query)
    try AtomicFile.write(to: file) { append in
      var export = try JSONExport(results, format, encoder)
      while let chunk = try export.next() { try append(chunk) }
    }
    return results.count
  }

  /// Writes the objects of a query to a JSON file, in the background.
  ///
  /// As the blocking form.
  /// - Throws: as the blocking form.
  /// - Complexity: that of fetching the query, plus O(length of the file).
  @discardableResult
  @concurrent
  public func exportJSON<Element: Entity & Encodable>(
    _ query: Query<Element>, to file: URL, format: JSONFormat = .array, encoder: JSONEncoder = JSONEncoder()
  ) async throws -> Int {
    try exportBlocking(query, to: file, format, encoder)
  }

  /// Gives a receiver the objects of a query as JSON text, in chunks and in their order.
  ///
  /// ```swift
  /// try snapshot.exportJSON(Post.all, format: .lines) { chunk in try connection.send(chunk) }
  /// ```
  /// - Parameters:
  ///   - query: the objects; `Post.all` for all.
  ///   - format: an array, by default, or one object a line.
  ///   - encoder: encodes each object.
  ///   - receive: gets the next part of the text, some 65 KB.
  /// - Returns: how many objects were written.
  /// - Throws: the error of the query; what the encoder and `receive` throw; `CancellationError` if the task is
  ///   cancelled.
  /// - Complexity: that of fetching the query, plus O(length of the text).
  @discardableResult
  public func exportJSON<Element: Entity & Encodable>(
    _ query: Query<Element>, format: JSONFormat = .array, encoder: JSONEncoder = JSONEncoder(),
    to receive: (Data) throws -> Void
  ) throws -> Int {
    let results = fetch(query)
    var export = try JSONExport(results, format, encoder)
    while let chunk = try export.next() { try receive(chunk) }
    return results.count
  }

  /// Gives a receiver that may suspend the objects of a query as JSON text, in chunks and in their order: the
  /// body of a response, a connection, an upload.
  ///
  /// ```swift
  /// try await snapshot.exportJSON(Post.all, format: .lines) { chunk in try await response.write(chunk) }
  /// ```
  /// The next chunk is made when the receiver has returned, so a slow one holds one chunk and the snapshot. The query is
  /// evaluated and the objects are encoded in the background; `receive` runs on the caller's isolation.
  /// - Throws: as the blocking form.
  /// - Complexity: that of fetching the query, plus O(length of the text).
  @discardableResult
  public nonisolated(nonsending) func exportJSON<Element: Entity & Encodable>(
    _ query: Query<Element>, format: JSONFormat = .array, encoder: JSONEncoder = JSONEncoder(),
    to receive: (Data) async throws -> Void
  ) async throws -> Int {
    let export = try await backgroundExport(query, format, encoder)
    while let chunk = try await export.next() { try await receive(chunk) }
    return await export.count
  }

  @concurrent
  private func backgroundExport<Element: Entity & Encodable>(
    _ query: Query<Element>, _ format: JSONFormat, _ encoder: JSONEncoder
  ) async throws -> BackgroundExport<Element> {
    try BackgroundExport(fetch(query), format, encoder)
  }

  private func exportBlocking<Element: Entity & Encodable>(
    _ query: Query<Element>, to file: URL, _ format: JSONFormat, _ encoder: JSONEncoder
  ) throws -> Int {
    try exportJSON(query, to: file, format: format, encoder: encoder)
  }
}

/// An export that is evaluated and encoded in the background.
actor BackgroundExport<Element: Entity & Encodable> {
  private let results: Results<Element>
  private var export: JSONExport<Element>

  /// - Throws: the error of the query.
  init(_ results: Results<Element>, _ format: JSONFormat, _ encoder: JSONEncoder) throws {
    self.results = results
    export = try JSONExport(results, format, encoder)
  }

  var count: Int { results.count }

  /// The next chunk, or nil at the end.
  func next() throws -> Data? { try export.next() }
}
