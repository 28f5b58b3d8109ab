// Looks for anomalies in histories of appends to lists, in the style of Elle (Kingsbury and Alvaro, "Elle: Inferring
// Isolation Anomalies from Experimental Observations", 2020).
//
// A list that was read gives the order of all appends to it up to there. From the longest read of each list come the
// dependencies of transactions: ww from an append to the next one, wr from the last append that was read to its
// reader, rw from a reader to the append that comes next, and with intervals rt from one that had returned to one
// called later. If every transaction ran alone, these have no cycle. A cycle is named by the least kinds of edges
// that make it.

/// The anomalies of a history.
package struct ListChecker {
  package enum Edge: Hashable, Comparable, Sendable {
    case ww, wr, rt, rw
  }

  private let transactions: [ListTransaction]
  package private(set) var anomalies: Set<Anomaly> = []
  private var edges: [[(to: Int, edge: Edge)]]
  /// The transaction that appended a value.
  private var writers: [Int: Int] = [:]

  /// Checks a history.
  ///
  /// - Complexity: O(*n*²) for *n* transactions with intervals, otherwise about linear in the history.
  package init(_ transactions: [ListTransaction]) {
    self.transactions = transactions
    edges = transactions.map { _ in [] }
    noteWriters()
    for index in transactions.indices where isCommitted(index) { checkInner(index) }
    let orders = findOrders()
    for index in transactions.indices where isCommitted(index) { checkReads(index) }
    connect(orders)
    connectInTime()
    findCycles()
  }

  private func isCommitted(_ index: Int) -> Bool { transactions[index].outcome == .committed }

  private mutating func noteWriters() {
    for (index, transaction) in transactions.enumerated() {
      for case .append(_, let value) in transaction.operations {
        if writers.updateValue(index, forKey: value) != nil { anomalies.insert(.incompatible) }
      }
    }
  }

  /// A read sees what its own transaction appended before, at the end.
  private mutating func checkInner(_ index: Int) {
    var own: [Int: [Int]] = [:]
    var known: [Int: [Int]] = [:]
    for operation in transactions[index].operations {
      switch operation {
      case .append(let key, let value):
        own[key, default: []].append(value)
        known[key]?.append(value)
      case .read(let key, let values):
        if let expected = known[key], expected != values { anomalies.insert(.inner) }
        if !values.suffix(own[key]?.count ?? 0).elementsEqual(own[key] ?? []) { anomalies.insert(.inner) }
        known[key] = values
      }
    }
  }

  /// What a transaction found of a list before it appended to it.
  private func externalReads(_ index: Int) -> [(key: Int, values: [Int])] {
    var own: [Int: Int] = [:]
    return transactions[index].operations.compactMap { operation in
      switch operation {
      case .append(let key, _):
        own[key, default: 0] += 1
        return nil
      case .read(let key, let values): return (key, Array(values.dropLast(own[key] ?? 0)))
      }
    }
  }

  /// The longest read of each list; all others must be its beginnings.
  private mutating func findOrders() -> [Int: [Int]] {
    var orders: [Int: [Int]] = [:]
    var reads: [(key: Int, values: [Int])] = []
    for transaction in transactions where transaction.outcome == .committed {
      for case .read(let key, let values) in transaction.operations {
        reads.append((key, values))
        if values.count > orders[key]?.count ?? -1 { orders[key] = values }
      }
    }
    for (key, values) in reads where !(orders[key] ?? []).starts(with: values) {
      anomalies.insert(.incompatible)
    }
    for order in orders.values {
      if Set(order).count != order.count || order.contains(where: { writers[$0] == nil }) {
        anomalies.insert(.incompatible)
      }
    }
    return orders
  }

  /// Values of aborted transactions, and parts of what a transaction appended.
  private mutating func checkReads(_ index: Int) {
    for (key, values) in externalReads(index) {
      for value in values {
        if let writer = writers[value], !isCommitted(writer) { anomalies.insert(.g1a) }
      }
      guard let last = values.last, let writer = writers[last], writer != index else { continue }
      let all = transactions[writer].operations.compactMap { operation -> Int? in
        if case .append(key, let value) = operation { value } else { nil }
      }
      if isCommitted(writer), all.last != last { anomalies.insert(.g1b) }
    }
  }

  private mutating func connect(_ orders: [Int: [Int]]) {
    for order in orders.values {
      for (before, after) in zip(order, order.dropFirst()) { connect(writers[before], writers[after], .ww) }
    }
    for index in transactions.indices where isCommitted(index) {
      for (key, values) in externalReads(index) {
        if let last = values.last { connect(writers[last], index, .wr) }
        let order = orders[key] ?? []
        if values.count < order.count, order.starts(with: values) {
          connect(index, writers[order[values.count]], .rw)
        }
      }
    }
  }

  private mutating func connectInTime() {
    for (one, first) in transactions.enumerated() {
      for (other, second) in transactions.enumerated() {
        guard let before = first.interval, let after = second.interval,
          before.upperBound < after.lowerBound
        else { continue }
        connect(one, other, .rt)
      }
    }
  }

  private mutating func connect(_ from: Int?, _ to: Int?, _ edge: Edge) {
    guard let from, let to, from != to, isCommitted(from), isCommitted(to) else { return }
    edges[from].append((to, edge))
  }
}

// MARK: Cycles

extension ListChecker {
  private mutating func findCycles() {
    if hasCycle([.ww]) {
      anomalies.insert(.g0)
    } else if hasCycle([.ww, .wr, .rt]) {
      anomalies.insert(.g1c)
    }
    let isSerial = !hasCycle([.ww, .wr, .rt, .rw])
    if isSerial { return }
    // A cycle with one rw: from its end back to its start without another.
    for (start, list) in edges.enumerated() {
      for edge in list where edge.edge == .rw && reaches(edge.to, start, [.ww, .wr, .rt]) {
        anomalies.insert(.gSingle)
        return
      }
    }
    if anomalies.isDisjoint(with: [.g0, .g1c]) { anomalies.insert(.g2) }
  }

  private func reaches(_ start: Int, _ goal: Int, _ kinds: Set<Edge>) -> Bool {
    var seen: Set<Int> = [start]
    var pending = [start]
    while let index = pending.popLast() {
      if index == goal { return true }
      for edge in edges[index] where kinds.contains(edge.edge) && seen.insert(edge.to).inserted {
        pending.append(edge.to)
      }
    }
    return false
  }

  /// Whether edges of some kinds make a cycle: what is left when all without predecessors are taken away.
  private func hasCycle(_ kinds: Set<Edge>) -> Bool {
    var degrees = edges.map { _ in 0 }
    for list in edges { for edge in list where kinds.contains(edge.edge) { degrees[edge.to] += 1 } }
    var free = degrees.indices.filter { degrees[$0] == 0 }
    var taken = 0
    while let index = free.popLast() {
      taken += 1
      for edge in edges[index] where kinds.contains(edge.edge) {
        degrees[edge.to] -= 1
        if degrees[edge.to] == 0 { free.append(edge.to) }
      }
    }
    return taken < edges.count
  }
}
