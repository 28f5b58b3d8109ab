public import LiveStore

/// One message of a stream, as the State Protocol has it: a change of one row, or a mark around others.
///
/// ```swift
/// let messages = try JSONDecoder().decode([StreamMessage].self, from: body)
/// try rows.apply(messages)
/// ```
/// Messages of one `txid` belong to one step, from one version to another, and are applied together; see ``StreamRows``.
public struct StreamMessage: Codable, Hashable, Sendable {
  /// What a message does to a row.
  public enum Operation: String, Codable, Hashable, Sendable {
    /// The row is new in the result, at ``Headers/index``.
    case insert
    /// The row has another value, stands at another place, or both.
    case update
    /// The row is no longer in the result.
    case delete
  }

  /// A mark around other messages.
  public enum Control: String, Codable, Hashable, Sendable {
    /// The rows that follow, up to ``snapshotEnd``, are the whole result.
    case snapshotStart = "snapshot-start"
    /// The result is complete.
    case snapshotEnd = "snapshot-end"
    /// What the client has cannot be continued; a snapshot follows, which replaces it.
    case reset
  }

  /// What a message says beside the row.
  public struct Headers: Codable, Hashable, Sendable {
    /// What happens to the row; nil for a mark.
    public var operation: Operation?
    /// The mark; nil for a row.
    public var control: Control?
    /// The place of the row in the result after the step; nil for a deletion.
    public var index: Int?
    /// The place of the row in the result before the step, if it is taken from there: for a deletion, and for an update that
    /// moves the row.
    public var from: Int?
    /// The version after the step.
    public var txid: String?
    /// The name of the writer, if all commits of the step have one and the same.
    public var origin: String?
    /// The offset of the step's end.
    public var offset: String?
    /// How many rows the result has after the step.
    public var rowCount: Int?

    /// Headers without anything.
    public init() {}
  }

  /// The entity; nil for a mark.
  public var type: String?
  /// The row's id as text; nil for a mark.
  public var key: String?
  /// The fields of the row after the step; nil for a deletion and a mark.
  public var value: JSONValue?
  /// What the message says beside the row.
  public var headers: Headers

  /// A message.
  public init(type: String? = nil, key: String? = nil, value: JSONValue? = nil, headers: Headers) {
    (self.type, self.key, self.value, self.headers) = (type, key, value, headers)
  }
}
