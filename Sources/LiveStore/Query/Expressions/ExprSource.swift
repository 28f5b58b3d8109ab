/// The meaning of an expression, without its type.
@usableFromInline
package enum ExprSource: Sendable {
  case path(PropertyPath)
  case condition(ConditionTree)

  func appending(_ keyPath: any AnyKeyPath & Sendable) -> ExprSource {
    switch self {
    case .path(let path): .path(path.appending(keyPath))
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
