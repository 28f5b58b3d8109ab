// Rows around a condition.
//
// A condition on linked objects or elements is tested inside a row, and may read it: `Cart.where { row in
// row.items.contains { $0.price > row.limit } }`. The types of the rows do not tell them apart: a person's
// friends are persons, too. Their levels do.
//
// - **B1** A row has a level: 0 for the row of a query, and inside each closure one more than the levels of
//   all rows that the closure may name. Running closures are counted in a task-local value (`RowLevels`), so
//   levels follow the nesting of closures, not of links. An expression has the level of the row that it
//   reads. Where two are joined, by `&&`, a comparison or an operation, the outer one is first *lifted* to
//   the level of the inner one; so is the result of a closure. Expressions are never joined, and bounds never
//   merged, at different levels.
// - **B2** A test of linked objects that reads the row around them is given a context with that row
//   (`ReadContext.outer`, a list, innermost first). A lifted expression takes from it as many rows as it was
//   lifted by, and reads the last one. A test that reads its own object alone gets the same context, at no
//   cost.
// - **B3** A term names its row as row 0, and a row around it by how far out that is; in a condition on
//   several objects or elements, row 0 is one of these, and all other rows are one further out. A lifted term
//   names each row outside its own conditions that much further out. So equal conditions are equal however
//   deeply they are nested.
// - **B4** A text is compiled in one scope for each subquery, with the scope around it. A path belongs to
//   the innermost scope with its variable, without a variable to the row, and is lifted by the scopes
//   between. Names of variables make no difference: written as text, they are `$x`, `$y`, `$z` and so on
//   from the outermost.
//
// What a condition reads of rows around it is read by the expression that contains it, too: of its own row and
// over the links from there, or of rows still further out (`Term.reads`). The condition is one named value, its
// answer.

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

  /// Two expressions for one row: the inner one of their two rows.
  static func aligned<Left, Right>(
    _ left: Expr<Left>, _ right: Expr<Right>
  ) -> (Expr<Left>, Expr<Right>) {
    guard let first = left.level, let second = right.level, first != second else { return (left, right) }
    let level = max(first, second)
    return (left.aligned(to: level), right.aligned(to: level))
  }
}

extension Row {
  /// The expression that a closure makes for the row of a query.
  static func expression<Value>(_ body: (Row) -> Expr<Value>) -> Expr<Value> {
    let level = RowLevels.level(inside: nil)
    let expression = RowLevels.with(level) { body(Row(level: level)) }.aligned(to: level)
    precondition(
      expression.starts(at: ObjectIdentifier(Element.self)),
      "A query of \(Element.self) names the row of another query. It may name its own row and what that links to."
    )
    return expression
  }

  /// The filter that a closure makes for the row of a query.
  static func filter(_ condition: (Row) -> Expr<Bool>) -> ConditionTree { expression(condition).filter }
}

extension Expr {
  /// The same value for the row at a level.
  func aligned(to level: Int) -> Expr {
    guard let own = self.level, own != level else { return self }
    precondition(own < level, "A condition names the row of a closure that has returned.")
    return lifted(by: level - own, to: level)
  }

  /// The same value for a row some levels further in, where it is read from a row around that one.
  ///
  /// - Parameter level: the level of that row.
  func lifted(by levels: Int, to level: Int) -> Expr {
    guard levels > 0, self.level != nil else { return self }
    let accessor = accessor
    let lifted = Accessor<Value>.function { _, context in
      let (row, context) = context.around(levels)
      return accessor.read(row, context)
    }
    let source: ExprSource =
      switch source {
      case .condition(let filter): .condition(filter.lifted(by: levels))
      case .path(let path): .path(path.lifted(by: levels))
      }
    return Expr(source: source, accessor: lifted, level: level)
  }

  /// Whether it starts from rows of a type alone, as far as their types are known.
  fileprivate func starts(at type: ObjectIdentifier) -> Bool {
    switch source {
    case .path(let path): path.starts(at: type)
    case .condition(let filter): !filter.contains { !$0.term.starts(at: type) }
    }
  }
}

extension ConditionTree {
  /// Whether it reads rows around the one that it tests.
  var readsOuter: Bool { contains { $0.term.readsOuter } }

  /// Whether its own rows, not those around them, are of a type, as far as their types are known.
  func isAboutRows(of type: ObjectIdentifier) -> Bool {
    !contains { !$0.term.allRows { level, found in level > 0 || found == nil || found == type } }
  }

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
      }, candidates: nil, isConsistent: isConsistent)
  }
}
