import LiveStore
import LiveStoreStreams

/// A message of a stream, as a follower uses it.
struct FollowedMessage {
  enum Kind {
    case control(StreamMessage.Control)
    /// A row that is no longer there.
    case delete(from: Int, key: String)
    /// A row that is put at its place, and taken from another if it was there.
    case put(index: Int, from: Int?, key: String, JSONValue)
    /// A row that gets another value.
    case replace(index: Int, key: String, JSONValue)
  }

  let kind: Kind
  /// The entity; nil for a mark.
  let type: String?
  let version: String
  let origin: String?

  /// - Throws: `invalidStream` for another text.
  init(_ text: String) throws(FollowerError) {
    guard let message = try? JSONValue(parsing: text), case .object(let headers) = message["headers"],
      let version = headers["txid"]?.text, version.utf8.count <= 20
    else { throw Self.invalid }
    (self.version, origin, type) = (version, headers["origin"]?.text, message["type"].text)
    if let control = headers["control"]?.text {
      guard let control = StreamMessage.Control(rawValue: control) else { throw Self.invalid }
      kind = .control(control)
      return
    }
    let (index, from) = (try Self.place(headers["index"]), try Self.place(headers["from"]))
    guard let key = message["key"].text, type != nil,
      let operation = headers["operation"]?.text.flatMap(StreamMessage.Operation.init)
    else { throw Self.invalid }
    let value = message["value"]
    switch (operation, index, from) {
    case (.delete, _, let from?): kind = .delete(from: from, key: key)
    case (.insert, let index?, nil): kind = .put(index: index, from: nil, key: key, value)
    case (.update, let index?, let from?): kind = .put(index: index, from: from, key: key, value)
    case (.update, let index?, nil): kind = .replace(index: index, key: key, value)
    default: throw Self.invalid
    }
  }

  private static func place(_ value: JSONValue?) throws(FollowerError) -> Int? {
    guard let value else { return nil }
    guard case .number(let number) = value, let place = number.integer, place >= 0 else { throw invalid }
    return Int(place)
  }

  private static var invalid: FollowerError {
    FollowerError(.invalidStream, "A message of the stream is none of a server of stores.")
  }
}

extension JSONValue {
  /// The text that it is, if it is one.
  var text: String? { if case .string(let text) = self { text } else { nil } }
}
