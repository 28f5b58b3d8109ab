/// An operator that relates two values, as a text filter writes it.
package enum RelationalOperator: String, Hashable, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contains = "CONTAINS"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
  /// A search for words.
  case text = "TEXT"
  case `in` = "IN"
  case between = "BETWEEN"
}

extension RelationalOperator {
  package init(_ comparison: Comparison) {
    self =
      switch comparison {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }

  package init(_ test: TextTest) {
    self =
      switch test {
      case .contains: .contains
      case .beginsWith: .beginsWith
      case .endsWith: .endsWith
      case .equals: .equal
      case .like: .like
      case .matches: .matches
      }
  }

  /// The operator of typed expressions; nil if there is none.
  package var comparison: Comparison? { Comparison(rawValue: rawValue) }

  /// The operator as a test of text, if it is one.
  package var textTest: TextTest? {
    switch self {
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    default: nil
    }
  }

  /// The operator with its sides exchanged; nil if there is none.
  var flipped: RelationalOperator? { comparison.map { RelationalOperator($0.flipped) } }

  /// Whether it looks for a part of a text or of data.
  package var isTestOfParts: Bool { textTest?.holdsForMissingPart ?? false }
}

/// How many of several values must be in a relation.
package enum FilterQuantifier: String, Hashable, Sendable {
  case any = "ANY"
  case all = "ALL"
  case noElement = "NONE"
}

/// A relation of two values that are read at run time, or of several.
package struct TermRelation: Hashable, Sendable {
  package let `operator`: RelationalOperator
  package let options: TextOptions
  /// How many of the values on the left side must be in the relation; nil where none is named.
  package let left: FilterQuantifier?
  /// The same for the right side.
  package let right: FilterQuantifier?

  package init(
    _ operator: RelationalOperator, _ options: TextOptions = [], left: FilterQuantifier? = nil,
    right: FilterQuantifier? = nil
  ) {
    self.operator = `operator`
    self.options = options
    self.left = left
    self.right = right
  }
}
