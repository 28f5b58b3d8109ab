extension FilterCompiler {
  /// Checks whether the kinds of both sides suit the relation.
  func check(_ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side) throws(FilterSyntaxError) {
    let isDynamic = Element.self is any DynamicEntity.Type
    if !left.isTarget, !right.isTarget, !isDynamic {
      throw FilterSyntaxError(
        column: left.column, message: "two values are compared; one side must be a property")
    }
    switch comparison.relation {
    case .in:
      let isList = right.kind.isList || right.kind == .unknown || right.quantifier != nil
      guard isList else {
        throw FilterSyntaxError(
          column: right.column,
          message: "IN needs several values, and \(comparison.right) is \(right.kind.described)")
      }
    case .between:
      guard case .list(let bounds) = right.content, bounds.count == 2 else {
        throw FilterSyntaxError(column: right.column, message: "BETWEEN needs two bounds {lower, upper}")
      }
    case .beginsWith, .endsWith, .like, .matches:
      if comparison.relation == .matches { try checkPattern(right) }
      for (side, operand) in [(left, comparison.left), (right, comparison.right)] {
        let isData = comparison.relation != .like && comparison.relation != .matches
        switch side.kind.element {
        case .text, .unknown: break
        case .data where isData: break
        default:
          throw FilterSyntaxError(
            column: side.column,
            message: "\(comparison.relation.rawValue) compares text, and \(operand) is \(side.kind.described)"
          )
        }
      }
    default: break
    }
    try checkKinds(comparison, left, right)
  }

  private func checkPattern(_ side: Side) throws(FilterSyntaxError) {
    guard case .literal(.text(let text)) = side.content else { return }
    do throws(PatternError) {
      _ = try RegularPattern(text)
    } catch {
      throw FilterSyntaxError(
        column: side.column, message: "\(JSONValue.string(text)) is no regular expression: \(error)")
    }
  }

  /// Two sides with different kinds of values are never equal; that is an error rather than an empty result.
  private func checkKinds(
    _ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side
  ) throws(FilterSyntaxError) {
    guard left.isTarget, right.isTarget else { return }
    let kinds = (left.kind.element, right.kind.element)
    if kinds.0 == kinds.1 || kinds.0 == .unknown || kinds.1 == .unknown { return }
    throw FilterSyntaxError(
      column: comparison.column,
      message:
        "\(comparison.left) is \(kinds.0.described) and cannot be compared with \(comparison.right), \(kinds.1.described)"
    )
  }
}
