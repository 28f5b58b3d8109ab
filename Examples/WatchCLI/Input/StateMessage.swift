import LiveStore

/// A message of a stream in the State Protocol: what becomes of one object.
package struct StateMessage: Hashable, Sendable {
  package enum Operation: String, Sendable {
    case insert, update, delete
  }

  let operation: Operation
  /// The type of the object, empty if there is none; and its key among those of the type.
  let type, key: String
  /// The object; null for a deletion.
  let value: JSONValue
  /// Where the object stands after the step, and where it stood before if it is moved or deleted; nil if that is not said.
  let index, from: Int?
  /// The step; nil if the message is one by itself.
  let txid: JSONValue?

  /// The object with its key as `id`, where it has no other.
  var object: JSONValue {
    guard case .object(let object) = value, object["id"] == nil else { return value }
    return .object(
      JSONObject([(key: "id", value: .string(key))] + object.map { (key: $0.key, value: $0.value) }))
  }
}

/// A message around others.
package struct StateMark: Hashable, Sendable {
  package enum Control: String, Sendable {
    case snapshotStart = "snapshot-start"
    case snapshotEnd = "snapshot-end"
    case reset
  }

  let control: Control
  /// How many objects there are at the end of a snapshot.
  let rowCount: Int?
}

extension StateMessage {
  /// What a message says.
  static func content(of line: JSONValue) throws(Envelope.Mistake) -> Envelope.Content {
    guard case .object(let headers) = line["headers"] else {
      // Where a client of the stream would go on.
      if !line["streamNextOffset"].isNull { return .nothing }
      if case .string(let text) = line["error"]["message"] {
        throw Envelope.Mistake(reason: "the server reports: \(text)")
      }
      throw Envelope.Mistake(reason: "expected a message with key, value and headers")
    }
    if case .string(let name)? = headers["control"] {
      // A server may have marks of its own.
      guard let control = StateMark.Control(rawValue: name) else { return .nothing }
      return .mark(StateMark(control: control, rowCount: try place(headers, "rowCount")))
    }
    guard case .string(let name)? = headers["operation"], let operation = Operation(rawValue: name) else {
      throw Envelope.Mistake(reason: "unknown operation \(headers["operation"] ?? .null)")
    }
    guard case .string(let key) = line["key"] else {
      throw Envelope.Mistake(reason: "the key is \(line["key"].kindDescription), not a text")
    }
    let value = operation == .delete ? .null : line["value"]
    if operation != .delete {
      guard case .object = value else { throw Envelope.Mistake(reason: "value is not an object") }
    }
    let type = if case .string(let type) = line["type"] { type } else { "" }
    return .message(
      StateMessage(
        operation: operation, type: type, key: key, value: value, index: try place(headers, "index"),
        from: try place(headers, "from"), txid: headers["txid"].flatMap { $0.isNull ? nil : $0 }))
  }

  private static func place(_ headers: JSONObject, _ name: String) throws(Envelope.Mistake) -> Int? {
    switch headers[name] {
    case nil, .null?: return nil
    case .number(let number)?:
      if let place = number.integer.flatMap({ Int(exactly: $0) }), place >= 0 { return place }
    default: break
    }
    throw Envelope.Mistake(reason: "\(name) is not a place: \(headers[name] ?? .null)")
  }
}

/// Finds the text in lines that may be server-sent events.
struct EventLines {
  enum Part {
    case text(UnsafeRawBufferPointer)
    /// The event is complete, or what there was of it.
    case end
    case nothing
  }

  /// Whether an event has begun, and whether it is one about the stream itself.
  private var (isInEvent, isControl) = (false, false)

  /// What a line is. Outside of events, each is text by itself.
  mutating func part(of line: UnsafeRawBufferPointer) -> Part {
    if let data = Self.value(of: line, "data:") {
      isInEvent = true
      return isControl ? .nothing : .text(data)
    }
    if let name = Self.value(of: line, "event:") {
      // A connection that was cut may have left a part of an event.
      defer { (isInEvent, isControl) = (true, name.elementsEqual("control".utf8)) }
      return isInEvent ? .end : .nothing
    }
    if ["id:", "retry:", ":"].contains(where: { line.starts(with: $0.utf8) }) { return .nothing }
    guard isInEvent, line.isEmpty else { return .text(line) }
    (isInEvent, isControl) = (false, false)
    return .end
  }

  private static func value(of line: UnsafeRawBufferPointer, _ name: String) -> UnsafeRawBufferPointer? {
    guard line.starts(with: name.utf8) else { return nil }
    let rest = line.dropFirst(name.utf8.count)
    return UnsafeRawBufferPointer(rebasing: rest.first == 0x20 ? rest.dropFirst() : rest)
  }
}
