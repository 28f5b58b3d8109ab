extension FilterParser {
  /// Reads `relation[options] operand` after a left operand, or `NOT relation …` or `IS NULL`.
  mutating func comparison(
    _ left: FilterSyntax.Operand
  ) throws(FilterSyntaxError) -> FilterSyntax {
    let column = token.column
    if token.isKeyword("IS") { return .comparison(try nullTest(left)) }
    let isNegated = token.isKeyword("NOT")
    if isNegated { try advance() }
    let relation = try relation()
    let options = try options(for: relation)
    let right = try rightOperand(of: relation)
    let comparison = FilterSyntax.Comparison(
      left: left, relation: relation, options: options, right: right, column: column)
    return isNegated ? .not(.comparison(comparison), column: column) : .comparison(comparison)
  }

  /// Reads `IS NULL` or `IS NOT NULL`.
  private mutating func nullTest(
    _ left: FilterSyntax.Operand
  ) throws(FilterSyntaxError) -> FilterSyntax.Comparison {
    let column = token.column
    try advance()
    let isNegated = token.isKeyword("NOT")
    if isNegated { try advance() }
    let right = try primary()
    guard case .literal(.null, _) = right else {
      throw error(
        "IS is followed by NULL or NOT NULL", at: column, suggestion: isNegated ? "!=" : "==")
    }
    return .init(
      left: left, relation: isNegated ? .notEqual : .equal, options: [], right: right, column: column)
  }

  private mutating func relation() throws(FilterSyntaxError) -> RelationalOperator {
    let relation: RelationalOperator? =
      if case .symbol(let symbol) = token.kind {
        FilterWords.symbols[symbol]
      } else {
        token.keyword.flatMap { FilterWords.relations[$0] }
      }
    guard let relation else { throw error("expected a comparison operator, found \(token)") }
    try advance()
    return relation
  }

  /// Reads `[cd]`, if it is next.
  private mutating func options(
    for relation: RelationalOperator
  ) throws(FilterSyntaxError) -> TextOptions {
    guard token.isSymbol("[") else { return [] }
    // A path may begin with a key.
    if relation != .in, relation != .between, case .literal(.text)? = following()?.kind { return [] }
    if relation == .between {
      throw error("BETWEEN needs a list {lower, upper}, found [")
    }
    if relation == .in, following()?.isOptions != true { throw error("IN needs a list {…}, found [") }
    try advance()
    guard case .word(let steps, isQuoted: false) = token.kind, steps.count == 1 else {
      throw error("expected the options c, d or cd, found \(token); a list is written {1, 2}")
    }
    var options: TextOptions = []
    for letter in steps[0].lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw error("the option [\(steps[0])] is not supported here; there are c, d and cd")
      }
    }
    try advance()
    try expect("]", "expected ] after the options")
    return options
  }

  private mutating func rightOperand(
    of relation: RelationalOperator
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    switch relation {
    case .between:
      guard token.isSymbol("{") else {
        if let operand = try substitute() { return operand }
        return try bounds()
      }
      let list = try list()
      if case .list(let bounds, let column) = list, bounds.count != 2 {
        throw error("BETWEEN needs two bounds {lower, upper}, found \(bounds.count)", at: column)
      }
      return list
    case .in where token.isSymbol("("): return try list()
    case .in:
      let right = try operand()
      if case .arithmetic(_, _, _, let column) = right {
        throw error("IN needs a list {…}, found a number that is computed", at: column)
      }
      return right
    default: return try operand()
    }
  }

  /// Reads `lower AND upper`.
  private mutating func bounds() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let (column, found) = (token.column, token)
    var bounds: [FilterSyntax.Operand] = []
    for isUpper in [false, true] {
      if isUpper {
        guard token.isKeyword("AND") else { throw error("expected AND between two bounds, found \(token)") }
        try advance()
      }
      guard !token.isSymbol("("), case let bound = try operand(), case .literal = bound else {
        throw error(
          "BETWEEN needs two values, as {lower, upper} or lower AND upper, found \(found)", at: column)
      }
      bounds.append(bound)
    }
    return .list(bounds, column: column)
  }
}

extension FilterToken {
  /// Whether it is a word of the letters of options.
  fileprivate var isOptions: Bool { keyword.map { $0.allSatisfy { $0 == "C" || $0 == "D" } } ?? false }
}
