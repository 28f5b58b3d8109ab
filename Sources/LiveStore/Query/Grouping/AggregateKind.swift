/// A kind of aggregate over values of one expression, for groups or for all rows.
struct AggregateKind<Value: Equatable & Sendable>: Sendable {
  let kind: Grouping.Kind
  /// The value that is added up or compared.
  let path: Term?
  /// The values read over links that it names.
  var named: [NamedValue] = []
  let function: AggregateFunction<Value>

  /// The text that follows the query in a description.
  var text: String { path.map { ".\(kind)(\\.\($0))" } ?? ".\(kind)" }
}

extension AggregateKind: Hashable {
  static func == (lhs: AggregateKind, rhs: AggregateKind) -> Bool {
    lhs.kind == rhs.kind && lhs.path == rhs.path
  }
  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(path)
  }
}

extension AggregateKind where Value == Int {
  static let count = AggregateKind(
    kind: .count, path: nil, function: .sums(.none, value: { $0.rows }))
}

extension AggregateKind where Value: Summable {
  static func sum<Input: SummableValue>(_ expr: Expr<Input>) -> AggregateKind where Input.Summand == Value {
    AggregateKind(
      kind: .sum, path: expr.term, named: expr.named,
      function: .sums(.adding(expr), value: { Value.value(of: $0) }))
  }
}

extension AggregateKind where Value == Double? {
  static func average<Input: SummableValue>(_ expr: Expr<Input>) -> AggregateKind {
    AggregateKind(
      kind: .average, path: expr.term, named: expr.named,
      function: .sums(.adding(expr), value: { $0.average }))
  }
}

extension AggregateKind where Value == Double {
  /// For a group, which has a row and therefore a value.
  static func averageOfGroup<Input: Summable>(_ expr: Expr<Input>) -> AggregateKind {
    AggregateKind(
      kind: .average, path: expr.term, named: expr.named,
      function: .sums(.adding(expr), value: { $0.average ?? .nan }))
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
    let key = SortKey(path: expr.term, accessor, KeyRule(), named: expr.named)
    return AggregateKind(
      kind: end == .greatest ? .max : .min, path: key.path, named: key.named,
      function: .extreme(
        end, order: key, isNil: { isNil(accessor.read($0, $1)) },
        value: { row, context in value(row.map { accessor.read($0, context) }) }))
  }
}

extension SumFunctions {
  /// Adds the values of an expression; nil is skipped.
  static func adding<Value: SummableValue>(_ expr: Expr<Value>) -> SumFunctions {
    let accessor = expr.accessor
    let add: @Sendable (UnsafeRawPointer, ReadContext, Bool, inout ExactSum) -> Void = {
      row, context, isRemoval, sum in
      guard let value = accessor.read(row, context).summand else { return }
      sum.values += isRemoval ? -1 : 1
      Value.Summand.add(value, to: &sum, isRemoval: isRemoval)
    }
    let addBlock: @Sendable (RowBlock, ReadContext, inout ExactSum) -> Void
    switch accessor {
    case .offset(let offset):
      addBlock = { block, _, sum in Value.add(block.values(at: offset), to: &sum) }
    case .function:
      addBlock = { block, context, sum in
        block.objects.forEach { add($0, context, false, &sum) }
      }
    }
    return SumFunctions(
      add: add, addBlock: addBlock,
      addGrouped: { rows, context, groups, sums in
        accessor.withValues(of: rows, context) { Value.add($0, of: groups, to: &sums) }
      })
  }
}
