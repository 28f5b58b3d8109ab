/// A text query: a filter and the steps after it, `likeCount > 3 SORT(likeCount DESC) LIMIT(20)`.
package struct QuerySyntax: Hashable, Sendable {
  package let filter: FilterSyntax
  /// The steps in their order.
  package let steps: [Step]

  /// A step of a query after its filter.
  package enum Step: Hashable, Sendable {
    case sort([SortedPath])
    case distinct([FilterPath])
    case offset(Int)
    case limit(Int)
  }

  /// A key of an order.
  package struct SortedPath: Hashable, Sendable {
    package let path: FilterPath
    package let isDescending: Bool
  }

  init(filter: FilterSyntax, steps: [Step]) { (self.filter, self.steps) = (filter, steps) }

  /// Reads a query such as `status == "open" SORT(priority DESC, title ASC) LIMIT(20)`.
  ///
  /// - Complexity: O(length of the text)
  package init(parsing text: String, limits: FilterLimits = .none) throws(FilterSyntaxError) {
    var parser = try FilterParser(text, limits)
    filter = try parser.wholeFilter()
    var steps: [Step] = []
    while let step = try parser.step() { steps.append(step) }
    guard parser.token.kind == .end else { throw parser.unexpectedAfterFilter() }
    self.steps = steps
  }
}

extension FilterParser {
  /// Reads `SORT(path ASC, …)`, `DISTINCT(path, …)` or `LIMIT(number)`; nil if none is next.
  fileprivate mutating func step() throws(FilterSyntaxError) -> QuerySyntax.Step? {
    guard let word = token.keyword, FilterWords.steps.contains(word) else { return nil }
    try advance()
    try expect("(", "expected ( after \(word)")
    let step: QuerySyntax.Step
    switch word {
    case "LIMIT", "OFFSET":
      guard case .literal(.number(let number)) = token.kind,
        let count = number.integer.flatMap({ Int(exactly: $0) })
      else { throw error("\(word) needs a number that is not negative, found \(token)") }
      try advance()
      step = word == "LIMIT" ? .limit(count) : .offset(count)
    case "SORT":
      step = .sort(
        try list { parser throws(FilterSyntaxError) in
          let path = try parser.path([])
          return .init(path: path, isDescending: try parser.isDescending())
        })
    default: step = .distinct(try list { parser throws(FilterSyntaxError) in try parser.path([]) })
    }
    try expect(")", "expected ) after the arguments of \(word)")
    return step
  }

  private mutating func list<Element>(
    _ element: (inout FilterParser) throws(FilterSyntaxError) -> Element
  ) throws(FilterSyntaxError) -> [Element] {
    var elements = [try element(&self)]
    while token.isSymbol(",") {
      try advance()
      elements.append(try element(&self))
    }
    return elements
  }

  private mutating func isDescending() throws(FilterSyntaxError) -> Bool {
    let isDescending: Bool
    switch token.keyword {
    case "ASC", "ASCENDING": isDescending = false
    case "DESC", "DESCENDING": isDescending = true
    default: throw error("expected ASC or DESC, found \(token)")
    }
    try advance()
    return isDescending
  }
}

extension QuerySyntax: CustomStringConvertible {
  /// The query as it could be written, every operation of the filter in parentheses.
  package var description: String { ([filter.description] + steps.map(\.description)).joined(separator: " ") }

  /// The query with few parentheses.
  var text: String { ([filter.text] + steps.map(\.description)).joined(separator: " ") }
}

extension QuerySyntax.Step: CustomStringConvertible {
  /// The step as it could be written.
  package var description: String {
    switch self {
    case .sort(let keys):
      "SORT(\(keys.map { "\($0.path) \($0.isDescending ? "DESC" : "ASC")" }.joined(separator: ", ")))"
    case .distinct(let paths): "DISTINCT(\(paths.map(\.description).joined(separator: ", ")))"
    case .offset(let count): "OFFSET(\(count))"
    case .limit(let count): "LIMIT(\(count))"
    }
  }
}
