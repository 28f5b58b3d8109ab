import LiveStore

/// What a command reads: lines of JSON, each made when it is written.
struct CommandInput {
  /// The version of the result.
  let version: UInt64
  /// How many objects the result has.
  let count: Int
  /// The lines, with their ends.
  let lines: AnyIterator<[UInt8]>

  /// The changes from one result to another, or a first result, as `--output json` prints them.
  init(
    from old: Results<Document>?, to new: Results<Document>, _ projection: Projection, time: String?
  ) {
    let change: CollectionChange<Document> =
      if let old { .update(new, old.changes(to: new)) } else { .initial(new) }
    let version = new.version.number
    // A filter that takes too long ends the tool where the same line is printed.
    let lines = ChangeLine.lines(of: change).lazy.filter {
      (try? $0.isHidden(by: projection, version: version, time: time)) == false
    }
    self.init(
      new,
      lines.map { line in
        Self.line { line.writeJSON(version: version, time: time, projection, to: &$0) }
      })
  }

  /// The objects of a result, as `--once --output json` prints them.
  init(_ results: Results<Document>, _ projection: Projection) {
    self.init(results, results.lazy.map { document in Self.line { projection.writeJSON(document, to: &$0) } })
  }

  private init(_ results: Results<Document>, _ lines: some Sequence<[UInt8]>) {
    (version, count) = (results.version.number, results.count)
    self.lines = AnyIterator(lines.makeIterator())
  }

  private static func line(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    write(&bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}
