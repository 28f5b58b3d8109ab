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
    /// It stays in the result at another position; another value belongs to the `modify` line.
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

  /// A change of an object between two places.
  package init(
    _ change: Change, _ document: Document, from oldIndex: Int? = nil, to newIndex: Int? = nil,
    old: Document? = nil
  ) {
    (self.change, self.document, self.old) = (change, document, old)
    (self.oldIndex, self.newIndex) = (oldIndex, newIndex)
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
}

extension ChangeLine {
  /// The lines of an event of a live query, each made when it is read; none for an error.
  ///
  /// Deletions, insertions, modifications, moves, each ascending, as in the change set.
  static func lines(of change: CollectionChange<Document>) -> some Sequence<ChangeLine> {
    let parts: [(count: Int, line: (Int) -> ChangeLine)] =
      switch change {
      case .initial(let results): [(results.count, { ChangeLine(.initial, results[$0], to: $0) })]
      case .update(_, let changes): parts(of: changes)
      case .error: []
      }
    return parts.lazy.flatMap { part in (0..<part.count).lazy.map(part.line) }
  }

  private static func parts(of changes: ChangeSet<Document>) -> [(count: Int, line: (Int) -> ChangeLine)] {
    let (deletions, insertions) = (changes.deletions, changes.insertions)
    let (modifications, moves) = (changes.modifications, changes.moves)
    return [
      (deletions.count, { ChangeLine(.delete, changes.previous[deletions[$0]], from: deletions[$0]) }),
      (insertions.count, { ChangeLine(.insert, changes.current[insertions[$0]], to: insertions[$0]) }),
      (
        modifications.count,
        {
          let change = modifications[$0]
          return ChangeLine(
            .modify, change.new, from: change.oldIndex, to: change.newIndex, old: change.old)
        }
      ),
      (
        moves.count,
        { ChangeLine(.move, changes.current[moves[$0].to], from: moves[$0].from, to: moves[$0].to) }
      ),
    ]
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
