import LiveStore
import PostgreSQLTestSupport

/// What the tables of a history hold, in canonical form: on the server at a moment, or in a version of the store.
struct Contents: Equatable, Sendable {
  /// For each entity, in the order of ``SampleTables/entities``, its rows by key.
  private(set) var tables: [[String: String]] = SampleTables.entities.map { _ in [:] }

  init() {}

  /// Reads the tables.
  init(_ client: SQLClient, _ query: String) async throws {
    tables = try await client.run { connection in
      var tables: [[String: String]] = SampleTables.entities.map { _ in [:] }
      for row in try connection.execute(query).rows {
        guard let number = row[0].flatMap({ Int($0) }), let key = row[1] else { continue }
        tables[number][key] = row[2]
      }
      return tables
    }
  }

  /// Reads a version of the store.
  init(of snapshot: Snapshot) {
    func rows<Entity: SampleEntity>(_ type: Entity.Type) -> [String: String] {
      Dictionary(uniqueKeysWithValues: snapshot.fetch(type.all).map { ($0.key, $0.canonical) })
    }
    tables = SampleTables.entities.map { rows($0) }
  }

  var isEmpty: Bool { tables.allSatisfy(\.isEmpty) }

  /// Applies a commit of the store.
  ///
  /// - Returns: how many rows differ.
  /// - Throws: a ``Mismatch`` if an old row is not the one before.
  mutating func apply(_ commit: Commit) throws -> Int {
    var count = 0
    for (number, entity) in SampleTables.entities.enumerated() {
      count += try apply(commit, entity, &tables[number])
    }
    return count
  }

  private func apply<Entity: SampleEntity>(
    _ commit: Commit, _ type: Entity.Type, _ rows: inout [String: String]
  ) throws -> Int {
    var count = 0
    for difference in commit.changes(of: type) {
      guard let key = difference.old?.key ?? difference.new?.key else { continue }
      let (old, new) = (difference.old?.canonical, difference.new?.canonical)
      try require(
        rows[key] == old,
        "\(commit): the old \(type) \(key) is \(old ?? "none"), and was \(rows[key] ?? "none")")
      rows[key] = new
      if old != new { count += 1 }
    }
    return count
  }

  /// The first difference to the contents that should be; nil if there is none.
  func difference(from expected: Contents) -> String? {
    for (number, entity) in SampleTables.entities.enumerated() {
      let (found, wanted) = (tables[number], expected.tables[number])
      for key in Set(found.keys).union(wanted.keys).sorted() where found[key] != wanted[key] {
        return """
          \(entity) \(String(reflecting: key)) of \(found.count) (\(wanted.count) on the server):
              \(Self.difference(found[key], wanted[key], entity.columns).joined(separator: "\n    "))
          """
      }
    }
    return nil
  }

  /// What two rows differ in.
  private static func difference(
    _ found: String?, _ wanted: String?, _ columns: [SampleColumn]
  ) -> [String] {
    guard let found else { return ["missing in the store"] }
    guard let wanted else { return ["only in the store"] }
    let (left, right) = (
      found.split(separator: "\u{1F}", omittingEmptySubsequences: false),
      wanted.split(separator: "\u{1F}", omittingEmptySubsequences: false)
    )
    func text(_ field: Substring) -> String { "\(field.count): " + String(reflecting: field.prefix(40)) }
    return zip(columns, zip(left, right)).compactMap { column, fields in
      fields.0 == fields.1
        ? nil : "\(column.property): \(text(fields.0)) in the store, \(text(fields.1)) on the server"
    }
  }

  /// Throws the first difference to the contents that should be.
  func check(_ expected: Contents, _ place: @autoclosure () -> String) throws {
    if let difference = difference(from: expected) { throw Mismatch("\(place()): \(difference)") }
  }
}
