/// A way to find the rows of a filter, with its cost.
struct PlanOption {
  var source: RowSource
  /// An upper bound for the rows that are tested.
  var rows: Int
  /// How many entries of indexes are read.
  var entries: Int
  /// The cost in rows of a scan that compares stored values.
  var cost: Int
  /// Whether these are exactly the rows that pass.
  var isExact = false
  /// The work of finding it.
  var work = QueryWork()
  /// The values by which it finds rows.
  var paths: [Term] = []

  /// The cost of reading a row by its number, in a table of `count` rows (Q11).
  static func costOfLookup(among count: Int) -> Int { min(32, max(4, count / 512)) }

  /// - Parameter count: how many rows the table has.
  init(
    _ source: RowSource, rows: Int, among count: Int, paths: [Term] = [], isExact: Bool = false
  ) {
    self.source = source
    self.rows = rows
    entries = rows
    cost = rows * Self.costOfLookup(among: count)
    self.isExact = isExact
    self.paths = paths
  }

  init(_ use: IndexUse, _ index: IndexInfo, among count: Int) {
    self.init(
      .index(use.index, use.ranges), rows: use.count, among: count,
      paths: index.parts.prefix(use.boundParts).map(\.path), isExact: use.isExact)
  }
}

extension PlanOption {
  /// The rows that at least one of some ways leads to.
  static func union(_ parts: [PlanOption]) -> PlanOption {
    var union = PlanOption(.union(parts.map(\.source)), rows: 0, among: 0, paths: parts.flatMap(\.paths))
    for part in parts {
      union.rows += part.rows
      union.entries += part.entries
      union.cost += part.cost
      union.work.entriesRead += part.work.entriesRead
    }
    return union
  }

  /// The cheapest of some ways, or the intersection of several where that is cheaper.
  ///
  /// An intersection reads the entries of all ways, and only the rows that all lead to. Their number is
  /// estimated as if the conditions were independent. If they are not, the entries are read in vain, which
  /// may double the cost and not more.
  ///
  /// - Parameter count: how many rows the table has.
  static func cheapest(of options: [PlanOption], among count: Int) -> PlanOption? {
    // Of equal costs, the first counts.
    let options = options.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
      .map(\.element)
    guard var best = options.first else { return nil }
    var (parts, expected) = ([best.source], best.rows)
    for option in options.dropFirst() where best.rows > 0 {
      guard option.entries < best.rows * 8, best.paths.allSatisfy({ !option.paths.contains($0) }) else {
        continue
      }
      let rest = expected * option.rows / max(count, 1)
      let cost =
        costOfSet + (best.entries + option.entries) / entriesOfCost + rest * costOfLookup(among: count)
      guard cost < best.cost else { continue }
      parts.append(option.source)
      expected = rest
      best.source = .intersection(parts)
      best.entries += option.entries
      best.work.entriesRead += option.work.entriesRead
      best.cost = cost
      best.isExact = false
      best.paths += option.paths
    }
    return best
  }

  /// How many entries are collected in the time of one row of a scan.
  private static let entriesOfCost = 2
  /// The cost of sets of rows, however small.
  private static let costOfSet = 16
}
