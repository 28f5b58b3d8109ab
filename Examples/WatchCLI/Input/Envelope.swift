package import LiveStore

/// A format in which each line says what happens to an object.
package enum Envelope: String, OptionChoice, Hashable {
  case kubernetes, debezium

  /// Where such lines come from.
  package var summary: String {
    switch self {
    case .kubernetes: "watch events with type and object, as of kubectl"
    case .debezium: "changes of a database with op, before and after"
    }
  }

  /// The key of objects if none is given.
  package var key: ObjectKey {
    switch self {
    case .kubernetes: ObjectKey([KeyPathText(steps: ["metadata", "uid"])])
    case .debezium: .standard
    }
  }

  /// What a line says.
  package enum Content: Hashable, Sendable {
    case put(JSONValue)
    case remove(JSONValue)
    case removeAll
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
    }
  }

  private static func kubernetes(_ line: JSONValue) throws(Mistake) -> Content {
    let object = line["object"]
    switch line["type"] {
    case "ADDED", "MODIFIED": return .put(try checked(object, "object"))
    case "DELETED": return .remove(try checked(object, "object"))
    case "BOOKMARK": return .nothing
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
    let hasPayload = if case .object(let object) = line { object["payload"] != nil } else { false }
    let payload = hasPayload ? line["payload"] : line
    if payload.isNull { return .nothing }
    switch payload["op"] {
    case "c", "u", "r": return .put(try checked(payload["after"], "after"))
    case "d": return .remove(try checked(payload["before"], "before"))
    case "t": return .removeAll
    case "m": return .nothing
    case .null: throw Mistake(reason: "expected a change with op, before and after")
    case let operation: throw Mistake(reason: "unknown op \(operation)")
    }
  }

  private static func checked(_ value: JSONValue, _ name: String) throws(Mistake) -> JSONValue {
    guard case .object = value else { throw Mistake(reason: "\(name) is not an object") }
    return value
  }
}
