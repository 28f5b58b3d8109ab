import Foundation
import PostgreSQLTestSupport

/// A column of a table of random histories: of which types it may be, which values it has, how they are compared.
struct SampleColumn: Sendable {
  enum Kind: Sendable {
    case integer(ClosedRange<Int>)
    case smallID, labelID
    case double, float, decimal
    case text, bigText
    case bool, uuid, mood, date, day, data, meta
    case texts, integers, bools, uuids, labelIDs
  }

  /// The property, which a column in snake case has the name of.
  let property: String
  let kind: Kind
  let isOptional: Bool
  /// The types that the column may have.
  let types: [String]

  init(_ property: String, _ kind: Kind, optional isOptional: Bool = false, _ types: String...) {
    (self.property, self.kind, self.isOptional, self.types) = (property, kind, isOptional, types)
  }

  /// The name of the column.
  func name(isSnakeCase: Bool) -> String {
    guard isSnakeCase else { return property }
    return property.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
  }

  /// Whether the column may be part of an index that identifies rows.
  var isIndexable: Bool {
    switch kind {
    case .integer, .float, .decimal, .text, .bool, .mood, .day: !isOptional
    default: false
    }
  }

  // MARK: Values as SQL

  static let labelIDs = ["a", "A", "b", "é", "it's", "two words", "", "NULL", "\\N", "{x}", "😀", "10"]
  static let uuids = (0..<10).map { "\($0)0000000-0000-4000-8000-00000000000\($0)" }
  static let texts = [
    "", "a", "Ann", "é", "e\u{301}", "it's", "back\\slash", "\\N", "\\x41", "😀", "NULL", "null", "{}",
    "{\"a\":1}", "\"",
    "line\nbreak\ttab\r", "a,b", " spaces ", "\\.", "\u{1}", "\u{FEFF}",
  ]

  static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

  /// A random value of the column as an SQL expression.
  func value(_ type: String, _ random: inout SplitMix64) -> String {
    if isOptional && random.chance(1, in: 4) { return "NULL" }
    switch kind {
    case .integer(let range):
      let numbers = [0, 1, -1, range.lowerBound, range.upperBound, random.int(-40...40)]
      return "\(random.pick(numbers.filter { range.contains($0) }))"
    case .smallID: return "\(random.int(1...12))"
    case .labelID: return Self.quoted(random.pick(Self.labelIDs))
    case .double:
      return random.pick([
        "0", "'-0'", "1.5", "0.1", "1e300", "'5e-324'", "'NaN'", "'Infinity'", "'-Infinity'",
        "123456789012345680",
      ]) + "::float8"
    case .float:
      return random.pick([
        "0", "1.5", "0.1", "16777217", "'NaN'", "'-Infinity'", "1e-40", "\(random.int(0...9))",
      ])
        + "::float4"
    case .decimal:
      let numbers = [
        "0", "1.50", "-0.001", "12345678901234567890.0123456789", "100000", "-99.99", "0.0000000001",
        "1000000000000000000000",
      ]
      return random.pick(type == "numeric" ? numbers + ["'NaN'", "0.10000000000000000000000"] : numbers)
    case .text: return Self.quoted(random.pick(Self.texts))
    case .bigText:
      return random.chance(1, in: 2)
        ? "repeat(\(Self.quoted(random.pick(["0123456789", "é'\\\n😀"]))), \(random.int(300...600)))"
        : Self.quoted(random.pick(Self.texts))
    case .bool: return random.pick(["true", "false"])
    case .uuid: return "'\(random.pick(Self.uuids))'::uuid"
    case .mood: return Self.quoted(random.pick(World.Mood.allCases).rawValue)
    case .date: return date(type.hasPrefix("timestamptz") ? "timestamptz" : "timestamp", &random)
    case .day:
      let special = [
        "infinity", "-infinity", "0001-01-01", "9999-12-31", "0044-03-15 BC", "1582-10-10", "2000-02-29",
      ]
      let text =
        random.chance(1, in: 4) ? random.pick(special) : "20\(random.int(10...30))-0\(random.int(1...9))-11"
      return "(timestamp '\(text)')::\(type == "date" ? "date" : "timestamp AT TIME ZONE 'UTC'")"
    case .data:
      return random.pick([
        "''::bytea", "'\\x00ff'::bytea", "decode(repeat('005c27', \(random.int(700...1_000))), 'hex')",
        "'\\x\(random.int(10...99))5c'::bytea",
      ])
    case .meta: return meta(&random)
    case .texts: return "ARRAY[\(list(&random) { Self.quoted($0.pick(Self.texts)) })]::text[]"
    case .integers: return "ARRAY[\(list(&random) { "\($0.int(-999...999))" })]::\(type)"
    case .bools: return "ARRAY[\(list(&random) { $0.pick(["true", "false", "NULL"]) })]::bool[]"
    case .uuids: return "ARRAY[\(list(&random) { "'\($0.pick(Self.uuids))'" })]::uuid[]"
    case .labelIDs: return "ARRAY[\(list(&random) { Self.quoted($0.pick(Self.labelIDs)) })]::text[]"
    }
  }

  /// A value that the property cannot hold, as an SQL expression; nil if there is none of this type.
  func refusedValue(_ type: String) -> String? {
    switch kind {
    case .integer(let range) where range.upperBound >= Int(Int16.max):
      let value = range.lowerBound == 0 ? -1 : range.upperBound + 1
      let limits = ["int2": Int(Int16.max), "int4": Int(Int32.max)]
      return value > limits[type] ?? Int.max ? nil : "\(value)"
    case .mood: return "'new'"
    case .meta: return "'{\"name\": \"\", \"level\": 1e30, \"tags\": []}'"
    default: return nil
    }
  }

  /// An SQL condition that holds where the column has a value that the property cannot hold; nil if it never has.
  func refusal(_ column: String, _ type: String) -> String? {
    switch kind {
    case _ where refusedValue(type) == nil: nil
    case .integer(let range): "\(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .mood: "\(column)::text = 'new'"
    default: "(\(column)->>'level')::numeric = 1e30"
    }
  }

  private func list(_ random: inout SplitMix64, _ element: (inout SplitMix64) -> String) -> String {
    (0..<random.int(0...3)).map { _ in element(&random) }.joined(separator: ", ")
  }

  private func date(_ type: String, _ random: inout SplitMix64) -> String {
    let zone = type == "timestamptz" ? "+00" : ""
    if random.chance(1, in: 5) {
      return random.pick([
        "\(type) 'infinity'", "\(type) '-infinity'", "\(type) '9999-12-31 23:59:59\(zone)'",
        "\(type) '0044-03-15 12:00:00\(zone) BC'", "\(type) '1901-12-13 20:45:52\(zone)'",
      ])
    }
    let microseconds = random.int(-1_000_000_000_000_000...3_000_000_000_000_000)
    return "(\(type) '1970-01-01 00:00:00\(zone)' + \(microseconds) * interval '1 microsecond')"
  }

  private func meta(_ random: inout SplitMix64) -> String {
    func json(_ text: String) -> String {
      let data = try? JSONEncoder().encode([text])
      return String(String(decoding: data ?? Data(), as: UTF8.self).dropFirst().dropLast())
    }
    var members = [
      "\"name\": \(json(random.pick(Self.texts)))", "\"level\":\(random.int(-5...5))",
      "\"tags\": [\(list(&random) { json($0.pick(Self.texts)) })]",
    ]
    if random.chance(1, in: 2) { members.append("\"at\": \"20\(random.int(10...30))-05-06T07:08:09Z\"") }
    if random.chance(1, in: 3) { members.append("\"other\": {\"a\": [1, null, 2.5e3]}") }
    members.shuffle(using: &random)
    return Self.quoted("{\(members.joined(separator: ", "))}")
  }

  // MARK: Values as canonical text

  /// An SQL expression for the canonical text of a column.
  func canonical(_ column: String, _ type: String) -> String {
    let separator = "E'\\x1E'"
    switch kind {
    case .integer, .smallID, .labelID, .text, .bigText, .bool, .mood: return "\(column)::text"
    case .uuid: return "upper(\(column)::text)"
    case .double: return "encode(float8send(\(column)::float8 + 0), 'hex')"
    case .float: return "encode(float4send(\(column)::float4 + 0::float4), 'hex')"
    case .decimal: return "trim_scale(\(column))::text"
    case .date, .day: return Self.microseconds(column)
    case .data: return "encode(\(column), 'hex')"
    case .texts, .integers, .bools, .labelIDs:
      return
        "(cardinality(\(column)) || ':' || array_to_string(\(column), \(separator), '\(Canonical.null)'))"
    case .uuids:
      return
        "(SELECT coalesce(string_agg(DISTINCT upper(e::text), ',' ORDER BY upper(e::text)), '') FROM unnest(\(column)) e)"
    case .meta:
      let tags = "\(type)_array_elements_text(\(column)->'tags') WITH ORDINALITY t(e, o)"
      return """
        (CASE WHEN \(column) IS NOT NULL THEN concat_ws(E'\\x1D', \(column)->>'name', \(column)->>'level', \
        (SELECT count(*) || ':' || coalesce(string_agg(e, \(separator) ORDER BY o), '') FROM \(tags)), \
        coalesce(\(Self.microseconds("(\(column)->>'at')::timestamptz")), '\(Canonical.null)')) END)
        """
    }
  }

  private static func microseconds(_ value: String) -> String {
    """
    (CASE WHEN isfinite(\(value)) THEN (extract(epoch FROM \(value)) * 1000000)::bigint::text \
    WHEN \(value) > 'epoch' THEN 'infinity' WHEN \(value) < 'epoch' THEN '-infinity' END)
    """
  }
}
