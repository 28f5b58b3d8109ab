import Foundation

/// A list of values.
protocol FilterElementField: Sendable {
  /// Whether the list holds a value; nil if there is no such typed condition.
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree?
}

extension TypedField: FilterElementField where Value: ElementCollection {
  func contains(_ literal: FilterLiteral) throws(FilterStepError) -> ConditionTree? {
    if case .null = literal { return nil }
    switch Value.Member.self {
    case is String.Type: return try holding(literal, String.self)
    case is Int.Type: return try holding(literal, Int.self)
    case is Double.Type: return try holding(literal, Double.self)
    case is UUID.Type: return try holding(literal, UUID.self)
    case is Date.Type: return try holding(literal, Date.self)
    default: return nil
    }
  }

  /// The condition, if the elements are of this type.
  private func holding<Known: Hashable & Sendable>(
    _ literal: FilterLiteral, _: Known.Type
  ) throws(FilterStepError) -> ConditionTree? {
    guard let element = try FilterConversion.value(of: literal, as: Known.self) else {
      return .constant(false)
    }
    if let expr = expr as? Expr<[Known]> { return expr.contains(element).filter }
    if let expr = expr as? Expr<Set<Known>> { return expr.contains(element).filter }
    if let expr = expr as? Expr<[Known]?> { return expr.contains(element).filter }
    return (expr as? Expr<Set<Known>?>)?.contains(element).filter
  }
}
