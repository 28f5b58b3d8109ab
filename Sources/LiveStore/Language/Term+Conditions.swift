// What a condition requires of a value, for all that looks for the rows that can meet it.

/// The values at a path that lie between bounds.
struct TermBounds {
  let path: Term
  var lower: ValueBound<Constant>?
  var upper: ValueBound<Constant>?
}

/// The values at a path that are listed, or all others.
struct TermList {
  let path: Term
  let values: [Constant]
  /// Whether the condition names a list, and not one value.
  let isListed: Bool
  /// Whether all values but these are meant.
  let isExcluding: Bool
}

extension Term {
  /// The bounds between which a condition requires a value to be; nil for any other condition.
  var bounds: TermBounds? {
    switch self {
    case .compare(let path, .less, let value): TermBounds(path: path, upper: .exclusive(value))
    case .compare(let path, .lessOrEqual, let value): TermBounds(path: path, upper: .inclusive(value))
    case .compare(let path, .greater, let value): TermBounds(path: path, lower: .exclusive(value))
    case .compare(let path, .greaterOrEqual, let value): TermBounds(path: path, lower: .inclusive(value))
    case .range(let path, let lower, let upper): TermBounds(path: path, lower: lower, upper: upper)
    default: nil
    }
  }

  /// The constants of which a condition requires a value to be one, or none; nil for any other condition.
  var list: TermList? {
    switch self {
    case .compare(let path, .equal, let value):
      TermList(path: path, values: [value], isListed: false, isExcluding: false)
    case .compare(let path, .notEqual, let value):
      TermList(path: path, values: [value], isListed: false, isExcluding: true)
    case .member(let path, let values):
      TermList(path: path, values: values.members, isListed: true, isExcluding: false)
    default: nil
    }
  }

  /// The values that a condition compares with constants or with each other; empty for any other condition.
  var comparedTerms: [Term] {
    switch self {
    case .compare(let path, _, _), .range(let path, _, _), .member(let path, _): [path]
    case .compareTerms(let left, _, let right): [left, right]
    default: []
    }
  }

  /// Whether a condition of this form is consistent, whatever its candidates are; nil if these decide.
  ///
  /// - Parameter isKnown: whether equality of constants is known to be consistent.
  func isConsistent(_ isKnown: (Constant) -> Bool) -> Bool? {
    switch self {
    case .text, .link, .pair: true
    case .closure, .predicate: false
    case .compare(_, .notEqual, let value): isKnown(value)
    default: nil
    }
  }

  /// Whether all constants pass a test; of a list, whose constants are of one type, the first.
  func allConstants(_ test: (Constant) -> Bool) -> Bool {
    let constant: Constant? =
      switch self {
      case .constant(let value), .comparator(let value), .key(_, let value), .compare(_, _, let value),
        .link(_, let value), .contains(_, let value), .relevance(_, let value):
        value
      case .range(_, let lower, _): lower.value
      case .member(_, let values): values.members.first
      default: nil
      }
    if let constant, !test(constant) { return false }
    return !anyPart { !$0.allConstants(test) }
  }
}
