import LiveStore
import LiveStoreSQLite

/// What there is to say about a file.
struct Inspection {
  private let size: (file: Int64, log: Int64)
  private let version: Int64
  private let schema: Int
  private let isEncrypted: Bool
  private var entities: [EntityInspection] = []

  init(_ file: FileVersion, size: (file: Int64, log: Int64)) throws {
    self.size = size
    (version, schema, isEncrypted) = (file.version, file.schema, file.isEncrypted)
    file.beginReading(file.entities)
    for name in file.entities { entities.append(try EntityInspection(name, in: file)) }
  }

  func print(to writer: OutputWriter) throws {
    try writer.append("size       \(size.file.grouped) bytes")
    try writer.append("log        \(size.log == 0 ? "empty" : "\(size.log.grouped) bytes")")
    try writer.append("version    \(version.grouped)")
    try writer.append("schema     \(schema)")
    try writer.append("encrypted  \(isEncrypted ? "yes" : "no")")
    for entity in entities { try entity.print(to: writer) }
  }

  var json: JSONValue {
    let members: [(key: String, value: JSONValue)] = [
      ("size", JSONValue(size.file)), ("log", JSONValue(size.log)), ("version", JSONValue(version)),
      ("schema", JSONValue(schema)), ("encrypted", .bool(isEncrypted)),
      ("entities", .object(JSONObject(entities.map { (key: $0.name, value: $0.json) }))),
    ]
    return .object(JSONObject(members))
  }
}

/// What there is to say about an entity.
struct EntityInspection {
  let name: String
  private let rows: Int
  private let bytes: Int
  private let damaged: Int
  private let properties: [String]
  /// How many values of each kind a property has.
  private let kinds: [String: [FieldValue.Kind: Int]]

  init(_ name: String, in file: FileVersion) throws {
    self.name = name
    properties = file.properties(name)
    var (bytes, damaged) = (0, 0)
    var kinds: [String: [FieldValue.Kind: Int]] = [:]
    rows = try file.check(name, { _ in damaged += 1 }) { row in
      bytes += row.size
      row.forEachKind { kinds[$0, default: [:]][$1, default: 0] += 1 }
    }
    (self.bytes, self.damaged, self.kinds) = (bytes, damaged, kinds)
  }

  /// How wide the column of names is at the most. A longer name moves what stands behind it.
  private static let widest = 60

  private var averageSize: Int { rows == 0 ? 0 : (bytes + rows / 2) / rows }

  private func counts(_ property: String) -> [(kind: FieldValue.Kind, count: Int)] {
    FieldValue.Kind.allCases.compactMap { kind in kinds[property]?[kind].map { (kind, $0) } }
  }

  private func missing(_ property: String) -> Int { rows - counts(property).reduce(0) { $0 + $1.count } }

  func print(to writer: OutputWriter) throws {
    let average = rows == 0 ? "" : ", \(averageSize.grouped) bytes each on average"
    try writer.append("")
    try writer.append("\(name.escapingInvisibles): \(rows.grouped) \(rows == 1 ? "row" : "rows")\(average)")
    if damaged > 0 { try writer.append("  damaged; see livestore-sqlite check") }
    let names = properties.map(\.escapingInvisibles)
    let width = min(Self.widest, names.reduce(0) { max($0, $1.displayWidth) })
    for (property, name) in zip(properties, names) {
      try writer.append("  \(name.filled(to: width))  \(text(property))".trimmingSuffix(" "))
    }
  }

  /// `text`, or `text, 12 without`, or `integer in 10, text in 2`.
  private func text(_ property: String) -> String {
    let counts = counts(property)
    var parts = counts.map { counts.count == 1 ? $0.kind.name : "\($0.kind.name) in \($0.count.grouped)" }
    let missing = missing(property)
    if missing > 0 { parts.append(missing == rows ? "in no row" : "none in \(missing.grouped)") }
    return parts.joined(separator: ", ")
  }

  var json: JSONValue {
    let properties = properties.map { property -> (key: String, value: JSONValue) in
      var counts = counts(property).map { (key: $0.kind.name, value: JSONValue($0.count)) }
      if missing(property) > 0 { counts.append(("null", JSONValue(missing(property)))) }
      return (property, .object(JSONObject(counts)))
    }
    let members: [(key: String, value: JSONValue)] = [
      ("rows", JSONValue(rows)), ("bytesPerRow", JSONValue(averageSize)),
      ("properties", .object(JSONObject(properties))),
    ]
    return .object(JSONObject(damaged == 0 ? members : members + [("damaged", JSONValue(damaged))]))
  }
}
