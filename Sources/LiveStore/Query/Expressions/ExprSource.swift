/// The meaning of an expression, without its type.
package enum ExprSource: Sendable {
  case path(Term)
  case condition(ConditionTree)

  /// The source of a value that is read or computed from this one; a condition stays unchanged.
  func map(_ body: (Term) -> Term) -> ExprSource {
    switch self {
    case .path(let path): .path(body(path))
    case .condition: self
    }
  }
}

extension ExprSource {
  /// The property that an expression reads; conditions inside comparisons have none.
  var path: Term? {
    if case .path(let path) = self { path } else { nil }
  }
}
