import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// What a store has that follows a simulated history, whose tables have a policy each for rows that it cannot hold.
struct SimulatedPolicies {
  let policies: [UnreadableRows]
  /// What the store has.
  private(set) var contents = SimulatedContents()
  /// How many rows each table had then.
  private var rowCounts = SimulatedTable.allCases.map { _ in 0 }
  /// The tables that are stopped for a row of their own.
  private var stopped: Set<Int> = []
  private var position = SimulatedHistory.start

  init(_ random: inout SplitMix64) {
    policies = SimulatedTable.allCases.map { _ in
      random.pick([.leaveOut, .leaveOut, .stopTable, .stopReplica])
    }
  }

  /// The names of the tables that are stopped.
  var stoppedTables: Set<String> {
    Set(SimulatedTable.allCases.filter { isStopped($0.rawValue) }.map { "public.\($0)" })
  }

  private func isStopped(_ table: Int) -> Bool {
    stopped.contains(table) || stopped.contains { policies[$0] == .stopReplica }
  }

  /// How many rows are left out.
  var leftOutCount: Int {
    policies.indices.filter { policies[$0] == .leaveOut }.reduce(0) {
      $0 + rowCounts[$1] - contents.tables[$1].count
    }
  }

  /// Whether a table stops for rows of these tables.
  func mayStop(for tables: Set<Int>) -> Bool { tables.contains { policies[$0] != .leaveOut } }

  /// Follows the transactions up to a position. None of those that a replica applies ends a stop.
  mutating func follow(_ history: SimulatedHistory, to position: UInt64) {
    for commit in history.commits where self.position < commit.end && commit.end <= position {
      stopped.formUnion(commit.refusing.filter { policies[$0] != .leaveOut && !isStopped($0) })
      take(commit.contents)
    }
    self.position = max(self.position, position)
  }

  /// Copies the tables as they are at a position.
  mutating func copy(_ history: SimulatedHistory, at position: UInt64) {
    copy(history.contents(at: position))
    self.position = position
  }

  /// Copies tables that have these rows.
  mutating func copy(_ new: SimulatedContents) {
    stopped = Set(new.tables.indices.filter { policies[$0] != .leaveOut && new.hasRefused($0) })
    take(new)
  }

  /// Whether a store may have these rows after a copy: of a table that is stopped, those of some commit before.
  func isExpected(_ found: SimulatedContents, _ history: SimulatedHistory) -> Bool {
    found.tables.indices.allSatisfy { table in
      let rows = found.tables[table]
      return isStopped(table)
        ? history.commits.contains { $0.contents.readable.tables[table] == rows }
        : contents.tables[table] == rows
    }
  }

  private mutating func take(_ new: SimulatedContents) {
    let readable = new.readable.tables
    for table in readable.indices where !isStopped(table) {
      contents.tables[table] = readable[table]
      rowCounts[table] = new.tables[table].count
    }
  }

  /// Whether a table is stopped only while it has a row for which it is, where the tables have these rows.
  func isJustified(by current: SimulatedContents) -> Bool {
    let own = stopped.map(current.hasRefused)
    // Of all tables that stop together, one has the row.
    return stopped.contains { policies[$0] == .stopReplica } ? own.contains(true) : !own.contains(false)
  }
}

extension SimulatedContents {
  /// What entities can hold.
  var readable: SimulatedContents {
    var result = self
    for table in tables.indices { result.tables[table] = tables[table].filter { !$0.value.isRefused } }
    return result
  }

  /// Whether a table has a row that no entity can hold.
  func hasRefused(_ table: Int) -> Bool { tables[table].contains { $0.value.isRefused } }
}
