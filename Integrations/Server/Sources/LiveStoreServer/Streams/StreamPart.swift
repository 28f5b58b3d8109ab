import LiveStore

/// The rows of one entity in a stream: a query, and what is shown of its rows.
protocol StreamPart: Sendable {
  /// The query, as it is observed.
  var observed: any LiveSource { get }
  /// The same as a value that can be compared.
  var identity: AnyHashableSendable { get }
  /// What names the query, and the fields that it shows, also in another process.
  var names: [String] { get }

  /// The result at a version.
  func result(in snapshot: Snapshot) -> any PartResult
  /// The result that an observer of the query got.
  func result(of value: any Sendable) -> (any PartResult)?
}

/// The rows of one entity in a stream, at one version.
protocol PartResult: Sendable {
  var version: Version { get }
  var count: Int { get }
  /// Why there are no rows, if there is a reason.
  var error: StoreError? { get }

  /// Appends the messages of a snapshot for rows at some positions.
  ///
  /// - Parameter version: the version that the client has then.
  func writeRows(_ positions: Range<Int>, version: Version, to bytes: inout [UInt8]) throws
  /// Appends the messages of the step from an older result of the same part.
  ///
  /// - Returns: false if there are more than so many bytes; then some messages are missing.
  func writeStep(from older: any PartResult, origin: String?, limit: Int, to bytes: inout [UInt8]) throws
    -> Bool
}

struct EntityPart<Element: Entity>: StreamPart {
  let query: Query<Element>
  let writer: MessageWriter<Element>
  let names: [String]

  var observed: any LiveSource { query }
  var identity: AnyHashableSendable { AnyHashableSendable(query) }

  func result(in snapshot: Snapshot) -> any PartResult {
    EntityResult(results: snapshot.fetch(query), writer: writer)
  }

  func result(of value: any Sendable) -> (any PartResult)? {
    (value as? Results<Element>).map { EntityResult(results: $0, writer: writer) }
  }
}

struct EntityResult<Element: Entity>: PartResult {
  let results: Results<Element>
  let writer: MessageWriter<Element>

  var version: Version { results.version }
  var count: Int { results.count }
  var error: StoreError? { results.error }

  func writeRows(_ positions: Range<Int>, version: Version, to bytes: inout [UInt8]) throws {
    try writer.writeRows(positions, of: results, version: version, to: &bytes)
  }

  func writeStep(
    from older: any PartResult, origin: String?, limit: Int, to bytes: inout [UInt8]
  ) throws -> Bool {
    guard let older = older as? Self else { preconditionFailure("results of two entities are compared") }
    return try writer.writeStep(older.results.changes(to: results), origin: origin, limit: limit, to: &bytes)
  }
}

/// What a stream shows at one version: the rows of each of its entities.
struct StreamResult: Sendable {
  let parts: [any PartResult]
  let version: Version
  let count: Int

  /// - Throws: the error of a part.
  init(_ parts: [any PartResult]) throws(StoreError) {
    for part in parts { if let error = part.error { throw error } }
    self.parts = parts
    version = parts.map(\.version).max() ?? Version(0)
    count = parts.reduce(0) { $0 + $1.count }
  }

  /// The messages of the step from an older result, with commas between them; nothing if a client sees no difference.
  ///
  /// - Parameters:
  ///   - origin: the name of the writer of all its commits.
  ///   - limit: how many bytes there may be.
  /// - Returns: nil if there are more.
  /// - Throws: what a value's encoder throws.
  func step(from older: StreamResult, origin: String?, limit: Int) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for (old, new) in zip(older.parts, parts) {
      guard try new.writeStep(from: old, origin: origin, limit: limit, to: &bytes) else { return nil }
    }
    return bytes
  }
}
