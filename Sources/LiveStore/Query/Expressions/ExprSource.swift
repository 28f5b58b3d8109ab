/// The meaning of an expression, without its type.
@usableFromInline
package enum ExprSource: Sendable {
  case path(PropertyPath)
  case condition(ConditionTree)

  func appending(_ members: PropertyPath) -> ExprSource {
    switch self {
    case .path(let path): .path(path.appending(members))
    case .condition: self
    }
  }

  func appending(_ name: String) -> ExprSource {
    switch self {
    case .path(let path): .path(path.appending(name))
    case .condition: self
    }
  }
}

extension ExprSource {
  /// The property that an expression reads; conditions inside comparisons have none.
  var path: PropertyPath? {
    if case .path(let path) = self { path } else { nil }
  }
}
