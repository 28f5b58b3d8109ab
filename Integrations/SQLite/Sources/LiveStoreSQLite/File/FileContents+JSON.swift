import Foundation
import LiveStore

// MARK: JSON

extension FileContents {
  var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("format", JSONValue(format)), ("version", JSONValue(version)),
      ("identity", .string(identity.uuidString)),
      ("storeVersion", JSONValue(storeVersion)), ("reserved", JSONValue(reserved)),
      ("schema", JSONValue(schema)),
      (
        "tables",
        .object(JSONObject(tables.values.sorted { $0.name < $1.name }.map { (key: $0.name, value: $0.json) }))
      ),
    ]
    if !changes.isEmpty { members.append(("changes", .array(changes.map(\.json)))) }
    if !lostVersions.isEmpty {
      let ranges = lostVersions.map {
        JSONValue.array([JSONValue($0.lowerBound.number), JSONValue($0.upperBound.number)])
      }
      members.append(("lost", .array(ranges)))
    }
    if seals > 0 { members.append(("seals", JSONValue(seals))) }
    if hasRemains { members.append(("remains", true)) }
    if !damagedRows.isEmpty { members.append(("damaged", .array(damagedRows.map(\.json)))) }
    return .object(JSONObject(members))
  }

  init?(json: JSONValue) {
    guard case .object(let object) = json, let version = object["version"]?.integer,
      let schema = object["schema"]?.integer, case .object(let tables)? = object["tables"],
      // Nothing that was written is larger, and there is room to count on.
      0...Self.maximumVersion ~= version, 1... ~= schema
    else { return nil }
    (self.version, self.schema) = (version, Int(schema))
    let format = object["format"].map(\.integer) ?? 1
    guard let format, Self.formats.contains(format) else { return nil }
    self.format = format
    if let value = object["changes"] {
      guard case .array(let elements) = value else { return nil }
      changes = elements.compactMap(SchemaChange.init(json:))
      guard changes.count == elements.count else { return nil }
    }
    // Files of earlier versions of the library have none of these.
    if case .string(let text)? = object["identity"] {
      guard let identity = UUID(uuidString: text) else { return nil }
      self.identity = identity
    }
    let storeVersion = object["storeVersion"].map(\.integer) ?? min(version, 1 << 40)
    let reserved = object["reserved"].map(\.integer) ?? storeVersion
    guard let storeVersion, let reserved, Self.versions ~= storeVersion,
      storeVersion...Self.versions.upperBound ~= reserved
    else { return nil }
    (self.storeVersion, self.reserved) = (UInt64(storeVersion), UInt64(reserved))
    if let value = object["lost"] {
      guard case .array(let ranges) = value, ranges.count <= Self.maximumLost else { return nil }
      for range in ranges {
        guard case .array(let ends) = range, ends.count == 2, let first = ends[0].integer,
          let last = ends[1].integer, first <= last, last <= storeVersion,
          first > lostVersions.last.map({ Int64($0.upperBound.number) }) ?? -1
        else { return nil }
        lostVersions.append(Version(UInt64(first))...Version(UInt64(last)))
      }
    }
    seals = object["seals"]?.integer ?? 0
    guard 0...1 << 60 ~= seals else { return nil }
    hasRemains = object["remains"] == true
    if case .array(let rows)? = object["damaged"] { damagedRows = rows.compactMap(DamagedRow.init(json:)) }
    for (name, value) in tables {
      guard TableNames.isReadable(name), let record = TableRecord(name, json: value) else { return nil }
      self.tables[name] = record
    }
  }
}

extension TableRecord {
  fileprivate var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("columns", .array(columns.names.map(JSONValue.string))),
      ("kinds", .array(columns.kinds.map { JSONValue($0.rawValue) })), ("rows", JSONValue(rows)),
      ("checksum", JSONValue(checksum)), ("next", JSONValue(next)),
    ]
    if isUnchecked { members.append(("unchecked", true)) }
    return .object(JSONObject(members))
  }

  fileprivate init?(_ name: String, json: JSONValue) {
    guard case .object(let object) = json, case .array(let elements)? = object["columns"],
      let rows = object["rows"]?.integer, 0...1 << 40 ~= rows, let checksum = object["checksum"]?.integer
    else { return nil }
    let names = elements.compactMap { element in if case .string(let name) = element { name } else { nil } }
    guard names.count == elements.count, names.allSatisfy(TableNames.isReadable),
      Set(names.map { Array($0.utf8) }).count == names.count
    else { return nil }
    var columns = ColumnNames()
    var kinds: [JSONValue] = []
    // A file that has none is read without them.
    if case .array(let elements)? = object["kinds"], elements.count == names.count { kinds = elements }
    for (index, name) in names.enumerated() {
      let known = kinds.isEmpty ? nil : kinds[index].integer.map { ValueKinds(rawValue: Int($0)) }
      columns.add(name, kinds: known ?? .all)
    }
    self.init(name, columns)
    (self.rows, self.checksum) = (Int(rows), checksum)
    if let value = object["next"] {
      guard let next = value.integer, 1...TableReader.places.upperBound + 1 ~= next else { return nil }
      self.next = UInt64(next)
    }
    isUnchecked = object["unchecked"] == true
  }
}

extension DamagedRow {
  fileprivate var json: JSONValue {
    ["table": .string(table), "row": row.map { JSONValue($0) } ?? .null, "reason": .string(reason)]
  }

  fileprivate init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let table)? = object["table"],
      case .string(let reason)? = object["reason"]
    else { return nil }
    self.init(table: table, row: object["row"]?.integer, reason: reason)
  }
}

extension JSONValue {
  fileprivate var integer: Int64? { if case .number(let number) = self { number.integer } else { nil } }
}
