extension FilterParser {
  /// Reads `operand relation[options] operand`.
  mutating func comparison() throws(FilterSyntaxError) -> FilterSyntax.Comparison {
    let left = try operand(isLeft: true)
    let column = token.column
    let relation = try relation(after: left)
    let options = try options(for: relation)
    let right = try rightOperand(of: relation)
    return .init(left: left, relation: relation, options: options, right: right, column: column)
  }

  private mutating func relation(
    after left: FilterSyntax.Operand
  ) throws(FilterSyntaxError) -> FilterSyntax.Relation {
    if case .symbol(let symbol) = token.kind, let relation = FilterWords.symbols[symbol] {
      try advance()
      return relation
    }
    if let word = token.keyword {
      if let relation = FilterWords.relations[word] {
        try advance()
        return relation
      }
      if FilterWords.unsupportedRelations.contains(word) { throw error("\(word) is not supported here") }
      if word == "NOT" { throw error("NOT stands before the whole comparison: NOT \(left) IN {…}") }
    }
    var suggestion: String?
    if case .word(let steps, _) = token.kind {
      suggestion = FilterWords.suggestion(
        for: steps.joined(separator: "."), among: FilterWords.relations.keys.sorted())
    }
    throw error("expected a comparison operator after \(left), found \(token)", suggestion: suggestion)
  }

  /// Reads `[cd]`, if it is next.
  private mutating func options(
    for relation: FilterSyntax.Relation
  ) throws(FilterSyntaxError) -> TextOptions {
    guard token.isSymbol("[") else { return [] }
    switch relation {
    case .equal, .notEqual, .contains, .beginsWith, .endsWith: break
    default: throw error("options in [ ] are not supported here, after \(relation.rawValue)")
    }
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
    guard token.isSymbol("]") else { throw error("expected ] after the options, found \(token)") }
    try advance()
    return options
  }

  private mutating func rightOperand(
    of relation: FilterSyntax.Relation
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    guard relation == .in || relation == .between else { return try operand(isLeft: false) }
    guard token.isSymbol("{") else {
      if relation == .between { throw error("BETWEEN needs a list {lower, upper}, found \(token)") }
      if token.isSymbol("(") || token.isSymbol("[") { throw error("IN needs a list {…}, found \(token)") }
      return try operand(isLeft: false)
    }
    let list = try list()
    if relation == .between, case .list(let bounds, let column) = list, bounds.count != 2 {
      throw error("BETWEEN needs two bounds {lower, upper}, found \(bounds.count)", at: column)
    }
    return list
  }
}
