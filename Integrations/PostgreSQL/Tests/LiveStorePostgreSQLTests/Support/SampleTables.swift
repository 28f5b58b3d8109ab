import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// The tables of one random history: names, order and types of columns, replica identities, publication.
struct SampleTables: Sendable {
  struct Table: Sendable {
    let name: String
    let columns: [SampleColumn]
    /// The type of each column.
    let types: [String]
    /// The indices of the columns in the order of the table.
    let order: [Int]
    let identity: Identity
    /// The row filter of the publication.
    let filter: String?
    let isSnakeCase: Bool
    /// The index of the column that has another name for now.
    var renamed: Int?
    /// Whether it gets rows that its entity cannot hold.
    var hasRefused = false

    enum Identity: Sendable, CaseIterable { case standard, full, index }

    /// The table as a publication lists it.
    var published: String { name + (filter.map { " WHERE (\($0))" } ?? "") }

    func column(_ index: Int) -> String {
      index == renamed ? "renamed" : "\"\(columns[index].name(isSnakeCase: isSnakeCase))\""
    }

    /// The expressions of a new row.
    func values(_ random: inout SplitMix64) -> [String] {
      columns.indices.map { value($0, &random) }
    }

    /// The expression of a new value of a column.
    func value(_ index: Int, _ random: inout SplitMix64) -> String {
      if hasRefused, random.chance(1, in: 12), let value = columns[index].refusedValue(types[index]) {
        return value
      }
      return columns[index].value(types[index], &random)
    }
  }

  static let entities: [any SampleEntity.Type] = [
    World.Account.self, World.Label.self, World.Article.self, World.Event.self, World.Item.self,
  ]

  var tables: [Table]
  /// Whether `Event` is mapped by a closure, which needs a full replica identity.
  let mapsEventsByClosure: Bool
  let isSnakeCase: Bool
  /// Whether the publication is one of all tables.
  let isForAll: Bool
  /// Whether they get rows that their entities cannot hold, which a replica leaves out.
  var hasRefused = false {
    didSet { for index in tables.indices { tables[index].hasRefused = hasRefused } }
  }
  private let publishes: String
  private let sessionSettings: [(String, String)]

  var accounts: Table { tables[0] }
  var labels: Table { tables[1] }
  var articles: Table { tables[2] }
  var events: Table { tables[3] }
  var items: Table { tables[4] }

  init(_ random: inout SplitMix64) {
    let isSnakeCase = random.chance(1, in: 2)
    let mapsEventsByClosure = random.chance(1, in: 3)
    let names = ["accounts", "labels", "shop.articles", "events", "items"]
    tables = zip(names, Self.entities).map { name, entity in
      let columns = entity.columns
      var identity = random.pick(Table.Identity.allCases)
      var filter: String?
      if name == "events" && mapsEventsByClosure { identity = .full }
      if name == "items" && random.chance(1, in: 4) { filter = "id % 4 <> 0" }
      if name == "accounts" && random.chance(1, in: 5) {
        identity = .full
        filter = isSnakeCase ? "is_active" : "\"isActive\""
      }
      return Table(
        name: name, columns: columns, types: columns.map { random.pick($0.types) },
        order: random.chance(1, in: 2) ? Array(columns.indices) : columns.indices.shuffled(using: &random),
        identity: identity, filter: filter, isSnakeCase: isSnakeCase)
    }
    (self.isSnakeCase, self.mapsEventsByClosure) = (isSnakeCase, mapsEventsByClosure)
    let list = tables.map(\.published) + ["noise"]
    isForAll = random.chance(1, in: 4) && tables.allSatisfy { $0.filter == nil }
    publishes = isForAll ? "FOR ALL TABLES" : "FOR TABLE \(list.joined(separator: ", "))"
    // The form in which sessions write values is the database's affair: a replica asks for its own.
    sessionSettings =
      random.chance(1, in: 2)
      ? []
      : [
        ("datestyle", random.pick(["German", "SQL, DMY", "Postgres"])), ("timezone", "Asia/Kolkata"),
        ("intervalstyle", "sql_standard"), ("bytea_output", "escape"), ("extra_float_digits", "-10"),
      ]
  }

  // MARK: On the server

  /// Makes the tables, in place of those of an earlier history.
  func create(in database: TestDatabase) async throws {
    let client = try await database.connect()
    var statements = [
      "SET client_min_messages = warning", "DROP PUBLICATION IF EXISTS app",
      "DROP SCHEMA IF EXISTS shop CASCADE", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public",
      "CREATE SCHEMA shop", "CREATE TYPE mood AS ENUM ('calm', 'keen', 'quite odd', 'new')",
      "CREATE DOMAIN mood_domain AS mood", "CREATE DOMAIN name_text AS text CHECK (length(VALUE) < 10000)",
      "CREATE TABLE noise (id int PRIMARY KEY, seen interval)", "ALTER DATABASE \(database.name) RESET ALL",
    ]
    statements += sessionSettings.map { "ALTER DATABASE \(database.name) SET \($0) = '\($1)'" }
    for table in tables { statements += create(table) }
    statements.append("CREATE PUBLICATION app \(publishes)")
    try await client.execute(statements.joined(separator: ";\n"))
  }

  private func create(_ table: Table) -> [String] {
    var columns = table.order.map { index in
      let column = table.columns[index]
      let isKey = column.property == "id"
      let rest = isKey ? " PRIMARY KEY" : column.isOptional ? "" : " NOT NULL"
      return "\(table.column(index)) \(table.types[index])\(rest)"
    }
    // A column without a property, of a type that the library does not know.
    columns.insert("unmapped point DEFAULT '(1,2)'", at: columns.count / 2)
    var statements = ["CREATE TABLE \(table.name) (\(columns.joined(separator: ", ")))"]
    for index in table.columns.indices {
      switch table.columns[index].kind {
      // Not compressed, so that what is long is stored out of line.
      case .bigText, .data:
        statements.append("ALTER TABLE \(table.name) ALTER \(table.column(index)) SET STORAGE EXTERNAL")
      default: break
      }
    }
    switch table.identity {
    case .standard: break
    case .full: statements.append("ALTER TABLE \(table.name) REPLICA IDENTITY FULL")
    case .index:
      let index = table.name.replacing("shop.", with: "") + "_identity"
      // An index of more than the key, which sends the key when the other column changes.
      let extra = table.columns.indices.first { $0 > 0 && table.columns[$0].isIndexable }
      let columns = (extra.map { [table.column($0)] } ?? []) + ["id"]
      statements.append("CREATE UNIQUE INDEX \(index) ON \(table.name) (\(columns.joined(separator: ", ")))")
      statements.append("ALTER TABLE \(table.name) REPLICA IDENTITY USING INDEX \(index)")
    }
    return statements
  }

  /// One query for all rows that entities can hold: the table's number, the key and the row in canonical form.
  var contentQuery: String {
    tables.indices.map { number in
      let table = tables[number]
      let fields = table.columns.indices.map { index in
        "coalesce(\(table.columns[index].canonical(table.column(index), table.types[index])), '\(Canonical.null)')"
      }
      let key = table.columns[0].canonical("id", table.types[0])
      let refusals = table.columns.indices.compactMap {
        table.columns[$0].refusal(table.column($0), table.types[$0])
      }
      let conditions =
        [table.filter ?? "true"] + (hasRefused ? refusals.map { "(\($0)) IS NOT TRUE" } : [])
      return
        "SELECT \(number), \(key), concat_ws(E'\\x1F', \(fields.joined(separator: ", "))) FROM \(table.name) WHERE \(conditions.joined(separator: " AND "))"
    }.joined(separator: "\nUNION ALL\n")
  }

  // MARK: The replica

  /// Starts a replica of the tables.
  func start(
    _ connectionString: String, slot: ReplicationSlot, options: PostgresReplica.Options = .init()
  ) async throws -> PostgresReplica {
    let naming: ColumnNaming = isSnakeCase ? .snakeCase : .same
    let unreadable: UnreadableRows = hasRefused ? .leaveOut : .stopTable
    if mapsEventsByClosure {
      return try await PostgresReplica.start(
        connectionString, publication: "app", slot: slot, options: options
      ) {
        Replicated(
          accounts.name, World.Account.self, columns: naming, where: accounts.filter, unreadable: unreadable)
        Replicated(labels.name, World.Label.self, columns: naming, unreadable: unreadable)
        Replicated(articles.name, World.Article.self, columns: naming, unreadable: unreadable)
        Replicated(events.name, World.Event.self) { row in
          World.Event(
            id: try row.decode("id"), payload: try row.decode("payload"), numbers: try row.decode("numbers"),
            flags: try row.decode("flags"), price: try row.decode("price"), day: try row.decode("day"))
        }
        Replicated(items.name, World.Item.self, columns: naming, where: items.filter, unreadable: unreadable)
        Local(World.Draft.self)
      }
    }
    return try await PostgresReplica.start(connectionString, publication: "app", slot: slot, options: options)
    {
      Replicated(items.name, World.Item.self, columns: naming, where: items.filter, unreadable: unreadable)
      Replicated(events.name, World.Event.self, columns: naming)
      Replicated(articles.name, World.Article.self, columns: naming, unreadable: unreadable)
      Replicated(labels.name, World.Label.self, columns: naming, unreadable: unreadable)
      Replicated(
        accounts.name, World.Account.self, columns: naming, where: accounts.filter, unreadable: unreadable)
      Local(World.Draft.self)
    }
  }
}
