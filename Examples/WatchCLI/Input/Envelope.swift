package import LiveStore

/// A format in which each line says what happens to an object.
package enum Envelope: String, OptionChoice, Hashable {
  case kubernetes, debezium, state

  /// Where such lines come from.
  package var summary: String {
    switch self {
    case .kubernetes: "watch events with type and object, as of kubectl"
    case .debezium: "changes of a database with op, before and after"
    case .state: "a stream in the State Protocol, as of LiveStoreServer: events, arrays or lines"
    }
  }

  /// The key of objects if none is given.
  package var key: ObjectKey {
    switch self {
    case .kubernetes: ObjectKey([KeyPathText(steps: ["metadata", "uid"])])
    case .debezium, .state: .standard
    }
  }

  /// What a line says.
  package enum Content: Hashable, Sendable {
    /// The value of an object; `before` is the one that it had, of a line that has both.
    case put(JSONValue, before: JSONValue? = nil)
    case remove(JSONValue)
    /// All objects of a table, or all there are.
    case removeAll(table: String?)
    /// The objects that are there come again, up to `listEnd`; the others are deleted.
    case listBegin
    case listEnd
    /// A part of a step.
    case message(StateMessage)
    /// What stands around other messages.
    case mark(StateMark)
    /// Nothing about objects.
    case nothing
  }

  /// A line that is not in the format, and why.
  package struct Mistake: Error, Hashable {
    /// The reason, for a message.
    package let reason: String

    /// A reason.
    package init(reason: String) {
      self.reason = reason
    }
  }

  /// Reads a line.
  package func content(of line: JSONValue) throws(Mistake) -> Content {
    switch self {
    case .kubernetes: try Self.kubernetes(line)
    case .debezium: try Self.debezium(line)
    case .state: try StateMessage.content(of: line)
    }
  }

  private static func kubernetes(_ line: JSONValue) throws(Mistake) -> Content {
    let object = line["object"]
    switch line["type"] {
    case "ADDED", "MODIFIED": return .put(try checked(object, "object"))
    case "DELETED": return .remove(try checked(object, "object"))
    case "BOOKMARK": return .listEnd
    // The server has forgotten the version that was asked for; a new list follows.
    case "ERROR" where object["code"] == 410: return .listBegin
    case "ERROR":
      let text = if case .string(let text) = object["message"] { text } else { "\(object)" }
      throw Mistake(reason: "the server reports: \(text)")
    case .null: throw Mistake(reason: "expected a watch event with type and object")
    case let type: throw Mistake(reason: "unknown type of event \(type)")
    }
  }

  private static func debezium(_ line: JSONValue) throws(Mistake) -> Content {
    // A tombstone follows a deletion, for the log of the broker.
    if line.isNull { return .nothing }
    let payload = Self.payload(of: line)
    if payload.isNull { return .nothing }
    switch payload["op"] {
    case "c", "u", "r":
      let before = try? checked(payload["before"], "before")
      return .put(try checked(payload["after"], "after"), before: before)
    case "d": return .remove(try checked(payload["before"], "before"))
    case "t": return .removeAll(table: table(of: payload["source"]))
    case "m": return .nothing
    case .null: throw Mistake(reason: "expected a change with op, before and after")
    case let operation: throw Mistake(reason: "unknown op \(operation)")
    }
  }

  /// An object with the values that were not sent, as far as the one before has them.
  static func completed(_ body: JSONValue, by before: JSONValue) -> JSONValue {
    guard case .object(let object) = body, case .object(let old) = before else { return body }
    return .object(
      JSONObject(object.map { ($0.key, $0.value == unavailable ? old[$0.key] ?? $0.value : $0.value) }))
  }

  /// The members of an object whose values were not sent.
  static func missing(in body: JSONValue) -> [String] {
    guard case .object(let object) = body else { return [] }
    return object.filter { $0.value == unavailable }.map(\.key)
  }

  /// An object with the source of its line, where it has none of its own, as a key may name it: `source.table`.
  func identified(_ body: JSONValue, in line: JSONValue) -> JSONValue {
    guard self == .debezium, case .object(let object) = body, object["source"] == nil else { return body }
    return .object(
      JSONObject(object.map { ($0.key, $0.value) } + [("source", Self.payload(of: line)["source"])]))
  }

  /// The table that a line is about, with its schema and database; nil if it does not say.
  func table(of line: JSONValue) -> String? {
    guard self == .debezium else { return nil }
    let payload = Self.payload(of: line)
    return Self.table(of: payload["source"])
  }

  private static func payload(of line: JSONValue) -> JSONValue {
    guard case .object(let object) = line, let payload = object["payload"] else { return line }
    return payload
  }

  private static func table(of source: JSONValue) -> String? {
    let names = ["db", "schema", "table", "collection"].map { source[$0] }
    let texts = names.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.isEmpty ? nil : texts.map { "\(JSONValue.string($0))" }.joined(separator: ".")
  }

  /// What stands in the place of a value that has not changed and is too large to be sent again.
  static let unavailable = JSONValue.string("__debezium_unavailable_value")

  /// An object, which MongoDB's connector sends as text.
  private static func checked(_ value: JSONValue, _ name: String) throws(Mistake) -> JSONValue {
    var value = value
    if case .string(let text) = value, let parsed = try? JSONValue(parsing: text) { value = parsed }
    guard case .object = value else { throw Mistake(reason: "\(name) is not an object") }
    return value
  }
}
