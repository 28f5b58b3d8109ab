/// The types of a database by their ids.
///
/// Without the rows of its query a catalog has the types alone that every server has.
package struct TypeCatalog: Sendable {
  /// Selects the rows that a catalog is made of: all types but those of the rows of tables.
  static let query = """
    SELECT t.oid, format_type(t.oid, NULL), t.typname, t.typtype,
      CASE WHEN t.typoutput = 'array_out'::regproc THEN t.typelem ELSE 0 END, t.typbasetype, t.typdelim,
      (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)
    FROM pg_catalog.pg_type t
    WHERE t.typtype IN ('b', 'd', 'e', 'r', 'm') OR t.typrelid IN
      (SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relkind = 'c')
    """

  private var types: [UInt32: PostgresType]

  /// The types that every server has.
  package init() { types = Self.builtIn }

  /// The types of a database.
  ///
  /// - Parameter rows: the result of `query`.
  package init(rows: [[String?]]) throws {
    var definitions: [UInt32: Definition] = [:]
    for row in rows {
      let definition = try Definition(row)
      definitions[definition.id] = definition
    }
    types = Self.builtIn
    for id in definitions.keys { _ = Self.resolve(id, definitions, &types, depth: 0) }
  }

  /// The type with an id; one that is read as text if there is no such type.
  package func type(_ id: UInt32) -> PostgresType { types[id] ?? .other(name: "type \(id)") }

  /// Whether the catalog has a type.
  func isKnown(_ id: UInt32) -> Bool { types[id] != nil }

  private struct Definition {
    let id: UInt32
    let formattedName: String
    let name: String
    let kind: String
    let element: UInt32
    let base: UInt32
    let delimiter: UInt8
    let labels: [String]

    init(_ row: [String?]) throws {
      guard row.count == 8, let id = row[0].flatMap({ UInt32($0) }), let formattedName = row[1],
        let name = row[2], let kind = row[3], let element = row[4].flatMap({ UInt32($0) }),
        let base = row[5].flatMap({ UInt32($0) }), let delimiter = row[6]?.utf8.first
      else {
        throw PostgresError.violation("The catalog of the server has a type that cannot be read.")
      }
      (self.id, self.formattedName, self.name, self.kind) = (id, formattedName, name, kind)
      (self.element, self.base, self.delimiter) = (element, base, delimiter)
      labels = row[7].map { ArrayValue.texts(of: $0) } ?? []
    }
  }

  /// The type with an id, which is added to the types together with those that it is made from.
  private static func resolve(
    _ id: UInt32, _ definitions: [UInt32: Definition], _ types: inout [UInt32: PostgresType], depth: Int
  ) -> PostgresType {
    if let known = types[id] { return known }
    // Types are made from others before them, so a chain ends. A catalog that says otherwise is not followed.
    guard let definition = definitions[id], depth < 100 else { return .other(name: "type \(id)") }
    let type: PostgresType
    if definition.kind == "d" {
      type = resolve(definition.base, definitions, &types, depth: depth + 1)
    } else if definition.kind == "e" {
      type = .enumeration(name: definition.formattedName, labels: definition.labels)
    } else if definition.element != 0 {
      let element = resolve(definition.element, definitions, &types, depth: depth + 1)
      // An array of a domain over arrays is read as its text, which the server makes and limits: each level doubles the
      // backslashes of those within.
      type = element.kind == .array ? .other(name: definition.formattedName) : .array(of: element)
    } else if definition.kind == "b", definition.name == "citext" {
      // Superusers alone make base types. Anyone may give the name to a composite type, or a range.
      type = .text(name: definition.formattedName)
    } else {
      type = .other(name: definition.formattedName, delimiter: definition.delimiter)
    }
    types[id] = type
    return type
  }

  /// The ids of these types are the same in all servers.
  private static let builtIn: [UInt32: PostgresType] = {
    var types: [UInt32: PostgresType] = [:]
    func add(_ type: PostgresType, _ id: UInt32, array: UInt32) {
      types[id] = type
      types[array] = .array(of: type)
    }
    add(.bool, 16, array: 1000)
    add(.bytea, 17, array: 1001)
    add(.character, 18, array: 1002)
    add(.text(name: "name"), 19, array: 1003)
    add(.int8, 20, array: 1016)
    add(.int2, 21, array: 1005)
    add(.int4, 23, array: 1007)
    add(.text, 25, array: 1009)
    add(.oid, 26, array: 1028)
    add(.json, 114, array: 199)
    add(.float4, 700, array: 1021)
    add(.float8, 701, array: 1022)
    add(.padded, 1042, array: 1014)
    add(.text(name: "character varying"), 1043, array: 1015)
    add(.date, 1082, array: 1182)
    add(.time, 1083, array: 1183)
    add(.timestamp, 1114, array: 1115)
    add(.timestamptz, 1184, array: 1185)
    add(.numeric, 1700, array: 1231)
    add(.uuid, 2950, array: 2951)
    add(.jsonb, 3802, array: 3807)
    return types
  }()
}
