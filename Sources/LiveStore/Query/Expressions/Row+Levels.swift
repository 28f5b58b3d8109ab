// Conditions on linked objects and elements are tested inside a row, and may read it: `$0.items.contains { $0.price >
// row.limit }`. A level tells the rows apart (B1), whatever their types: 0 for the row of a query, and one more inside
// each closure.

/// The levels of the rows of closures that are running.
enum RowLevels {
  /// The level of the next row, so that rows of different closures have different ones.
  @TaskLocal private static var next = 0

  /// The level of a row inside a closure.
  ///
  /// - Parameter outer: the level of the row to which it belongs; nil for the row of a query.
  static func level(inside outer: Int?) -> Int { max(next, outer.map { $0 + 1 } ?? 0) }

  /// Runs the closure of the row of a level.
  static func with<Result>(_ level: Int, _ body: () -> Result) -> Result {
    $next.withValue(level + 1) { body() }
  }

  /// Two expressions as of one row: the inner one of theirs.
  static func aligned<Left, Right>(
    _ left: Expr<Left>, _ right: Expr<Right>
  ) -> (Expr<Left>, Expr<Right>) {
    guard let first = left.reads.level, let second = right.reads.level, first != second else {
      return (left, right)
    }
    let level = max(first, second)
    return (left.aligned(to: level), right.aligned(to: level))
  }
}

extension Row {
  /// The expression that a closure gives for the row of a query.
  static func expression<Value>(_ body: (Row) -> Expr<Value>) -> Expr<Value> {
    let level = RowLevels.level(inside: nil)
    let expression = RowLevels.with(level) { body(Row(level: level)) }.aligned(to: level)
    let type = ObjectIdentifier(Element.self)
    precondition(
      expression.dependencies.allSatisfy { operand in
        operand.outer.isEmpty && (operand.root == nil || operand.root == type)
          && operand.ownValues.allSatisfy { $0.mayBegin(at: type) }
      },
      "A query of \(Element.self) names the row of another query. It may name its own row and what that links to."
    )
    return expression
  }

  /// The filter that a closure gives for the row of a query.
  static func filter(_ condition: (Row) -> Expr<Bool>) -> ConditionTree { expression(condition).filter }
}

extension Expr {
  /// The same value as one of the row at a level.
  func aligned(to level: Int) -> Expr {
    guard let own = reads.level, own != level else { return self }
    precondition(own < level, "A condition names the row of a closure that has returned.")
    return lifted(by: level - own, to: level)
  }

  /// The same value as one of a row that is some levels further in, where it is read from a row around that.
  ///
  /// - Parameter level: the level of that row.
  func lifted(by levels: Int, to level: Int) -> Expr {
    guard levels > 0, reads.level != nil else { return self }
    let accessor = accessor
    let lifted = Accessor<Value>.function { _, context in
      let (row, context) = context.around(levels)
      return accessor.read(row, context)
    }
    switch source {
    case .condition(let filter):
      return Expr(
        source: .condition(filter.lifted(by: levels)), accessor: lifted, reads: ReadSet(level: level))
    case .path(let path):
      return Expr(
        source: .path(path.lifted(by: levels)), accessor: lifted,
        reads: ReadSet(level: level, outer: dependencies.map { $0.lifted(by: levels - 1) }))
    }
  }
}

extension ConditionTree {
  /// Whether it reads rows around the one that it tests.
  var readsOuter: Bool { dependencies.contains { !$0.outer.isEmpty } }

  /// What it reads of the row around the one that it tests.
  var outerDependencies: [Dependency] { dependencies.flatMap(\.outer) }

  /// The same condition on a row that is some levels further in.
  func lifted(by levels: Int) -> ConditionTree {
    switch self {
    case .constant: self
    case .condition(let condition): .condition(condition.lifted(by: levels))
    case .all(let filters): .all(filters.map { $0.lifted(by: levels) })
    case .any(let filters): .any(filters.map { $0.lifted(by: levels) })
    case .not(let filter): .not(filter.lifted(by: levels))
    }
  }
}

extension Condition {
  fileprivate func lifted(by levels: Int) -> Condition {
    let mask = mask
    return Condition(
      term: term.lifted(by: levels),
      mask: { _, _, count, context in
        let (row, context) = context.around(levels)
        let every: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
        return mask(row, 0, 1, context) == 0 ? 0 : every
      }, candidates: nil, dependencies: dependencies.map { $0.lifted(by: levels) }, isConsistent: isConsistent
    )
  }
}
