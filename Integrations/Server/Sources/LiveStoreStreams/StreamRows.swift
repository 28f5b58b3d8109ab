public import LiveStore

/// The rows of a stream in their order, as a client rebuilds them from its messages.
///
/// ```swift
/// var rows = StreamRows()
/// try rows.apply(messages)
/// print(rows.rows.map(\.key))
/// ```
/// A step is applied as a change set is: rows that are deleted or moved are taken from their old places, rows that are inserted
/// or moved are put at their new ones, and the others that were updated are replaced. A stream of several entities has rows of
/// each, with places of their own.
public struct StreamRows: Sendable, Hashable {
  /// A row: its id as text, and its fields.
  public struct Row: Sendable, Hashable {
    /// The id.
    public var key: String
    /// The fields.
    public var value: JSONValue

    /// A row.
    public init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }
  }

  /// The rows by the names of their entities.
  private var entities: [String: [Row]] = [:]
  /// The rows in the order of the result; of several entities those of one after those of another, by name.
  public var rows: [Row] {
    entities.count == 1 ? entities.first?.value ?? [] : entities.sorted { $0.key < $1.key }.flatMap(\.value)
  }
  /// The version that they are of; nil before the first step.
  public private(set) var version: Version?

  /// No rows, as before a stream begins.
  public init() {}

  /// The rows of one entity, in their order.
  ///
  /// ```swift
  /// print(rows.rows(of: "Post").count)
  /// ```
  public func rows(of entity: String) -> [Row] { entities[entity] ?? [] }

  /// Applies the messages of a response, or of one event.
  ///
  /// After an error the rows are as they were before.
  /// - Throws: ``StreamError`` if a message does not fit the rows: then begin again at the offset `-1`.
  /// - Complexity: O(*n*) for *n* rows, for each step.
  public mutating func apply(_ messages: some Collection<StreamMessage>) throws(StreamError) {
    var next = self
    var rest = Array(messages)[...]
    while let first = rest.first {
      let step = rest.prefix { $0.headers.txid == first.headers.txid }
      try next.applyStep(step)
      rest = rest.dropFirst(step.count)
    }
    self = next
  }

  private mutating func applyStep(_ step: ArraySlice<StreamMessage>) throws(StreamError) {
    if let text = step.first?.headers.txid {
      guard let number = UInt64(text) else { throw StreamError("\(text) is no version") }
      version = Version(number)
    }
    // A snapshot is put in the place of what was there; all else is a difference from it.
    if step.contains(where: { $0.headers.control == .snapshotStart }) { entities = [:] }
    for (entity, messages) in Dictionary(grouping: step, by: \.type) {
      guard let entity else { continue }
      try Self.apply(messages, to: &entities[entity, default: []])
    }
    let total = entities.values.reduce(0) { $0 + $1.count }
    for message in step {
      if let count = message.headers.rowCount, count != total {
        throw StreamError("There are \(total) rows where the server has \(count)")
      }
    }
  }

  /// Applies the messages of a step that are about one entity.
  private static func apply(_ step: [StreamMessage], to rows: inout [Row]) throws(StreamError) {
    let taken = Set(step.compactMap(\.headers.from))
    for message in step where message.headers.from != nil {
      guard let from = message.headers.from, rows.indices.contains(from), rows[from].key == message.key else {
        throw StreamError("A row is not at the place that a message takes it from")
      }
    }
    if !taken.isEmpty {
      rows = rows.indices.filter { !taken.contains($0) }.map { rows[$0] }
    }
    var (inserted, updated): ([(index: Int, row: Row)], [(index: Int, row: Row)]) = ([], [])
    for message in step where message.headers.operation != nil && message.headers.operation != .delete {
      guard let key = message.key, let value = message.value, let index = message.headers.index else {
        throw StreamError("A message has no key, value or place")
      }
      let isPut = message.headers.operation == .insert || message.headers.from != nil
      if isPut {
        inserted.append((index, Row(key: key, value: value)))
      } else {
        updated.append((index, Row(key: key, value: value)))
      }
    }
    try put(inserted, into: &rows)
    for (index, row) in updated {
      guard rows.indices.contains(index), rows[index].key == row.key else {
        throw StreamError("A row is not at the place where a message replaces it")
      }
      rows[index] = row
    }
  }

  /// Puts rows at their places in the new order.
  private static func put(
    _ inserted: [(index: Int, row: Row)], into rows: inout [Row]
  ) throws(StreamError) {
    guard !inserted.isEmpty else { return }
    var result: [Row] = []
    result.reserveCapacity(rows.count + inserted.count)
    var old = rows[...]
    for (index, row) in inserted.sorted(by: { $0.index < $1.index }) {
      guard index >= result.count, index - result.count <= old.count else {
        throw StreamError("A row is put at a place that the result does not have")
      }
      let gap = index - result.count
      result += old.prefix(gap)
      old = old.dropFirst(gap)
      result.append(row)
    }
    rows = result + old
  }
}

/// Why messages cannot be applied: a client's rows and the server's are not the same.
public struct StreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that says what does not fit.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The sentence.
  public var description: String { message }
}
