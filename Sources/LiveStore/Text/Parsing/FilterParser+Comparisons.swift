extension FilterParser {
  /// Reads `relation[options] operand` after a left operand.
  mutating func comparison(
    _ left: FilterSyntax.Operand
  ) throws(FilterSyntaxError) -> FilterSyntax.Comparison {
    let column = token.column
    let relation = try relation()
    let options = try options(for: relation)
    let right = try rightOperand(of: relation)
    return .init(left: left, relation: relation, options: options, right: right, column: column)
  }

  private mutating func relation() throws(FilterSyntaxError) -> FilterSyntax.Relation {
    let relation: FilterSyntax.Relation? =
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
    for relation: FilterSyntax.Relation
  ) throws(FilterSyntaxError) -> TextOptions {
    guard token.isSymbol("[") else { return [] }
    if relation == .between {
      throw error("BETWEEN needs a list {lower, upper}, found [")
    }
    if relation == .in, following()?.isOptions != true { throw error("IN needs a list {…}, found [") }
    try advance()
    guard case .word(let steps, isQuoted: false) = token.kind, steps.count == 1 else {
      throw error("expected the options c, d or cd, found \(token)")
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
    of relation: FilterSyntax.Relation
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    switch relation {
    case .between:
      guard token.isSymbol("{") else {
        guard let operand = try substitute() else {
          throw error("BETWEEN needs a list {lower, upper}, found \(token)")
        }
        return operand
      }
      let list = try list()
      if case .list(let bounds, let column) = list, bounds.count != 2 {
        throw error("BETWEEN needs two bounds {lower, upper}, found \(bounds.count)", at: column)
      }
      return list
    case .in where token.isSymbol("("): throw error("IN needs a list {…}, found \(token)")
    case .in:
      let right = try operand()
      if case .arithmetic(_, _, _, let column) = right {
        throw error("IN needs a list {…}, found a number that is computed", at: column)
      }
      return right
    default: return try operand()
    }
  }
}

extension FilterToken {
  /// Whether it is a word of the letters of options.
  fileprivate var isOptions: Bool { keyword.map { $0.allSatisfy { $0 == "C" || $0 == "D" } } ?? false }
}
