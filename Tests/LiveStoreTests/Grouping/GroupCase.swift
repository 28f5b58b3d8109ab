import LiveStore
import TestSupport

/// Something grouped, twice: as the store reads it, and as a function of an array in insertion order.
struct GroupCase<Mode: Indexing, Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
  typealias Rows = [Thing<Mode>]
  typealias Source = GroupAggregate<Thing<Mode>, Key, Value>

  let text: String
  let source: Source
  let expected: @Sendable (Rows) -> [(key: Key, value: Value)]
}

/// An aggregate of all rows, twice.
struct AggregateCase<Mode: Indexing, Value: Equatable & Sendable>: Sendable {
  let text: String
  let source: Aggregate<Thing<Mode>, Value>
  let expected: @Sendable ([Thing<Mode>]) -> Value
}

/// Receives random cases with their types.
protocol GroupCaseVisitor {
  associatedtype Mode: Indexing
  mutating func visit<Key, Value>(_ value: GroupCase<Mode, Key, Value>) throws
  mutating func visit<Value>(_ value: AggregateCase<Mode, Value>) throws
}

/// Nil first, then NaN, then values.
func precedes<V: Comparable>(_ lhs: V?, _ rhs: V?) -> Bool {
  func place(_ value: V?) -> Int { value.map { $0 == $0 ? 2 : 1 } ?? 0 }
  if place(lhs) != place(rhs) { return place(lhs) < place(rhs) }
  guard let lhs, let rhs else { return false }
  return isBelow(lhs, rhs)
}

/// The exact sum as the store rounds it.
private func sum(_ values: [Double]) -> Double {
  let isUp = values.contains(.infinity)
  let isDown = values.contains(-.infinity)
  if values.contains(where: \.isNaN) || (isUp && isDown) { return .nan }
  return isUp ? .infinity : isDown ? -.infinity : nearestSum(values)
}

private func sum(_ values: [Int]) -> Int { Int(clamping: values.reduce(Int128(0)) { $0 + Int128($1) }) }

private func mean(_ values: [Double]) -> Double? {
  values.isEmpty ? nil : sum(values) / Double(values.count)
}

private func mean(_ values: [Int]) -> Double? {
  values.isEmpty ? nil : Double(values.reduce(Int128(0)) { $0 + Int128($1) }) / Double(values.count)
}

private func first<V: Comparable>(_ values: [V]) -> V? { values.min { precedes($0, $1) } }
private func last<V: Comparable>(_ values: [V]) -> V? { values.max { precedes($0, $1) } }

extension SplitMix64 {
  /// A random grouping of a random query, and an aggregate of all its rows.
  mutating func visitGroupCase<Visitor: GroupCaseVisitor>(_ visitor: inout Visitor) throws {
    typealias Mode = Visitor.Mode
    let queryCase = query(for: Mode.self)
    switch int(0...8) {
    case 0: try key(queryCase, "rank", \.rank, { $0.rank }, { $0 < $1 }, &visitor)
    case 1: try key(queryCase, "name", \.name, { $0.name }, { isBelow($0, $1) }, &visitor)
    case 2, 3: try key(queryCase, "score", \.score, { $0.score }, { precedes($0, $1) }, &visitor)
    case 4: try key(queryCase, "isDone", \.isDone, { $0.isDone }, { !$0 && $1 }, &visitor)
    case 5: try key(queryCase, "color", \.color, { $0.color }, nil, &visitor)
    case 6: try key(queryCase, "color.hashValue & 1", \.color.parity, { $0.color.parity }, nil, &visitor)
    case 7: try key(queryCase, "place.city", \.place.city, { $0.place?.city }, { precedes($0, $1) }, &visitor)
    default: try key(queryCase, "date", \.date, { $0.date }, { $0 < $1 }, &visitor)
    }
    try whole(queryCase, &visitor)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func key<Visitor: GroupCaseVisitor, Key: Hashable & Sendable>(
    _ queryCase: QueryCase<Visitor.Mode>, _ name: String,
    _ path: KeyPath<Row<Thing<Visitor.Mode>>, Expr<Key>>,
    _ read: @escaping @Sendable (Thing<Visitor.Mode>) -> Key,
    _ precedes: (@Sendable (Key, Key) -> Bool)?, _ visitor: inout Visitor
  ) throws {
    typealias T = Thing<Visitor.Mode>
    let groups = queryCase.query.grouped(by: path)
    func visit<Value>(
      _ aggregate: GroupAggregate<T, Key, Value>, _ text: String, _ value: @escaping @Sendable ([T]) -> Value
    ) throws {
      try visitor.visit(
        GroupCase(text: "\(queryCase.text).grouped(by: \\.\(name)).\(text)", source: aggregate) { all in
          var found: [(key: Key, rows: [T])] = []
          let chosen = Set(queryCase.expectedRows(all).map(\.id))
          // In insertion order, so a group's first row is its earliest.
          for row in all where chosen.contains(row.id) {
            let key = read(row)
            if let index = found.firstIndex(where: { isSameValue($0.key, key) }) {
              found[index].rows.append(row)
            } else {
              found.append((key, [row]))
            }
          }
          if let precedes { found.sort { precedes($0.key, $1.key) } }
          return found.map { ($0.key, value($0.rows)) }
        })
    }
    switch int(0...11) {
    case 0, 1: try visit(groups.count, "count") { $0.count }
    case 2: try visit(groups.sum(\.rank), "sum(\\.rank)") { sum($0.map(\.rank)) }
    case 3, 4: try visit(groups.sum(\.score), "sum(\\.score)") { sum($0.compactMap(\.score)) }
    case 5: try visit(groups.average(\.score), "average(\\.score)") { mean($0.compactMap(\.score)) }
    case 6: try visit(groups.average(\.rank), "average(\\.rank)") { mean($0.map(\.rank)) ?? 0 }
    case 7: try visit(groups.min(\.score), "min(\\.score)") { first($0.compactMap(\.score)) }
    case 8: try visit(groups.max(\.score), "max(\\.score)") { last($0.compactMap(\.score)) }
    case 9: try visit(groups.min(\.rank), "min(\\.rank)") { first($0.map(\.rank)) ?? 0 }
    case 10: try visit(groups.max(\.name), "max(\\.name)") { last($0.map(\.name)) ?? "" }
    default: try visit(groups.min(\.code), "min(\\.code)") { first($0.compactMap(\.code)) }
    }
  }

  private mutating func whole<Visitor: GroupCaseVisitor>(
    _ queryCase: QueryCase<Visitor.Mode>, _ visitor: inout Visitor
  ) throws {
    typealias T = Thing<Visitor.Mode>
    func visit<Value>(
      _ aggregate: Aggregate<T, Value>, _ text: String, _ value: @escaping @Sendable ([T]) -> Value
    ) throws {
      try visitor.visit(
        AggregateCase(text: "\(queryCase.text).\(text)", source: aggregate) {
          value(queryCase.expectedRows($0))
        })
    }
    let query = queryCase.query
    switch int(0...9) {
    case 0: try visit(query.sum(\.rank), "sum(\\.rank)") { sum($0.map(\.rank)) }
    case 1, 2: try visit(query.sum(\.score), "sum(\\.score)") { sum($0.compactMap(\.score)) }
    case 3: try visit(query.average(\.score), "average(\\.score)") { mean($0.compactMap(\.score)) }
    case 4: try visit(query.average(\.rank), "average(\\.rank)") { mean($0.map(\.rank)) }
    case 5: try visit(query.min(\.score), "min(\\.score)") { first($0.compactMap(\.score)) }
    case 6: try visit(query.max(\.score), "max(\\.score)") { last($0.compactMap(\.score)) }
    case 7: try visit(query.min(\.rank), "min(\\.rank)") { first($0.map(\.rank)) }
    case 8: try visit(query.max(\.name), "max(\\.name)") { last($0.map(\.name)) }
    default: try visit(query.max(\.code), "max(\\.code)") { last($0.compactMap(\.code)) }
    }
  }
}

extension Color {
  /// A key without an order whose values all have the same hash.
  var parity: Parity { Parity(isEven: self == .red) }

  struct Parity: Hashable, Sendable {
    var isEven: Bool
    func hash(into hasher: inout Hasher) {}
  }
}

extension Expr<Color> {
  /// The parity as a key of groups.
  var parity: Expr<Color.Parity> { self[dynamicMember: \.parity] }
}
