extension FilterParser {
  /// Reads a side of a comparison.
  mutating func operand(isLeft: Bool) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let operand = try plainOperand(isLeft: isLeft)
    if case .symbol(let symbol) = token.kind {
      switch symbol {
      case "+", "-", "*", "/", "**": throw error("arithmetic (\(symbol)) is not supported here")
      case "[": throw error("indexing with [ ] is not supported here; the first element of a is a.0")
      default: break
      }
    }
    return operand
  }

  private mutating func plainOperand(isLeft: Bool) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    switch token.kind {
    case .string(let text):
      try advance()
      return .literal(.string(text), column: column)
    case .number(let number):
      try advance()
      return .literal(.number(number), column: column)
    case .symbol("+"), .symbol("-"): return try signedNumber()
    case .word(let steps, let isQuoted): return try word(steps, isQuoted: isQuoted, isLeft: isLeft)
    case .symbol(let symbol): throw unexpectedSymbol(symbol)
    case .end: throw error("expected a value or a key path, found \(token)")
    }
  }

  private mutating func signedNumber() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    let isNegative = token.isSymbol("-")
    try advance()
    if case .number(let number) = token.kind {
      try advance()
      return .literal(.number(isNegative ? -number : number), column: column)
    }
    if let word = token.keyword, ["INF", "INFINITY", "NAN"].contains(word) {
      throw error("\(word) is not supported here; JSON has no such number", at: column)
    }
    throw error("expected a number after the sign, found \(token)")
  }

  /// Reads a literal that is a word, or a key path.
  private mutating func word(
    _ steps: [String], isQuoted: Bool, isLeft: Bool
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    if !isQuoted {
      if let literal = try literal(isLeft: isLeft) { return .literal(literal, column: column) }
      try refuseUnsupported(steps)
    }
    try advance()
    if !isQuoted && token.isSymbol("(") {
      throw error("the function \(steps.joined(separator: ".")) is not supported here", at: column)
    }
    return .keyPath(steps, column: column)
  }

  private mutating func literal(isLeft: Bool) throws(FilterSyntaxError) -> JSONValue? {
    let literal: JSONValue
    switch token.keyword {
    case "TRUE": literal = .bool(true)
    case "FALSE": literal = .bool(false)
    case "NIL", "NULL": literal = .null
    case "YES" where !isLeft: literal = .bool(true)
    case "NO" where !isLeft: literal = .bool(false)
    default: return nil
    }
    try advance()
    return literal
  }

  /// Throws for words of the language that are not supported here.
  private func refuseUnsupported(_ steps: [String]) throws(FilterSyntaxError) {
    let first = steps[0].uppercased()
    if FilterWords.isReserved(steps) {
      throw error(
        "\(first) is a reserved word; write #\(steps.joined(separator: ".")) for a key of that name")
    }
    if steps[0].first == "$", steps[0].count > 1, steps[0].dropFirst().allSatisfy(\.isNumber) {
      throw error("the argument \(steps[0]) is not supported here")
    }
    if token.isKeyword("SELF") {
      throw error("SELF is not supported here; write #SELF for a key of that name")
    }
    guard let word = token.keyword, FilterWords.unsupportedModifiers.contains(word) else { return }
    // `any == 3` compares a key of that name; a modifier is followed by an operand.
    switch following()?.kind {
    case .word(let next, let isQuoted):
      if isQuoted || FilterWords.relations[next[0].uppercased()] == nil {
        throw error("\(word) is not supported here")
      }
    case .symbol("{"), .symbol("("), .string, .number: throw error("\(word) is not supported here")
    default: break
    }
  }

  private func unexpectedSymbol(_ symbol: String) -> FilterSyntaxError {
    switch symbol {
    case "{": error("a list is supported only after IN and BETWEEN, not supported here")
    case "@": error("@ is not supported here")
    case "(": error("an operand in parentheses is not supported here")
    case _ where symbol.hasPrefix("%"): error("the argument \(symbol) is not supported here")
    default: error("expected a value or a key path, found \(token)")
    }
  }

  /// Reads `{1, "two", nil}`.
  mutating func list() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    var elements: [FilterSyntax.Operand] = []
    try advance()
    while !token.isSymbol("}") {
      if token.kind == .end { throw error("the list has no closing }", at: column) }
      if !elements.isEmpty {
        guard token.isSymbol(",") else { throw error("expected , or } in the list, found \(token)") }
        try advance()
      }
      let element = try operand(isLeft: false)
      guard case .literal = element else {
        throw error("a list holds values; the key path \(element) is not supported here", at: element.column)
      }
      elements.append(element)
    }
    try advance()
    return .list(elements, column: column)
  }
}
