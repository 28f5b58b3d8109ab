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
  /// Its place in the result before.
  package let oldIndex: Int?
  /// Its place in the result now.
  package let newIndex: Int?
  /// The object before.
  package let old: Document?
  /// The object now, or the last one.
  package let document: Document

  private init(
    _ change: Change, _ oldIndex: Int?, _ newIndex: Int?, _ old: Document?, _ document: Document
  ) {
    (self.change, self.oldIndex, self.newIndex) = (change, oldIndex, newIndex)
    (self.old, self.document) = (old, document)
  }

  /// The object's identity.
  package var id: JSONValue { document.id }

  /// Whether nothing of it is printed: what is not asked for, and a modification of other values.
  func isHidden(by projection: Projection, version: UInt64, time: String? = nil) throws(Exit) -> Bool {
    if change == .modify, let old, projection.areSame(old, document) { return true }
    if change == .move, projection.template != nil { return true }
    do throws(StoreError) {
      return try projection.changes?.isMet(by: document(version: version, time: time)) == false
    } catch {
      throw Exit(error)
    }
  }

  /// An object of the first result.
  package static func initial(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.initial, nil, index, nil, document)
  }

  /// An object that entered the result.
  package static func insert(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.insert, nil, index, nil, document)
  }

  /// An object that left the result.
  package static func delete(_ document: Document, at index: Int) -> ChangeLine {
    ChangeLine(.delete, index, nil, nil, document)
  }

  /// An object with another value.
  package static func modify(_ old: Document, at oldIndex: Int, to new: Document, at newIndex: Int)
    -> ChangeLine
  {
    ChangeLine(.modify, oldIndex, newIndex, old, new)
  }

  /// An object with another place; its values belong to the `modify` line, if there is one.
  package static func move(_ document: Document, from oldIndex: Int, to newIndex: Int) -> ChangeLine {
    ChangeLine(.move, oldIndex, newIndex, nil, document)
  }
}

extension ChangeLine {
  /// The change as the object that `--output json` prints.
  func document(version: UInt64, time: String? = nil) -> Document {
    var bytes: [UInt8] = []
    writeJSON(version: version, time: time, to: &bytes)
    return bytes.withUnsafeBytes { Document(JSONText($0), id: .outside(.null)) }
  }

  /// Appends the change as a JSON object, without the members that mean nothing for it.
  package func writeJSON(
    version: UInt64, time: String? = nil, _ projection: Projection = Projection(), to bytes: inout [UInt8]
  ) {
    bytes += "{\"version\":\(version),".utf8
    if let time { bytes += "\"time\":\"\(time)\",".utf8 }
    bytes += "\"change\":\"\(change.rawValue)\",\"id\":".utf8
    id.write(to: &bytes)
    if let oldIndex { bytes += ",\"oldIndex\":\(oldIndex)".utf8 }
    if let newIndex { bytes += ",\"newIndex\":\(newIndex)".utf8 }
    if let old = change == .delete ? document : old {
      bytes += ",\"old\":".utf8
      projection.writeJSON(old, to: &bytes)
    }
    if change != .delete, change != .move {
      bytes += ",\"new\":".utf8
      projection.writeJSON(document, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
