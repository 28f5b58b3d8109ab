/// A text filter as written: the parser's tree, before anything is resolved.
///
/// Every node carries the column (in characters, counted from 1) that errors about it should name. `AND` and
/// `OR` hold any number of members, so that a chain is as deep as one node however long it is; what nests
/// (parentheses, `NOT`) is bounded by the parser, so that walks over the tree may recurse.
///
/// ```
/// status == "open" AND (priority >= 2 OR NOT owner == nil)
///
///   and ─┬─ comparison  keyPath status   equal            literal "open"
///        └─ or ─┬─ comparison  keyPath priority  greaterOrEqual  literal 2
///               └─ not ── comparison  keyPath owner  equal  literal null
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
    package let relation: Relation
    /// How texts are compared, `[cd]`.
    package let options: TextOptions
    /// The operand after the operator; a list of two for `between`.
    package let right: Operand
    /// The column of the operator.
    package let column: Int
  }

  /// The relation of a comparison's operands.
  package enum Relation: String, Hashable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case `in` = "IN"
    case between = "BETWEEN"
  }

  /// A side of a comparison.
  package indirect enum Operand: Hashable, Sendable {
    /// A string, number, `true`, `false` or `nil`.
    case literal(JSONValue, column: Int)
    /// The steps of `address.city`.
    case keyPath([String], column: Int)
    /// Values in braces, `{1, 2, 3}`.
    case list([Operand], column: Int)

    /// The column at which the operand begins.
    package var column: Int {
      switch self {
      case .literal(_, let column), .keyPath(_, let column), .list(_, let column): column
      }
    }
  }
}
