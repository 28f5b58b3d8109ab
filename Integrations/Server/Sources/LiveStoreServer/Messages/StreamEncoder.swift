public import Foundation
public import LiveStore

/// Makes the messages of a live query, for an app that sends them its own way: a web socket, another process, a file.
///
/// ```swift
/// let encoder = try StreamEncoder(Post.self, fields: [\.title, \.author.name])
/// for await change in store.changes(of: encoder.tracking(Post.all)) {
///   switch change {
///   case .initial(let posts): try await socket.send(encoder.snapshot(of: posts))
///   case .update(_, let changes): try await socket.send(encoder.step(changes))
///   case .error(let error): throw error
///   }
/// }
/// ```
/// The messages are those of a server, without offsets; ``StreamRows`` applies them:
///
/// ```swift
/// try rows.apply(try JSONDecoder().decode([StreamMessage].self, from: data))
/// ```
/// A receiver that missed something gets a snapshot, which replaces what it has.
public struct StreamEncoder<Element: Entity>: Sendable {
  private let writer: MessageWriter<Element>

  /// An encoder of some fields of an entity.
  ///
  /// ```swift
  /// let encoder = try StreamEncoder(Post.self, fields: [\.title, \.author.name])
  /// ```
  /// - Parameters:
  ///   - type: the entity.
  ///   - fields: what is sent of a row, besides its id.
  /// - Throws: `invalidSchema` for a field that has no JSON form.
  public init(_ type: Element.Type = Element.self, fields: RowPaths<Element>) throws(StoreError) {
    writer = MessageWriter(try JSONFields<Element>(fields))
  }

  /// A query that also changes when a linked value changes that is sent.
  ///
  /// ```swift
  /// store.changes(of: encoder.tracking(Post.where { $0.likeCount > 10 }))
  /// ```
  public func tracking(_ query: Query<Element>) -> Query<Element> { query.tracking(writer.fields.paths) }

  /// A result as a JSON array of messages, with the marks before and after it.
  ///
  /// ```swift
  /// let data = try encoder.snapshot(of: store.fetch(Post.all))
  /// ```
  /// - Throws: what the encoder of a value throws.
  /// - Complexity: O(*n*) for *n* rows, all of which are in memory as text.
  public func snapshot(of results: Results<Element>) throws -> Data {
    let version = results.version
    var bytes = Array(("[" + controlMessage(.snapshotStart, version, nil)).utf8)
    if !results.isEmpty { bytes.append(UInt8(ascii: ",")) }
    try writer.writeRows(0..<results.count, of: results, version: version, to: &bytes)
    bytes += ("," + controlMessage(.snapshotEnd, version, nil, rowCount: results.count) + "]").utf8
    return Data(bytes)
  }

  /// A change set as a JSON array of messages, which are one step; an empty array if nothing that is sent has changed.
  ///
  /// ```swift
  /// let data = try encoder.step(older.changes(to: newer))
  /// ```
  /// - Parameters:
  ///   - changes: the changes, of a query that ``tracking(_:)`` has made if fields are behind links.
  ///   - origin: the name of the writer, which each message gets.
  /// - Throws: what the encoder of a value throws.
  /// - Complexity: O(*d* log *n*) for *d* differences of *n* rows.
  public func step(_ changes: ChangeSet<Element>, origin: String? = nil) throws -> Data {
    var bytes: [UInt8] = []
    _ = try writer.writeStep(changes, origin: origin, to: &bytes)
    return Data([UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")])
  }
}
