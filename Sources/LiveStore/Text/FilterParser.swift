// The grammar, by recursive descent with one token of lookahead. What binds tighter stands lower:
//
//   filter      = disjunction end
//   disjunction = conjunction { OR conjunction }          also ||
//   conjunction = negation { AND negation }               also &&
//   negation    = (NOT | !) negation | "(" disjunction ")" | TRUEPREDICATE | FALSEPREDICATE | comparison
//   comparison  = operand relation [ "[" options "]" ] operand
//   operand     = string | [sign] number | true | false | nil | key path | list
//   list        = "{" [ operand { "," operand } ] "}"
//
// Only `negation` recurses, and counts its depth. Arithmetic, functions and aggregates would be further levels and
// cases of `operand`; a parenthesis could then also open an operand, which the token after its end decides.

/// Parses a text into a ``FilterSyntax``.
struct FilterParser {
  /// How deep parentheses and `NOT` may nest.
  static let maximumDepth = 200

  private var lexer: FilterLexer
  /// The next token.
  private(set) var token: FilterToken
  private var depth = 0

  init(_ text: String) throws(FilterSyntaxError) {
    lexer = FilterLexer(text)
    token = try lexer.token()
  }

  /// Moves to the next token.
  mutating func advance() throws(FilterSyntaxError) {
    token = try lexer.token()
  }

  /// The token after the next one, or nil if there is no valid one.
  func following() -> FilterToken? {
    var lexer = lexer
    return try? lexer.token()
  }

  /// An error at the next token, or at a given column.
  func error(_ message: String, at column: Int? = nil, suggestion: String? = nil) -> FilterSyntaxError {
    FilterSyntaxError(column: column ?? token.column, message: message, suggestion: suggestion)
  }
}

extension FilterSyntax {
  /// Reads a filter such as `status == "open" AND priority >= 2`.
  ///
  /// - Complexity: O(length of the text)
  package init(parsing text: String) throws(FilterSyntaxError) {
    var parser = try FilterParser(text)
    self = try parser.filter()
  }
}

extension FilterParser {
  /// Reads a whole text.
  fileprivate mutating func filter() throws(FilterSyntaxError) -> FilterSyntax {
    if token.kind == .end { throw error("the filter is empty") }
    let filter = try disjunction()
    guard token.kind == .end else { throw unexpectedAfterComparison() }
    return filter
  }

  private mutating func disjunction() throws(FilterSyntaxError) -> FilterSyntax {
    let first = try conjunction()
    guard token.isKeyword("OR") || token.isSymbol("||") else { return first }
    let column = token.column
    var members = [first]
    while token.isKeyword("OR") || token.isSymbol("||") {
      try advance()
      members.append(try conjunction())
    }
    return .or(members, column: column)
  }

  private mutating func conjunction() throws(FilterSyntaxError) -> FilterSyntax {
    let first = try negation()
    guard token.isKeyword("AND") || token.isSymbol("&&") else { return first }
    let column = token.column
    var members = [first]
    while token.isKeyword("AND") || token.isSymbol("&&") {
      try advance()
      members.append(try negation())
    }
    return .and(members, column: column)
  }

  private mutating func negation() throws(FilterSyntaxError) -> FilterSyntax {
    let column = token.column
    if token.isKeyword("TRUEPREDICATE") || token.isKeyword("FALSEPREDICATE") {
      let value = token.isKeyword("TRUEPREDICATE")
      try advance()
      return .constant(value, column: column)
    }
    let isNot = token.isKeyword("NOT") || token.isSymbol("!")
    guard isNot || token.isSymbol("(") else { return .comparison(try comparison()) }
    guard depth < Self.maximumDepth else {
      throw error("more than \(Self.maximumDepth) levels of parentheses and NOT")
    }
    depth += 1
    defer { depth -= 1 }
    try advance()
    if isNot { return .not(try negation(), column: column) }
    let group = try disjunction()
    guard token.isSymbol(")") else {
      if token.kind == .end { throw error("the parenthesis has no closing )", at: column) }
      throw unexpectedAfterComparison()
    }
    try advance()
    return group
  }

  /// An error for a token that continues neither a comparison nor a chain of them.
  private func unexpectedAfterComparison() -> FilterSyntaxError {
    if token.isSymbol(")") { return error("there is no ( for this )") }
    if case .symbol(let symbol) = token.kind, FilterWords.symbols[symbol] != nil {
      return error("comparisons cannot be chained; join two of them by AND, or use BETWEEN {a, b}")
    }
    if let word = token.keyword, FilterWords.unsupportedSuffixes.contains(word) {
      return error("\(word) is not supported here")
    }
    let suggestion = token.keyword.flatMap { FilterWords.suggestion(for: $0, among: ["AND", "OR"]) }
    return error("expected AND, OR or the end, found \(token)", suggestion: suggestion)
  }
}
