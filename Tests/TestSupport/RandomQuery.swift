package import LiveStore

/// A query twice: as the store reads it, and as a function of an array in insertion order.
package struct QueryCase<Mode: Indexing>: Sendable {
  /// How the query is written in Swift.
  package var text: String
  package var query: Query<Thing<Mode>>
  fileprivate var steps: [Step<Mode>] = []

  package init(text: String, query: Query<Thing<Mode>>) {
    self.text = text
    self.query = query
  }

  /// What the query must find among `rows`, which stand in insertion order: the documented meaning, step by
  /// step.
  package func expectedRows(_ rows: [Thing<Mode>]) -> [Thing<Mode>] { walk(rows) }

  /// All of `rows`, which stand in insertion order, in the order of the query.
  package func arrange(_ rows: [Thing<Mode>]) -> [Thing<Mode>] { walk(rows, keepsAll: true) }

  private func walk(_ rows: [Thing<Mode>], keepsAll: Bool = false) -> [Thing<Mode>] {
    var found = Array(rows.enumerated())
    var keys: [@Sendable (Thing<Mode>, Thing<Mode>) -> Int] = []
    var startsAnew = false
    for step in steps {
      switch step {
      case .limit where keepsAll, .offset where keepsAll, .distinct where keepsAll: startsAnew = true
      case .filter(let holds): if !keepsAll { found.removeAll { !holds($0.element) } }
      case .limit(let count): (found, startsAnew) = (Array(found.prefix(max(0, count))), true)
      case .offset(let count): (found, startsAnew) = (Array(found.dropFirst(max(0, count))), true)
      case .distinct(let isSame):
        var kept: [(offset: Int, element: Thing<Mode>)] = []
        for row in found where !kept.contains(where: { isSame($0.element, row.element) }) { kept.append(row) }
        (found, startsAnew) = (kept, true)
      case .sort(let key):
        keys = startsAnew ? [key] : keys + [key]
        startsAnew = false
        found.sort { lhs, rhs in
          for key in keys {
            let order = key(lhs.element, rhs.element)
            if order != 0 { return order < 0 }
          }
          return lhs.offset < rhs.offset
        }
      }
    }
    return found.map(\.element)
  }
}

private enum Step<Mode: Indexing>: Sendable {
  case filter(@Sendable (Thing<Mode>) -> Bool)
  case sort(@Sendable (Thing<Mode>, Thing<Mode>) -> Int)
  case limit(Int)
  case offset(Int)
  case distinct(@Sendable (Thing<Mode>, Thing<Mode>) -> Bool)
}

/// Nil first, then NaN, then values.
private func order<V: Comparable>(_ lhs: V?, _ rhs: V?, _ direction: SortDirection) -> Int {
  func place(_ value: V?) -> Int { value.map { $0 == $0 ? 2 : 1 } ?? 0 }
  var order = place(lhs) - place(rhs)
  if order == 0, let lhs, let rhs { order = isBelow(lhs, rhs) ? -1 : isBelow(rhs, lhs) ? 1 : 0 }
  return direction == .ascending ? order : -order
}

extension SplitMix64 {
  /// A random query; the same seed gives the same query for both entities.
  package mutating func query<Mode: Indexing>(for _: Mode.Type = Mode.self, windows: Bool = true)
    -> QueryCase<Mode>
  {
    var query = QueryCase<Mode>(text: "Thing.all", query: Thing<Mode>.all)
    if chance(4, in: 5) { filter(&query) }
    if chance(1, in: 12) { opaque(&query) }
    for _ in 0..<pick([0, 0, 1, 1, 1, 2, 3]) { sort(&query) }
    guard windows, chance(1, in: 2) else { return query }
    window(&query)
    for _ in 0..<pick([0, 0, 1, 2]) {
      switch int(0...3) {
      case 0: filter(&query)
      case 1: opaque(&query)
      case 2: sort(&query)
      default: window(&query)
      }
    }
    return query
  }

  private mutating func filter<Mode: Indexing>(_ query: inout QueryCase<Mode>) {
    let condition: Condition<Thing<Mode>> = condition()
    query.query = query.query.where(condition.expr)
    query.text += ".where { \(condition.text) }"
    let (meaning, term) = (TermMeaning(), condition.expr(Row()).term)
    query.steps.append(.filter { meaning.holds(term, $0) })
  }

  private mutating func opaque<Mode: Indexing>(_ query: inout QueryCase<Mode>) {
    let divisor = int(2...4)
    let isIncluded: @Sendable (Thing<Mode>) -> Bool = {
      ($0.id + $0.name.count + ($0.isDone ? 1 : 0)) % divisor != 0
    }
    query.query = query.query.filter(isIncluded)
    query.text += ".filter { /* closure */ ($0.id + $0.name.count + ($0.isDone ? 1 : 0)) % \(divisor) != 0 }"
    query.steps.append(.filter(isIncluded))
  }

  private mutating func distinct<Mode: Indexing>(_ query: inout QueryCase<Mode>) {
    typealias T = Thing<Mode>
    let base = query.query
    func add(_ name: String, _ distinct: Query<T>, _ isSame: @escaping @Sendable (T, T) -> Bool) {
      query.query = distinct
      query.text += ".distinct(by: \(name))"
      query.steps.append(.distinct(isSame))
    }
    switch int(0...7) {
    case 0: add("\\.rank", base.distinct(by: \.rank)) { $0.rank == $1.rank }
    case 1: add("\\.name", base.distinct(by: \.name)) { $0.name == $1.name }
    case 2, 3: add("\\.score", base.distinct(by: \.score)) { isSameValue($0.score, $1.score) }
    case 4: add("\\.isDone", base.distinct(by: \.isDone)) { $0.isDone == $1.isDone }
    case 5: add("\\.color", base.distinct(by: \.color)) { $0.color == $1.color }
    case 6: add("\\.place.city", base.distinct(by: \.place.city)) { $0.place?.city == $1.place?.city }
    default:
      add("\\.color, \\.isDone", base.distinct(by: \.color, \.isDone)) {
        $0.color == $1.color && $0.isDone == $1.isDone
      }
    }
  }

  private mutating func window<Mode: Indexing>(_ query: inout QueryCase<Mode>) {
    if chance(1, in: 3) { distinct(&query) }
    if chance(2, in: 3) {
      let count = pick([0, 1, 2, 3, 5, 8, 13, -1])
      query.query = query.query.limit(count)
      query.text += ".limit(\(count))"
      query.steps.append(.limit(count))
    }
    if chance(1, in: 2) {
      let count = pick([0, 1, 2, 3, 7])
      query.query = query.query.offset(count)
      query.text += ".offset(\(count))"
      query.steps.append(.offset(count))
    }
  }

  private mutating func sort<Mode: Indexing>(_ query: inout QueryCase<Mode>) {
    typealias T = Thing<Mode>
    let way: SortDirection = chance(1, in: 2) ? .ascending : .descending
    func add(_ name: String, _ sorted: Query<T>, _ compare: @escaping @Sendable (T, T) -> Int) {
      query.query = sorted
      query.text += ".sorted(by: \\.\(name), .\(way))"
      query.steps.append(.sort(compare))
    }
    let base = query.query
    switch int(0...10) {
    case 0: add("rank", base.sorted(by: \.rank, way)) { order($0.rank, $1.rank, way) }
    case 1: add("name", base.sorted(by: \.name, way)) { order($0.name, $1.name, way) }
    case 2, 3: add("score", base.sorted(by: \.score, way)) { order($0.score, $1.score, way) }
    case 4: add("isDone", base.sorted(by: \.isDone, way)) { order($0.isDone ? 1 : 0, $1.isDone ? 1 : 0, way) }
    case 5:
      add("place.city", base.sorted(by: \.place.city, way)) { order($0.place?.city, $1.place?.city, way) }
    case 6:
      add("place.spot.height", base.sorted(by: \.place.spot.height, way)) {
        order($0.place?.spot?.height, $1.place?.spot?.height, way)
      }
    case 7: add("level", base.sorted(by: \.level, way)) { order($0.level, $1.level, way) }
    case 8: add("tag", base.sorted(by: \.tag, way)) { order($0.tag, $1.tag, way) }
    case 9: add("code", base.sorted(by: \.code, way)) { order($0.code, $1.code, way) }
    default: add("date", base.sorted(by: \.date, way)) { order($0.date, $1.date, way) }
    }
  }
}
