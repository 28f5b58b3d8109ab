extension FilterParser {
  /// An error for a token that continues neither a comparison nor a chain of them.
  func unexpectedAfterFilter() -> FilterSyntaxError {
    if token.isSymbol(")") { return error("there is no ( for this )") }
    if case .symbol(let symbol) = token.kind, FilterWords.symbols[symbol] != nil {
      return error("comparisons cannot be chained; join two of them by AND, or use BETWEEN {a, b}")
    }
    if let word = token.keyword, FilterWords.steps.contains(word) {
      return error("\(word) is a step of a query and no part of a filter")
    }
    let suggestion = token.keyword.flatMap { FilterWords.suggestion(for: $0, among: ["AND", "OR"]) }
    return error("expected AND, OR or the end, found \(token)", suggestion: suggestion)
  }

  /// An error for a token after an operand that is no operator.
  func unexpectedAfterOperand(_ operand: FilterSyntax.Operand) -> FilterSyntaxError {
    let written = operand.isBracketed ? "the operand" : "\(operand)"
    if let word = token.keyword {
      if FilterWords.unsupportedRelations.contains(word) { return error("\(word) is not supported here") }
      if word == "NOT" { return error("NOT stands before a condition, or before IN, BETWEEN and the like") }
    }
    var suggestion: String?
    if case .word(let steps, _) = token.kind {
      suggestion = FilterWords.suggestion(
        for: steps.joined(separator: "."), among: FilterWords.relations.keys.sorted())
    }
    return error(
      "expected a comparison operator after \(written), found \(token)", suggestion: suggestion)
  }

  /// An error for a symbol where an operand should begin.
  func unexpectedSymbol(_ symbol: String) -> FilterSyntaxError {
    error("expected a value or a key path, found \(token)")
  }
}

extension FilterSyntax.Operand {
  fileprivate var isBracketed: Bool {
    switch self {
    case .arithmetic, .list, .subquery: true
    default: false
    }
  }
}
