/// An expression, whatever the type of its values.
protocol AnyExpression {
  /// Whether its value is the same for two rows; nil if its values cannot be compared.
  var isSame: (@Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool)? { get }
  /// The name of the property that it reads or that its links start from.
  var propertyName: String? { get }
  /// The values that it names which are read over links.
  var named: [NamedValue] { get }
  /// Tests whether the link that its path begins with is the same for two rows; none if it begins with a value.
  var linkTests: [SameTest] { get }
}

extension Expr: AnyExpression {
  var propertyName: String? { term.propertyName }
  var linkTests: [SameTest] {
    // The first hop of a path is over a property of the row itself, unless it goes backward.
    Set(term.chains.compactMap(\.hops.first)).filter { !$0.isBackward }.map(\.isSame)
  }

  var isSame: (@Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool)? {
    guard let isSame = ValueEquality<Value>() else { return nil }
    let accessor = accessor
    return { isSame(accessor.read($0, $1), accessor.read($2, $3)) }
  }
}
