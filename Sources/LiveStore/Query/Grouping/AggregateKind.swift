/// A kind of aggregate over values of one expression, for groups or for all rows.
struct AggregateKind<Value: Equatable & Sendable>: Sendable {
  let kind: Grouping.Kind
  /// The value that is added up or compared.
  let operand: Operand?
  let function: AggregateFunction<Value>

  var path: PropertyPath? { operand?.path }

  /// The text that follows the query in a description.
  var text: String { path.map { ".\(kind)(\\.\($0))" } ?? ".\(kind)" }
}

extension AggregateKind where Value == Int {
  static let count = AggregateKind(
    kind: .count, operand: nil, function: .sums(add: { _, _, _, _ in }, value: { $0.rows }))
}

extension AggregateKind where Value: Summable {
  static func sum(_ expr: Expr<Value>) -> AggregateKind { sum(expr) { $0 } }
  static func sum(_ expr: Expr<Value?>) -> AggregateKind { sum(expr) { $0 } }

  private static func sum<Input>(
    _ expr: Expr<Input>, _ wrapped: @escaping @Sendable (Input) -> Value?
  ) -> AggregateKind {
    AggregateKind(
      kind: .sum, operand: Operand(expr),
      function: .sums(add: adding(expr, wrapped), value: { Value.value(of: $0) }))
  }
}

extension AggregateKind where Value == Double? {
  static func average<Input: Summable>(_ expr: Expr<Input>) -> AggregateKind {
    AggregateKind(
      kind: .average, operand: Operand(expr),
      function: .sums(add: adding(expr) { $0 }, value: { $0.average }))
  }

  static func average<Input: Summable>(_ expr: Expr<Input?>) -> AggregateKind {
    AggregateKind(
      kind: .average, operand: Operand(expr),
      function: .sums(add: adding(expr) { $0 }, value: { $0.average }))
  }
}

extension AggregateKind where Value == Double {
  /// For a group, which has a row and therefore a value.
  static func averageOfGroup<Input: Summable>(_ expr: Expr<Input>) -> AggregateKind {
    AggregateKind(
      kind: .average, operand: Operand(expr),
      function: .sums(add: adding(expr) { $0 }, value: { $0.average ?? .nan }))
  }
}

extension AggregateKind {
  /// The least or greatest of values that are not optional.
  static func extreme(_ end: Extreme, of expr: Expr<Value>) -> AggregateKind where Value: Comparable {
    // A group has a row, unless its key is inconsistent.
    make(end, of: expr, isNil: { _ in false }, value: { $0 })
  }

  /// The same over all rows, of which there may be none.
  static func extremeOfAll<V: Comparable & Sendable>(_ end: Extreme, of expr: Expr<V>) -> AggregateKind
  where Value == V? {
    make(end, of: expr, isNil: { _ in false }, value: { .some($0) })
  }

  /// The same over optional values; nil is skipped.
  static func extreme<V: Comparable & Sendable>(_ end: Extreme, of expr: Expr<V?>) -> AggregateKind
  where Value == V? {
    make(end, of: expr, isNil: { $0 == nil }, value: { .some($0.flatMap { $0 }) })
  }

  private static func make<Input: Sendable>(
    _ end: Extreme, of expr: Expr<Input>, isNil: @escaping @Sendable (Input) -> Bool,
    value: @escaping @Sendable (Input?) -> Value?
  ) -> AggregateKind {
    let accessor = expr.accessor
    let key = SortKey(path: expr.source.path ?? .closure(), accessor, KeyRule(), operand: Operand(expr))
    return AggregateKind(
      kind: end == .greatest ? .max : .min, operand: key.operand,
      function: .extreme(
        end, order: key, isNil: { isNil(accessor.read($0, $1)) },
        value: { row, context in value(row.map { accessor.read($0, context) }) }))
  }
}

/// Adds the value of an expression, if it has one.
private func adding<Input, Value: Summable>(
  _ expr: Expr<Input>, _ wrapped: @escaping @Sendable (Input) -> Value?
) -> @Sendable (UnsafeRawPointer, ReadContext, Bool, inout ExactSum) -> Void {
  let accessor = expr.accessor
  return { row, context, isRemoval, sum in
    guard let value = wrapped(accessor.read(row, context)) else { return }
    sum.values += isRemoval ? -1 : 1
    Value.add(value, to: &sum, isRemoval: isRemoval)
  }
}
