import PostgreSQLTestSupport

/// What a server writes to its log for a random history of three clients, the statements of these, and what the tables have
/// after each commit.
///
/// It has insertions, updates (of the key, of a large value or beside one), deletions, rows of a table with a deferrable key
/// that exchange their ids, truncations, savepoints that are rolled back or released, transactions that are, prepared
/// transactions, alterations of replica identities and of columns that no entity reads, times at which nothing happens, and, in
/// every second history, rows that no entity can hold.
/// Each client has keys of its own, so no statement waits for another client.
struct SimulatedHistory {
  /// A change of a row, or of a table.
  enum Change {
    case insert(Int, SimulatedRow)
    case update(Int, SimulatedRow, to: Int, SimulatedRow, setsBody: Bool)
    case delete(Int, SimulatedRow)
    case truncate
  }

  /// What is in the log at a position.
  struct Record {
    enum Kind {
      /// - Parameter subtransaction: its number, or that of the transaction.
      case change(subtransaction: UInt32, SimulatedShape, Change)
      case rollBackTo(subtransactions: [UInt32])
      case commit, rollBack
      /// Nothing of a transaction.
      case other
    }
    let position: UInt64
    /// Where the next record begins.
    let end: UInt64
    let xid: UInt32
    let kind: Kind
  }

  /// A statement of a client.
  struct Step {
    let client: Int
    let sql: String
    /// What the tables have after it, if it commits a transaction.
    var contents: SimulatedContents?
    /// Whether no transaction is open after it.
    var isQuiet = false
  }

  private struct Transaction {
    let xid: UInt32
    /// The effects of each savepoint's subtransaction, with its number, after those of the transaction.
    var levels: [(xid: UInt32, released: [UInt32], effects: [Effect])]
    /// The tables that it has used, and those that it has truncated.
    var used: Set<Int> = []
    var truncated: Set<Int> = []
  }

  private enum Effect {
    case put(table: Int, Int, SimulatedRow)
    case remove(table: Int, Int)
    case truncate(table: Int)
  }

  private(set) var records: [Record] = []
  private(set) var steps: [Step] = []
  /// What the tables have after each commit, by the end of its record.
  ///
  /// - Parameter refusing: the tables of which the transaction has made a row that no entity can hold.
  private(set) var commits: [(end: UInt64, contents: SimulatedContents, refusing: Set<Int>)]
  /// How the tables are defined at the beginning.
  private(set) var shapes: [SimulatedShape]

  private let seed: UInt64
  private var random: SplitMix64
  private let bodies: [String?]
  private let refusedBodies: [String]
  private let hasRefused: Bool
  private let tokensHaveIndex: Bool
  private var current: [SimulatedShape]
  private var transactions: [Transaction?] = [nil, nil, nil]
  private var lastXID: UInt32 = 700
  private static let keysPerClient = 4

  /// Where the log begins.
  static let start: UInt64 = 0x1_0000_0000

  /// - Parameters:
  ///   - large: the length of large values.
  ///   - tokensHaveIndex: whether the table with the deferrable key may have an index as its replica identity, with which a
  ///     replica refuses to start.
  init(_ seed: UInt64, large: Int, tokensHaveIndex: Bool = true) {
    (self.seed, random, self.tokensHaveIndex) = (seed, SplitMix64(seed: seed), tokensHaveIndex)
    bodies = [nil, "short", String(repeating: "a", count: large), String(repeating: "b", count: large)]
    refusedBodies = ["!", "!" + String(repeating: "c", count: large)]
    hasRefused = random.chance(1, in: 2)
    (shapes, current) = ([], [])
    commits = [(Self.start, SimulatedContents(), [])]
    for table in SimulatedTable.allCases {
      let identity = random.pick(identities(table))
      current.append(
        SimulatedShape(
          table: table, identity: identity, hasFirst: random.chance(1, in: 2),
          hasLast: random.chance(1, in: 3)))
    }
    shapes = current
    for _ in 0..<random.pick([10, 40, 120]) { step() }
    for client in transactions.indices where transactions[client] != nil { end(client) }
    record(0, .other)
  }

  /// What the tables have where all was applied that ends before a position.
  func contents(at position: UInt64) -> SimulatedContents {
    commits.last { $0.end <= position }?.contents ?? SimulatedContents()
  }

  // MARK: Making it

  /// The replica identities that a table may have. A deferrable key can be none.
  private func identities(_ table: SimulatedTable) -> [Character] {
    table != .tokens ? ["d", "i", "f"] : tokensHaveIndex ? ["i", "f"] : ["f"]
  }

  private mutating func record(_ xid: UInt32, _ kind: Record.Kind) {
    let position = records.last?.end ?? Self.start
    records.append(
      Record(position: position, end: position + UInt64(random.int(3...40)) * 8, xid: xid, kind: kind))
  }

  private mutating func execute(_ client: Int, _ sql: String) { steps.append(Step(client: client, sql: sql)) }

  private mutating func newXID() -> UInt32 {
    lastXID += 1
    return lastXID
  }

  private mutating func step() {
    let client = random.int(0...2)
    guard transactions[client] != nil else {
      switch random.int(0...9) {
      case 0: return record(0, .other)
      case 1: return alter(client)
      default:
        let xid = newXID()
        transactions[client] = Transaction(xid: xid, levels: [(xid, [], [])])
        return execute(client, "BEGIN")
      }
    }
    switch random.int(0...99) {
    case 0..<70: change(client)
    case 70..<78: savepoint(client)
    case 78..<83: rollBackTo(client)
    case 83..<86: release(client)
    case 86..<88: truncate(client)
    default: end(client)
    }
  }

  /// Whether another transaction has used a table.
  private func isUsed(_ table: Int, besides client: Int) -> Bool {
    transactions.indices.contains { $0 != client && transactions[$0]?.used.contains(table) == true }
  }

  private mutating func alter(_ client: Int) {
    let table = random.int(0...2)
    if isUsed(table, besides: client) { return }
    let name = current[table].table.name
    switch random.int(0...3) {
    case 0 where current[table].hasFirst:
      current[table].hasFirst = false
      execute(client, "ALTER TABLE \(name) DROP COLUMN first")
    case 1:
      current[table].hasLast.toggle()
      execute(client, "ALTER TABLE \(name) \(current[table].hasLast ? "ADD last text" : "DROP last")")
    case 2:
      current[table].identity = random.pick(identities(current[table].table))
      execute(client, Self.identityStatement(current[table]))
    default: return
    }
    record(newXID(), .other)
  }

  private static func identityStatement(_ shape: SimulatedShape) -> String {
    let identity =
      switch shape.identity {
      case "d": "DEFAULT"
      case "i": "USING INDEX \(shape.table.name)_identity"
      default: "FULL"
      }
    return "ALTER TABLE \(shape.table.name) REPLICA IDENTITY \(identity)"
  }

  /// The rows that a client sees of a table.
  private func rows(_ client: Int, _ table: Int) -> [Int: SimulatedRow] {
    var contents = commits[commits.count - 1].contents
    for level in transactions[client]?.levels ?? [] { Self.apply(level.effects, to: &contents) }
    return contents.tables[table]
  }

  private static func apply(_ effects: [Effect], to contents: inout SimulatedContents) {
    for effect in effects {
      switch effect {
      case .put(let table, let key, let row): contents.tables[table][key] = row
      case .remove(let table, let key): contents.tables[table][key] = nil
      case .truncate(let table): contents.tables[table] = [:]
      }
    }
  }

  /// Records changes of a client's transaction, which has these effects together.
  private mutating func record(_ client: Int, _ table: Int, _ changes: [Change], _ effects: [Effect]) {
    guard let transaction = transactions[client] else { return }
    let level = transaction.levels.count - 1
    for change in changes {
      record(
        transaction.xid,
        .change(subtransaction: transaction.levels[level].xid, current[table], change))
    }
    transactions[client]?.levels[level].effects += effects
    transactions[client]?.used.insert(table)
  }

  private mutating func change(_ client: Int) {
    let table = random.int(0...2)
    let isTruncated = transactions.indices.contains {
      $0 != client && transactions[$0]?.truncated.contains(table) == true
    }
    if isTruncated { return }
    let rows = rows(client, table)
    let keys = (0..<Self.keysPerClient).map { $0 * 3 + client }
    let key = random.pick(keys)
    guard let row = rows[key] else { return insert(client, table, key) }
    switch random.int(0...9) {
    case 0...1: delete(client, table, key, row)
    case 2 where current[table].table == .tokens:
      if let other = keys.first(where: { $0 != key && rows[$0] != nil }), let second = rows[other] {
        exchange(client, table, (key, row), (other, second))
      }
    case 3...4:
      if let free = keys.first(where: { rows[$0] == nil }) { update(client, table, key, row, to: free) }
    default: update(client, table, key, row, to: key)
    }
  }

  private mutating func newRow() -> SimulatedRow {
    var row = SimulatedRow(
      title: random.pick(["", "tea", "it's", "a\tb\\n", "é", "\\N"]), body: random.pick(bodies),
      count: random.int(-2...9))
    if hasRefused, random.chance(1, in: 8) { row.count = 1_000 }
    if hasRefused, random.chance(1, in: 8) { row.body = random.pick(refusedBodies) }
    return row
  }

  private mutating func insert(_ client: Int, _ table: Int, _ key: Int) {
    let (row, name) = (newRow(), current[table].table)
    execute(
      client,
      "INSERT INTO \(name) (id, title, body, count) VALUES (\(name.id(key).literal), \(Self.literals(row).joined(separator: ", ")))"
    )
    record(client, table, [.insert(key, row)], [.put(table: table, key, row)])
  }

  private static func literals(_ row: SimulatedRow) -> [String] {
    [
      SimulatedValue.text(row.title).literal, row.body.map { SimulatedValue.text($0).literal } ?? "NULL",
      "\(row.count)",
    ]
  }

  private mutating func update(_ client: Int, _ table: Int, _ key: Int, _ row: SimulatedRow, to newKey: Int) {
    let (name, other) = (current[table].table, newRow())
    let sets = (title: random.chance(1, in: 2), body: random.chance(1, in: 3), count: random.chance(1, in: 2))
    var new = row
    var assignments = newKey == key ? [] : ["id = \(name.id(newKey).literal)"]
    let literals = Self.literals(other)
    if sets.title || !sets.body && !sets.count {
      (new.title, assignments) = (other.title, assignments + ["title = \(literals[0])"])
    }
    if sets.body { (new.body, assignments) = (other.body, assignments + ["body = \(literals[1])"]) }
    if sets.count { (new.count, assignments) = (other.count, assignments + ["count = \(literals[2])"]) }
    execute(
      client,
      "UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE id = \(name.id(key).literal)")
    record(
      client, table, [.update(key, row, to: newKey, new, setsBody: sets.body)],
      [.remove(table: table, key), .put(table: table, newKey, new)])
  }

  /// Two rows exchange their ids, the first one first: for a while, in which it may be updated, both have that of the second.
  private mutating func exchange(
    _ client: Int, _ table: Int, _ first: (key: Int, row: SimulatedRow),
    _ second: (key: Int, row: SimulatedRow)
  ) {
    // Otherwise the second statement cannot distinguish them, or the index of the count and the id refuses the first.
    if first.row.title == second.row.title || first.row.count == second.row.count { return }
    let movedTitle = "moved from \(first.key)"
    if second.row.title == movedTitle { return }
    let name = current[table].table
    let (left, right) = (name.id(first.key).literal, name.id(second.key).literal)
    execute(client, "UPDATE \(name) SET id = \(right) WHERE id = \(left)")
    var moved = first.row
    var changes = [Change.update(first.key, first.row, to: second.key, first.row, setsBody: false)]
    if random.chance(1, in: 2) {
      let title = SimulatedValue.text(first.row.title).literal
      moved.title = movedTitle
      execute(
        client, "UPDATE \(name) SET title = '\(moved.title)' WHERE id = \(right) AND title = \(title)")
      changes.append(.update(second.key, first.row, to: second.key, moved, setsBody: false))
    }
    execute(
      client,
      "UPDATE \(name) SET id = \(left) WHERE id = \(right) AND title = \(SimulatedValue.text(second.row.title).literal)"
    )
    changes.append(.update(second.key, second.row, to: first.key, second.row, setsBody: false))
    record(
      client, table, changes,
      [.put(table: table, second.key, moved), .put(table: table, first.key, second.row)])
  }

  private mutating func delete(_ client: Int, _ table: Int, _ key: Int, _ row: SimulatedRow) {
    let name = current[table].table
    execute(client, "DELETE FROM \(name) WHERE id = \(name.id(key).literal)")
    record(client, table, [.delete(key, row)], [.remove(table: table, key)])
  }

  private mutating func truncate(_ client: Int) {
    let table = random.int(0...2)
    if isUsed(table, besides: client) { return }
    // What a deferred key has not looked at yet must not be truncated.
    execute(client, "SET CONSTRAINTS ALL IMMEDIATE")
    execute(client, "TRUNCATE \(current[table].table)")
    execute(client, "SET CONSTRAINTS ALL DEFERRED")
    transactions[client]?.truncated.insert(table)
    record(client, table, [.truncate], [.truncate(table: table)])
  }

  // MARK: Transactions

  private mutating func savepoint(_ client: Int) {
    guard let count = transactions[client]?.levels.count, count < 4 else { return }
    execute(client, "SAVEPOINT s\(count)")
    let xid = newXID()
    transactions[client]?.levels.append((xid, [], []))
  }

  private mutating func rollBackTo(_ client: Int) {
    guard let transaction = transactions[client], transaction.levels.count > 1 else { return }
    let levels = transaction.levels
    let index = random.int(1...levels.count - 1)
    execute(client, "ROLLBACK TO s\(index)")
    // The innermost first.
    record(
      transaction.xid,
      .rollBackTo(subtransactions: levels[index...].reversed().flatMap { $0.released + [$0.xid] }))
    transactions[client]?.levels.removeSubrange(index...)
    let xid = newXID()
    transactions[client]?.levels.append((xid, [], []))
  }

  private mutating func release(_ client: Int) {
    guard var levels = transactions[client]?.levels, levels.count > 1 else { return }
    let last = levels.removeLast()
    execute(client, "RELEASE s\(levels.count)")
    levels[levels.count - 1].released += last.released + [last.xid]
    levels[levels.count - 1].effects += last.effects
    transactions[client]?.levels = levels
  }

  private mutating func end(_ client: Int) {
    guard let transaction = transactions[client] else { return }
    transactions[client] = nil
    let isPrepared = random.chance(1, in: 8)
    // The histories of a server run at once.
    let identifier = "'\(seed) \(transaction.xid)'"
    let suffix = isPrepared ? " PREPARED \(identifier)" : ""
    if isPrepared { execute(client, "PREPARE TRANSACTION \(identifier)") }
    if random.chance(1, in: 5) {
      execute(client, "ROLLBACK\(suffix)")
      return record(transaction.xid, .rollBack)
    }
    record(transaction.xid, .commit)
    var contents = commits[commits.count - 1].contents
    var refusing: Set<Int> = []
    for effect in transaction.levels.flatMap(\.effects) {
      Self.apply([effect], to: &contents)
      if case .put(let table, _, let row) = effect, row.isRefused { refusing.insert(table) }
    }
    commits.append((records[records.count - 1].end, contents, refusing))
    steps.append(
      Step(
        client: client, sql: "COMMIT\(suffix)", contents: contents,
        isQuiet: transactions.allSatisfy { $0 == nil }))
  }

  // MARK: The tables at a server

  /// The statements that make the tables.
  var setup: [String] {
    shapes.flatMap { shape in
      let name = shape.table.name
      let type = ["bigint", "text", "uuid"][shape.table.rawValue]
      let key = "PRIMARY KEY" + (shape.table == .tokens ? " DEFERRABLE INITIALLY DEFERRED" : "")
      return [
        "CREATE TABLE \(name) (\(shape.hasFirst ? "first text DEFAULT 'x', " : "")id \(type) \(key), title text NOT NULL, body text, count int NOT NULL\(shape.hasLast ? ", last text" : ""))",
        "ALTER TABLE \(name) ALTER body SET STORAGE EXTERNAL",
        "CREATE UNIQUE INDEX \(name)_identity ON \(name) (count, id)",
        Self.identityStatement(shape),
      ]
    } + ["CREATE PUBLICATION app FOR TABLE numbers, words, tokens"]
  }
}
