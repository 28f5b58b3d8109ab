/// What an expression reads: values of its own row, of rows that links lead to, and of the rows around its own.
struct ReadSet: Sendable {
  /// How many rows are around the one that it reads (B1); nil if it reads none.
  var level: Int?
  /// The links that lead to rows of other tables.
  var chains: [LinkedRead] = []
  /// Whether it reads values of its own row besides those behind the links.
  var readsOwnRow = false
  /// The values of the row around its own that it reads.
  var outer: [Dependency] = []
  /// The values of its own row that are read in conditions on linked objects.
  var ownValues: [Term] = []
}

extension ReadSet {
  /// Whether it reads values of its own row: also if it reads nothing else.
  var readsRow: Bool { readsOwnRow || chains.isEmpty && outer.isEmpty }

  /// Adds the values that a condition reads of the row that linked objects or elements belong to, and of rows around it.
  mutating func add(_ dependencies: [Dependency]) {
    for operand in dependencies {
      chains += operand.chains.filter { !chains.contains($0) }
      outer += operand.outer.filter { !outer.contains($0) }
      if operand.readsRow {
        readsOwnRow = true
        ownValues.append(operand.path)
      }
      ownValues += operand.ownValues
    }
  }

  /// The values that one or the other reads.
  func joined(_ other: ReadSet) -> ReadSet {
    ReadSet(
      level: level ?? other.level, chains: chains + other.chains,
      readsOwnRow: readsRow || other.readsRow, outer: outer + other.outer,
      ownValues: ownValues + other.ownValues)
  }
}
