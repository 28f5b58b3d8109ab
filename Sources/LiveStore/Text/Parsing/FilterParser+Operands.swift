extension FilterParser {
  /// Reads an operand without operators.
  mutating func primary() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    try setHeight(0)
    switch token.kind {
    case .literal(let literal):
      try advance()
      return .literal(literal, column: column)
    case .symbol("+"), .symbol("-"): return try signed()
    case .symbol("{"): return try list()
    case .at, .symbol("["): return .path(try path([]), column: column)
    case .argument(let isPath):
      if isPath { return .path(try path([]), column: column) }
      try advance()
      arguments += 1
      return .argument(arguments - 1, column: column)
    case .word(let steps, let isQuoted): return try word(steps, isQuoted: isQuoted)
    case .symbol(let symbol): throw unexpectedSymbol(symbol)
    case .end: throw error("expected a value or a key path, found \(token)")
    }
  }

  /// Reads the operand after a sign.
  private mutating func signed() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    let isNegative = token.isSymbol("-")
    try advance()
    switch token.kind {
    case .literal(.number(let number)):
      try advance()
      return .literal(.number(isNegative ? -number : number), column: column)
    case .literal(.fraction(let number)):
      try advance()
      return .literal(.fraction(isNegative ? -number : number), column: column)
    case .literal, .end: throw error("expected a number after the sign, found \(token)")
    default: break
    }
    if let value = FilterWords.nonFinite[token.keyword ?? ""] {
      try advance()
      return .literal(FilterLiteral(isNegative ? -value : value), column: column)
    }
    let operand: FilterSyntax.Operand = try nested { parser throws(FilterSyntaxError) in
      try parser.operand(.power)
    }
    try setHeight(height + 1)
    return isNegative
      ? .arithmetic(.subtract, .literal(.number(JSONNumber(0)), column: column), operand, column: column)
      : operand
  }

  /// Reads `operator operand` after a left operand.
  mutating func arithmetic(
    _ left: FilterSyntax.Operand, _ precedence: Precedence
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    guard case .symbol(let symbol) = token.kind, let operation = ArithmeticOperation(rawValue: symbol)
    else { throw unexpectedAfterOperand(left) }
    let (column, leftHeight) = (token.column, height)
    try advance()
    // `**` is read from right to left, which nests.
    let right =
      precedence == .power
      ? try nested { parser throws(FilterSyntaxError) in try parser.operand(.power) }
      : try operand(precedence.next)
    try setHeight(max(leftHeight, height) + 1)
    return .arithmetic(operation, left, right, column: column)
  }

  /// Reads a word that is a literal, or begins a path or another operand.
  private mutating func word(
    _ steps: [String], isQuoted: Bool
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    if isQuoted { return .path(try path([]), column: column) }
    if let literal = literal {
      try advance()
      return .literal(literal, column: column)
    }
    if let quantifier = quantifier(steps) {
      try advance()
      if case .word(let next, isQuoted: false) = token.kind, self.quantifier(next) != nil {
        throw error("\(quantifier.rawValue) is followed by a path or a list, found \(token)")
      }
      return .quantified(quantifier, try primary(), column: column)
    }
    if let operand = try substitute() { return operand }
    if FilterWords.isReserved(steps) {
      let word = steps[0].uppercased()
      throw error("\(word) is a reserved word; write #\(steps.joined(separator: ".")) for a key of that name")
    }
    if following()?.isSymbol("(") ?? false { return try function() }
    return .path(try path([]), column: column)
  }

  private var literal: FilterLiteral? {
    switch token.keyword {
    case "TRUE", "YES": .bool(true)
    case "FALSE", "NO": .bool(false)
    case "NIL", "NULL": .null
    case let word?: FilterWords.nonFinite[word].map { FilterLiteral($0) }
    case nil: nil
    }
  }

  /// A quantifier in one case of letters before an operand. `any == 3` compares a key of that name.
  private func quantifier(_ steps: [String]) -> FilterQuantifier? {
    guard let keyword = token.keyword, let quantifier = FilterWords.quantifiers[keyword],
      steps[0] == keyword || steps[0] == keyword.lowercased()
    else { return nil }
    switch following()?.kind {
    case .word(let next, isQuoted: false):
      return FilterWords.isOperator(next) || isBehindOperand(next) ? nil : quantifier
    case .word: return quantifier
    // `ANY ["a key"]`, but `any["a key"]` and `any [0]` are of a property.
    case .symbol("["):
      guard steps[0] == keyword, case .literal(.text)? = following(2)?.kind else { return nil }
      return quantifier
    case .symbol("{"), .literal, .at, .argument: return quantifier
    default: return nil
    }
  }

  /// Whether a word that may be a name is what follows an operand: TEXT before a text, a step of a query before its keys.
  private func isBehindOperand(_ word: [String]) -> Bool {
    let name = word.count == 1 ? word[0].uppercased() : ""
    switch following(2)?.kind {
    case .literal(.text), .argument(isPath: false): return name == "TEXT"
    case .symbol("("): return FilterWords.steps.contains(name)
    default: return false
    }
  }

  /// Reads a placeholder for a value: `%@`, `$0`, `$name`.
  mutating func substitute() throws(FilterSyntaxError) -> FilterSyntax.Operand? {
    if let argument = try argument() { return argument }
    return try variable()
  }

  /// Reads `$0`, an argument by its number.
  private mutating func argument() throws(FilterSyntaxError) -> FilterSyntax.Operand? {
    let column = token.column
    if case .argument(isPath: false) = token.kind { return try primary() }
    guard case .word(let steps, isQuoted: false) = token.kind, steps.count == 1,
      let number = FilterWords.variable(steps[0]).flatMap({ Int($0) })
    else { return nil }
    try advance()
    return .argument(number, column: column)
  }

  /// Reads `$x.price`, a path from a variable.
  private mutating func variable() throws(FilterSyntaxError) -> FilterSyntax.Operand? {
    let column = token.column
    guard case .word(let steps, isQuoted: false) = token.kind, let name = FilterWords.variable(steps[0]),
      FilterWords.argument(steps[0]) == nil
    else { return nil }
    return .path(try path([], variable: name), column: column)
  }

  /// Reads `{1, "two", nil}`, or the same in parentheses.
  mutating func list() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    let end = token.isSymbol("(") ? ")" : "}"
    var elements: [FilterSyntax.Operand] = []
    try advance()
    while !token.isSymbol(end) {
      if token.kind == .end { throw error("the list has no closing \(end)", at: column) }
      if !elements.isEmpty {
        guard token.isSymbol(",") else { throw error("expected , or \(end) in the list, found \(token)") }
        try advance()
      }
      let element = try nested { parser throws(FilterSyntaxError) in try parser.operand() }
      switch element {
      case .literal, .argument: elements.append(element)
      case .list: throw error("a list within a list is not supported here", at: element.column)
      default:
        throw error("a list holds values; the key path \(element) is not supported here", at: element.column)
      }
    }
    try advance()
    return .list(elements, column: column)
  }
}
