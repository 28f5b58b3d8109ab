/// A text filter as written: the parser's tree, before anything is resolved.
///
/// Every node carries the column (in characters, counted from 1) that errors about it should name. `AND` and
/// `OR` hold any number of members, so that a chain is as deep as one node however long it is; what nests
/// (parentheses, `NOT`) is bounded by the parser, so that walks over the tree may recurse.
///
/// ```
/// status == "open" AND (priority >= 2 OR NOT owner == nil)
///
///   and ─┬─ comparison  path status   equal            literal "open"
///        └─ or ─┬─ comparison  path priority  greaterOrEqual  literal 2
///               └─ not ── comparison  path owner  equal  literal null
/// ```
package indirect enum FilterSyntax: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE`.
  case constant(Bool, column: Int)
  /// `NOT member`.
  case not(FilterSyntax, column: Int)
  /// `member AND member …`, at least two; the column is that of the first `AND`.
  case and([FilterSyntax], column: Int)
  /// `member OR member …`, at least two; the column is that of the first `OR`.
  case or([FilterSyntax], column: Int)
  /// Two operands and the relation between them.
  case comparison(Comparison)
}

extension FilterSyntax {
  /// Two operands and the relation between them: `left relation[options] right`.
  package struct Comparison: Hashable, Sendable {
    /// The operand before the operator.
    package let left: Operand
    /// The relation that must hold between the operands.
    package let relation: RelationalOperator
    /// How texts are compared, `[cd]`.
    package let options: TextOptions
    /// The operand after the operator; a list of two for `between`.
    package let right: Operand
    /// The column of the operator.
    package let column: Int
  }

  /// A side of a comparison.
  package indirect enum Operand: Hashable, Sendable {
    /// A value that the text gives.
    case literal(FilterLiteral, column: Int)
    /// `address.city`, `items.@count`.
    case path(FilterPath, column: Int)
    /// Values in braces, `{1, 2, 3}`.
    case list([Operand], column: Int)
    /// `ANY scores`, `ALL {1, 2}`, `NONE items.price`.
    case quantified(FilterQuantifier, Operand, column: Int)
    /// `price * 2`.
    case arithmetic(ArithmeticOperation, Operand, Operand, column: Int)
    /// `SUBQUERY(items, $x, $x.price > 5).@count`: how many elements meet a filter.
    case subquery(FilterPath, variable: String, FilterSyntax, column: Int)
    /// `abs(balance)`, `CAST(x, "NSDate")`.
    case function(String, [Operand], column: Int)
    /// `%@` or `$0`: an argument by its number, not yet replaced by its value.
    case argument(Int, column: Int)
  }
}

extension FilterSyntax.Operand {
  /// The column at which the operand begins.
  package var column: Int {
    switch self {
    case .literal(_, let column), .path(_, let column), .list(_, let column), .quantified(_, _, let column),
      .arithmetic(_, _, _, let column), .subquery(_, _, _, let column), .function(_, _, let column),
      .argument(_, let column):
      column
    }
  }
}

extension FilterSyntax.Comparison {
  /// Whether a comparison of a number of objects asks for some of them, or for none; nil if for neither.
  var isExistence: Bool? {
    guard case .literal(.number(let number), _) = right, let limit = number.integer else { return nil }
    return switch (relation, limit) {
    case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): true
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1): false
    default: nil
    }
  }

  /// The relation, where nil takes part: `<=`, `>=` and LIKE ask whether a value is nil.
  var effectiveRelation: RelationalOperator {
    let hasNil = [left, right].contains { if case .literal(.null, _) = $0 { true } else { false } }
    guard hasNil else { return relation }
    return switch relation {
    case .lessOrEqual, .greaterOrEqual, .like: .equal
    default: relation
    }
  }
}
