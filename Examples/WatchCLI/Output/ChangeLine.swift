package import LiveStore

/// One change of the watched result, the unit of the output.
package struct ChangeLine: Hashable, Sendable {
  /// What happened to an object.
  package enum Change: String, Hashable, Sendable {
    /// It is in the first result.
    case initial
    /// It entered the result.
    case insert
    /// It left the result.
    case delete
    /// It stays in the result with another value.
    case modify
    /// It stays in the result at another position.
    case move
  }

  /// What happened.
  package let change: Change
  /// The object's identity.
  package let id: JSONValue
  /// Its place in the result before.
  package let oldIndex: Int?
  /// Its place in the result now.
  package let newIndex: Int?
  /// The object before.
  package let old: JSONValue?
  /// The object now.
  package let new: JSONValue?

  private init(
    _ change: Change, _ id: JSONValue, _ oldIndex: Int?, _ newIndex: Int?, _ old: JSONValue?,
    _ new: JSONValue?
  ) {
    (self.change, self.id, self.oldIndex, self.newIndex) = (change, id, oldIndex, newIndex)
    (self.old, self.new) = (old, new)
  }

  /// An object of the first result.
  package static func initial(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.initial, document.id, nil, index, nil, document.body)
  }

  /// An object that entered the result.
  package static func insert(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.insert, document.id, nil, index, nil, document.body)
  }

  /// An object that left the result.
  package static func delete(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.delete, document.id, index, nil, document.body, nil)
  }

  /// An object with another value.
  package static func modify(_ old: Document, at oldIndex: Int, to new: Document, at newIndex: Int)
    -> ChangeLine
  {
    ChangeLine(.modify, new.id, oldIndex, newIndex, old.body, new.body)
  }

  /// An object with another place; its values belong to the `modify` line, if there is one.
  package static func move(_ id: JSONValue, from oldIndex: Int, to newIndex: Int) -> ChangeLine {
    ChangeLine(.move, id, oldIndex, newIndex, nil, nil)
  }
}

extension ChangeLine {
  /// Appends the change as a JSON object, without the members that mean nothing for it.
  package func writeJSON(version: UInt64, to bytes: inout [UInt8]) {
    bytes += "{\"version\":\(version),\"change\":\"\(change.rawValue)\",\"id\":".utf8
    id.write(to: &bytes)
    if let oldIndex { bytes += ",\"oldIndex\":\(oldIndex)".utf8 }
    if let newIndex { bytes += ",\"newIndex\":\(newIndex)".utf8 }
    if let old {
      bytes += ",\"old\":".utf8
      old.write(to: &bytes)
    }
    if let new {
      bytes += ",\"new\":".utf8
      new.write(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
