import PostgreSQLTestSupport

/// Makes random statements for the tables of a history.
struct RandomStatements {
  let tables: SampleTables

  /// A statement that changes a few rows, or none.
  func next(_ random: inout SplitMix64) -> String {
    let table = random.pick(tables.tables)
    let key = table.columns[0].value(table.types[0], &random)
    switch random.int(0...19) {
    case 0...6: return insert(into: table, &random)
    case 7...12: return update(table, "id = \(key)", &random)
    case 13: return update(table, random.pick(["true", "id <> \(key)", "unmapped IS NULL"]), &random)
    case 14:
      let other = table.columns[0].value(table.types[0], &random)
      return "UPDATE \(table.name) SET id = \(other) WHERE id = \(key)"
    case 15:
      return "UPDATE \(table.name) SET unmapped = point(\(random.int(0...9)), 0) WHERE id <> \(key)"
    case 16...17: return "DELETE FROM \(table.name) WHERE id = \(key)"
    case 18:
      // Deleted and inserted again, in one statement.
      return "WITH gone AS (DELETE FROM \(table.name) WHERE id = \(key) RETURNING id) "
        + "SELECT count(*) FROM gone; \(insert(into: table, key: key, &random))"
    default:
      return "INSERT INTO noise VALUES (\(random.int(1...5)), '1 day') "
        + "ON CONFLICT (id) DO UPDATE SET seen = noise.seen + interval '1 hour'"
    }
  }

  private func insert(
    into table: SampleTables.Table, key: String? = nil, _ random: inout SplitMix64
  ) -> String {
    let names = table.columns.indices.map { table.column($0) }.joined(separator: ", ")
    let rows = (0..<random.pick([1, 1, 1, 2, 4])).map { row in
      var values = table.values(&random)
      if let key, row == 0 { values[0] = key }
      return "(\(values.joined(separator: ", ")))"
    }
    let sets = table.columns.indices.dropFirst().map { "\(table.column($0)) = excluded.\(table.column($0))" }
    let conflict = random.pick([
      "", " ON CONFLICT DO NOTHING",
      rows.count == 1 ? " ON CONFLICT (id) DO UPDATE SET \(sets.joined(separator: ", "))" : "",
    ])
    return "INSERT INTO \(table.name) (\(names)) VALUES \(rows.joined(separator: ", "))\(conflict)"
  }

  /// Sets some columns, so that those stored out of line are mostly left as they are.
  private func update(
    _ table: SampleTables.Table, _ condition: String, _ random: inout SplitMix64
  ) -> String {
    let indices = Array(table.columns.indices.dropFirst()).shuffled(using: &random)
    let sets = indices.prefix(random.int(1...2)).map { index in
      let isSame = random.chance(1, in: 8)
      let value = isSame ? table.column(index) : table.value(index, &random)
      return "\(table.column(index)) = \(value)"
    }
    return "UPDATE \(table.name) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
  }

  /// Empties one table, or several.
  func truncate(_ random: inout SplitMix64) -> String {
    let names = tables.tables.map(\.name).shuffled(using: &random).prefix(random.pick([1, 1, 2, 5]))
    return "TRUNCATE \(names.joined(separator: ", "))"
  }

  /// Statements that make more of the log than the server decodes at once, with a subtransaction that is undone.
  func large(_ random: inout SplitMix64) -> [String] {
    let (articles, items) = (tables.articles, tables.items)
    func copies(of table: SampleTables.Table, _ range: ClosedRange<Int>) -> String {
      let names = table.columns.indices.map { table.column($0) }.joined(separator: ", ")
      var values = table.values(&random)
      values[0] = "n"
      return "INSERT INTO \(table.name) (\(names)) SELECT \(values.joined(separator: ", ")) "
        + "FROM generate_series(\(range.lowerBound), \(range.upperBound)) n"
    }
    var statements = [
      "DELETE FROM \(items.name) WHERE id >= 100", copies(of: items, 100...random.int(300...600)),
      "SAVEPOINT large",
      "UPDATE \(items.name) SET small = 7 WHERE id > 12", "DELETE FROM \(articles.name) WHERE id >= 100",
      copies(of: articles, 100...150), random.pick(["ROLLBACK TO large", "RELEASE large"]),
      "UPDATE \(items.name) SET small = 8 WHERE id % 3 = 0",
    ]
    if random.chance(2, in: 3) {
      statements.append("DELETE FROM \(items.name) WHERE id > \(random.int(90...110))")
    }
    if random.chance(2, in: 3) { statements.append("DELETE FROM \(articles.name) WHERE id > 12") }
    return statements
  }
}
