// The grammar, by precedence climbing (Pratt, "Top Down Operator Precedence", 1973) with one token of lookahead.
// What binds tighter stands lower:
//
//   OR  ||
//   AND  &&
//   NOT  !
//   == != < <= > >= CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES IN BETWEEN, with [options];
//   as in SQL also NOT IN (…), BETWEEN a AND b, IS NULL, IS NOT NULL
//   + -
//   * /
//   **
//   literal | path | list | function | SUBQUERY(path, $name, filter).@count | "(" expression ")"
//
// A parenthesis holds a filter or an operand, which decides what may follow it, so one function reads both.

/// Parses a text into a ``FilterSyntax``.
struct FilterParser {
  /// How deep parentheses, `NOT` and signs may nest, so that reading and evaluating fit on the stack of a small thread
  /// (F4).
  static let maximumDepth = 64
  /// How many operations an operand may have, one on the result of another, and steps a path.
  static let maximumOperations = 200
  /// How many characters a filter may have.
  static let maximumLength = 10_000_000

  private var lexer: FilterLexer
  /// The next token.
  private(set) var token: FilterToken
  private var depth = 0
  /// How many levels of operations, functions and subqueries the operand read last has.
  private(set) var height = 0
  /// The most levels that an operand of the filter has.
  var tallest = 0
  /// How many arguments without a number were read.
  var arguments = 0
  /// How deep this text may nest.
  private let maximumDepth: Int
  private let maximumOperations: Int
  /// The limit of depth, if the text was given one.
  private let depthLimit: StoreError.Limit?

  init(_ text: String, _ limits: FilterLimits = .none) throws(FilterSyntaxError) {
    let maximumLength = min(limits.maximumLength ?? .max, Self.maximumLength)
    guard text.utf8.count <= maximumLength else {
      throw FilterSyntaxError(
        column: 1, message: "a filter of more than \(maximumLength) bytes",
        limit: limits.maximumLength == nil ? nil : .length)
    }
    maximumDepth = min(limits.maximumDepth ?? .max, Self.maximumDepth)
    maximumOperations = min(limits.maximumDepth ?? .max, Self.maximumOperations)
    depthLimit = limits.maximumDepth == nil ? nil : .depth
    lexer = FilterLexer(text)
    token = try lexer.token()
  }

  /// Moves to the next token.
  mutating func advance() throws(FilterSyntaxError) {
    token = try lexer.token()
  }

  /// The token after the next one, or one further behind it; nil if there is no valid one.
  func following(_ distance: Int = 1) -> FilterToken? {
    var lexer = lexer
    for _ in 1..<distance where (try? lexer.token()) == nil { return nil }
    return try? lexer.token()
  }

  /// An error at the next token, or at a given column.
  func error(_ message: String, at column: Int? = nil, suggestion: String? = nil) -> FilterSyntaxError {
    FilterSyntaxError(column: column ?? token.column, message: message, suggestion: suggestion)
  }

  /// Moves past a bracket or comma.
  mutating func expect(_ symbol: String, _ message: @autoclosure () -> String) throws(FilterSyntaxError) {
    guard token.isSymbol(symbol) else { throw error("\(message()), found \(token)") }
    try advance()
  }
}

extension FilterSyntax {
  /// Reads a filter such as `status == "open" AND priority >= 2`.
  ///
  /// - Complexity: O(length of the text)
  package init(parsing text: String, limits: FilterLimits = .none) throws(FilterSyntaxError) {
    var parser = try FilterParser(text, limits)
    self = try parser.wholeFilter()
    guard parser.token.kind == .end else { throw parser.unexpectedAfterFilter() }
  }
}

extension FilterParser {
  /// How strongly operators bind.
  enum Precedence: Int, Comparable {
    case or, and, not, comparison, sum, product, power

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }
    /// For the right operand of an operator that is read from left to right.
    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .power }
  }

  /// What a part of the text is.
  enum Part {
    case filter(FilterSyntax)
    case operand(FilterSyntax.Operand)
  }

  /// Reads a filter up to its end or to what may follow one.
  mutating func wholeFilter() throws(FilterSyntaxError) -> FilterSyntax {
    if token.kind == .end { throw error("the filter is empty") }
    return try filter(.or)
  }

  /// Reads a filter whose operators bind at least so strongly.
  mutating func filter(_ minimum: Precedence) throws(FilterSyntaxError) -> FilterSyntax {
    let part = try part(minimum)
    return try requireFilter(part)
  }

  /// Reads an operand whose operators bind at least so strongly.
  mutating func operand(_ minimum: Precedence = .sum) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    guard case .operand(let operand) = try part(minimum) else {
      throw error("expected a value or a key path, found a condition", at: column)
    }
    return operand
  }

  /// Reads a filter or an operand.
  mutating func part(_ minimum: Precedence) throws(FilterSyntaxError) -> Part {
    var left = try prefix()
    // The chain that this call has begun, which further members join; one in parentheses is a member.
    var isChain = false
    while let precedence, precedence >= minimum {
      let column = token.column
      switch precedence {
      case .or, .and:
        let isAnd = precedence == .and
        var members = [try requireFilter(left)]
        while self.precedence == precedence {
          try advance()
          members.append(try filter(precedence.next))
        }
        left = .filter(isAnd ? .and(members, column: column) : .or(members, column: column))
      case .not, .comparison:
        guard case .operand(let operand) = left, !isChain else { throw unexpectedAfterFilter() }
        left = .filter(try comparison(operand))
        isChain = true
      case .sum, .product, .power:
        guard case .operand(let operand) = left else { throw unexpectedAfterFilter() }
        left = .operand(try arithmetic(operand, precedence))
      }
    }
    return left
  }

  /// How strongly the next token binds as an operator between two parts; nil if it is none.
  private var precedence: Precedence? {
    switch token.kind {
    case .symbol("||"): .or
    case .symbol("&&"): .and
    case .symbol("+"), .symbol("-"): .sum
    case .symbol("*"), .symbol("/"): .product
    case .symbol("**"): .power
    case .symbol(let symbol): FilterWords.symbols[symbol] == nil ? nil : .comparison
    case .word:
      switch token.keyword {
      case "OR": .or
      case "AND": .and
      case "IS": .comparison
      case "NOT": following()?.keyword.flatMap { FilterWords.relations[$0] } == nil ? nil : .comparison
      case let word?: FilterWords.relations[word] == nil ? nil : .comparison
      case nil: nil
      }
    default: nil
    }
  }

  /// Reads the part before the first operator.
  private mutating func prefix() throws(FilterSyntaxError) -> Part {
    let column = token.column
    if token.isKeyword("TRUEPREDICATE") || token.isKeyword("FALSEPREDICATE") {
      let value = token.isKeyword("TRUEPREDICATE")
      try advance()
      return .filter(.constant(value, column: column))
    }
    if token.isKeyword("NOT") || token.isSymbol("!") {
      return .filter(
        .not(
          try nested { parser throws(FilterSyntaxError) in
            try parser.advance()
            return try parser.filter(.not)
          }, column: column))
    }
    guard token.isSymbol("(") else { return .operand(try primary()) }
    return try nested { parser throws(FilterSyntaxError) in
      try parser.advance()
      let inner = try parser.part(.or)
      guard parser.token.isSymbol(")") else {
        if parser.token.kind == .end { throw parser.error("the parenthesis has no closing )", at: column) }
        throw parser.unexpected(after: inner)
      }
      try parser.advance()
      return inner
    }
  }

  /// Sets the height of the operand read last: 0, or one more than those of its parts.
  mutating func setHeight(_ height: Int) throws(FilterSyntaxError) {
    guard height <= maximumOperations else {
      throw tooDeep("more than \(maximumOperations) operations in an operand")
    }
    self.height = height
    tallest = max(tallest, height)
  }

  /// Reads something one level deeper.
  mutating func nested<Result>(
    _ read: (inout FilterParser) throws(FilterSyntaxError) -> Result
  ) throws(FilterSyntaxError) -> Result {
    guard depth < maximumDepth else {
      throw tooDeep("more than \(maximumDepth) levels of parentheses and NOT")
    }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private func tooDeep(_ message: String) -> FilterSyntaxError {
    FilterSyntaxError(column: token.column, message: message, limit: depthLimit)
  }

  private func requireFilter(_ part: Part) throws(FilterSyntaxError) -> FilterSyntax {
    guard case .filter(let filter) = part else { throw unexpected(after: part) }
    return filter
  }

  private func unexpected(after part: Part) -> FilterSyntaxError {
    switch part {
    case .filter: unexpectedAfterFilter()
    case .operand(let operand): unexpectedAfterOperand(operand)
    }
  }
}
