import LiveStore

/// Writes the messages of a stream as JSON text.
struct MessageWriter<Element: Entity>: Sendable {
  let fields: JSONFields<Element>
  /// The name of the entity.
  let name: String
  /// The types of the id and the fields, or of all properties where the object is written as a whole, as Swift prints them.
  let types: [String]
  /// The beginning of each message: `{"type":"Post","key":`.
  private let head: [UInt8]

  init(_ fields: JSONFields<Element>) {
    self.fields = fields
    name = "\(Element.self)"
    let paths = fields.paths.isEmpty ? JSONFields<Element>.described().paths : fields.paths
    types = ["\(Element.ID.self)"] + paths.map { "\(type(of: $0).valueType)" }
    head = Array("{\"type\":\(jsonText(name)),\"key\":".utf8)
  }

  /// Appends the insertions of a snapshot's rows.
  ///
  /// - Parameters:
  ///   - positions: which rows, in their order.
  ///   - version: the version that the client has then.
  func writeRows(
    _ positions: Range<Int>, of results: Results<Element>, version: Version, to bytes: inout [UInt8]
  ) throws {
    var rows = results.jsonRows(fields, in: positions)
    let tail = Array(",\"txid\":\"\(version)\"}}".utf8)
    for position in positions where rows.next() {
      if position > positions.lowerBound { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: head)
      try rows.writeKey(to: &bytes)
      bytes.append(contentsOf: ",\"value\":".utf8)
      try rows.writeFields(to: &bytes)
      bytes.append(contentsOf: ",\"headers\":{\"operation\":\"insert\",\"index\":\(position)".utf8)
      bytes.append(contentsOf: tail)
    }
  }

  /// Appends the messages of a step, with commas before them if there are others; nothing if a client sees no difference.
  ///
  /// - Parameters:
  ///   - origin: the name of the writer of all its commits.
  ///   - limit: how many bytes there may be, with those that are there.
  /// - Returns: false if there are more; then some messages are missing.
  func writeStep(
    _ changes: ChangeSet<Element>, origin: String?, limit: Int = .max, to bytes: inout [UInt8]
  ) throws -> Bool {
    let (old, new) = (changes.previous, changes.current)
    let tail = ",\"txid\":\"\(new.version)\"" + (origin.map { ",\"origin\":\(jsonText($0))" } ?? "") + "}}"
    func begin(_ rows: JSONRows<Element>) throws {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: head)
      try rows.writeKey(to: &bytes)
    }
    func end(_ headers: String) { bytes.append(contentsOf: (",\"headers\":{" + headers + tail).utf8) }

    var (oldRows, newRows) = (old.jsonRows(fields), new.jsonRows(fields))
    for position in changes.deletions {
      oldRows.go(to: position)
      try begin(oldRows)
      end("\"operation\":\"delete\",\"from\":\(position)")
      if bytes.count > limit { return false }
    }
    let places = Dictionary(
      changes.moves.map { ($0.to, Optional($0.from)) } + changes.insertions.map { ($0, nil) },
      uniquingKeysWith: { $1 })
    let modified = Dictionary(
      changes.modifications.map { ($0.newIndex, $0.oldIndex) }, uniquingKeysWith: { $1 })
    for position in Set(places.keys).union(modified.keys).sorted() {
      newRows.go(to: position)
      var value: [UInt8] = []
      try newRows.writeFields(to: &value)
      if places[position] == nil, let before = modified[position] {
        // A property that is not shown, or a value that a client cannot tell from the new one. One without a JSON form is another.
        var oldValue: [UInt8] = []
        oldRows.go(to: before)
        if (try? oldRows.writeFields(to: &oldValue)) != nil, oldValue == value { continue }
      }
      try begin(newRows)
      bytes.append(contentsOf: ",\"value\":".utf8)
      bytes.append(contentsOf: value)
      switch places[position] {
      case .some(.some(let from)): end("\"operation\":\"update\",\"index\":\(position),\"from\":\(from)")
      case .some(.none): end("\"operation\":\"insert\",\"index\":\(position)")
      case .none: end("\"operation\":\"update\",\"index\":\(position)")
      }
      if bytes.count > limit { return false }
    }
    return true
  }
}

/// A text as a JSON string.
func jsonText(_ text: String) -> String { JSONValue.string(text).description }

/// The text of a control message.
///
/// - Parameters:
///   - offset: where a client goes on; nil if it does not ask for that.
///   - rowCount: how many rows there are, behind a snapshot.
func controlMessage(
  _ control: StreamMessage.Control, _ version: Version, _ offset: StreamOffset?, rowCount: Int? = nil
) -> String {
  let place = offset.map { ",\"offset\":\"\($0)\"" } ?? ""
  let count = rowCount.map { ",\"rowCount\":\($0)" } ?? ""
  return "{\"headers\":{\"control\":\"\(control.rawValue)\"\(place),\"txid\":\"\(version)\"\(count)}}"
}
