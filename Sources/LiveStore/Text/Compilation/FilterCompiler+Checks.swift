import Foundation

extension FilterCompiler.Side {
  /// The side with its values as values of the kind of the other side.
  func converted(to other: Self) throws(FilterSyntaxError) -> Self {
    guard other.isTarget else { return self }
    var side = self
    let kind = other.kind.element
    switch content {
    case .target: return self
    case .literal(let literal): side.content = .literal(try literal.converted(to: kind, column))
    case .list(let literals):
      side.content = .list(
        try literals.map { literal throws(FilterSyntaxError) in try literal.converted(to: kind, column) })
    }
    return side
  }
}

extension FilterLiteral {
  /// The literal as a value of a kind; throws if it is of another kind, and would equal no such value.
  fileprivate func converted(to kind: FilterKind, _ column: Int) throws(FilterSyntaxError) -> FilterLiteral {
    switch (self, kind) {
    case (.null, _), (_, .unknown), (_, .value), (.object, .object): return self
    case (.text(let text), .uuid): if let uuid = UUID(uuidString: text) { return .uuid(uuid) }
    case (.text(let text), .data): return .data(Data(text.utf8))
    case (.number(let number), .bool) where number.integer == 0 || number.integer == 1:
      return .bool(number.integer == 1)
    case (_, .object): return self
    default: break
    }
    if case .value = self { return self }
    guard FilterKind(self) == kind else {
      throw FilterSyntaxError(
        column: column, message: "\(kind.described) cannot be compared with \(FilterKind(self).described)")
    }
    return self
  }
}

extension FilterCompiler {
  /// Checks whether the kinds of both sides suit the relation.
  func check(_ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side) throws(FilterSyntaxError) {
    let isDynamic = Element.self is any DynamicEntity.Type || Element.self == JSONElement.self
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
    case .text:
      guard case .literal(.text) = right.content else {
        throw FilterSyntaxError(column: right.column, message: "TEXT needs the words to search for in quotes")
      }
      if let object = left.object {
        if object.levels == 0 { return }
        // Its id would be searched.
        throw FilterSyntaxError(
          column: left.column,
          message:
            "TEXT looks for words in the object that its own condition is on; name a property of this one")
      }
      fallthrough
    case .beginsWith, .endsWith, .like, .matches:
      if comparison.relation == .matches { try checkPattern(right) }
      for (side, operand) in [(left, comparison.left), (right, comparison.right)] {
        let isData = ![.like, .matches, .text].contains(comparison.relation)
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
    try checkOptions(comparison, left, right)
    try checkKinds(comparison, left, right)
  }

  /// Options are for text. On other values they are an error rather than without an effect.
  private func checkOptions(
    _ comparison: FilterSyntax.Comparison, _ left: Side, _ right: Side
  ) throws(FilterSyntaxError) {
    if comparison.options.isEmpty { return }
    for (side, operand) in [(left, comparison.left), (right, comparison.right)] where side.isTarget {
      let kind = side.kind.element
      guard kind != .text, kind != .unknown else { continue }
      throw FilterSyntaxError(
        column: comparison.column,
        message: "options in [ ] are for text, and \(operand) is \(kind.described)")
    }
  }

  private func checkPattern(_ side: Side) throws(FilterSyntaxError) {
    let patterns: [FilterLiteral] =
      switch side.content {
      case .literal(let literal): [literal]
      case .list(let literals): literals
      case .target: []
      }
    for case .text(let text) in patterns {
      do throws(PatternError) {
        _ = try RegularPattern(text, isCaseInsensitive: true, isDiacriticInsensitive: true)
      } catch {
        throw FilterSyntaxError(
          column: side.column, message: "\(JSONValue.string(text)) is no regular expression: \(error)")
      }
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
