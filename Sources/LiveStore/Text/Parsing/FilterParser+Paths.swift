extension FilterParser {
  /// Reads a path from its first step: `items[0].price`, `items.@sum.price`, `dict["k"]`.
  mutating func path(
    _ steps: [PathStep], variable: String? = nil
  ) throws(FilterSyntaxError) -> FilterPath {
    var path = FilterPath(steps, variable: variable)
    var isFirst = true
    while true {
      switch token.kind {
      case .word(let names, let isQuoted) where isFirst || isQuoted || !FilterWords.isOperator(names):
        append(names, isQuoted: isQuoted, isFirst: isFirst, to: &path)
        try advance()
      case .at("links"):
        path.steps.append(.name("@links"))
        try advance()
      case .at(let name): path.steps.append(.aggregate(try aggregate(name)))
      case .argument(isPath: true):
        path.steps.append(.argument(arguments))
        arguments += 1
        try advance()
      // A key that is no name may begin a path.
      case .symbol("[") where isFirst && variable == nil: break
      default: throw error("expected a name in a key path", at: token.column)
      }
      isFirst = false
      while token.isSymbol("["), path.steps.count <= Self.maximumOperations {
        path.steps.append(try element())
      }
      guard path.steps.count <= Self.maximumOperations else {
        throw error("more than \(Self.maximumOperations) steps in a path")
      }
      guard token.isSymbol(".") else { return path }
      try advance()
    }
  }

  private func append(_ names: [String], isQuoted: Bool, isFirst: Bool, to path: inout FilterPath) {
    var names = names[...]
    if isFirst, !isQuoted {
      if path.variable != nil || token.isKeyword("SELF") || names[0].uppercased() == "SELF" {
        names.removeFirst()
      }
      if let number = names.first.flatMap(FilterWords.argument) {
        path.steps.append(.argument(number))
        names.removeFirst()
      }
    }
    path.steps += names.map { .name($0) }
  }

  private mutating func aggregate(_ name: String) throws(FilterSyntaxError) -> CollectionFunction {
    let written = name == "size" ? "count" : name
    guard let aggregate = CollectionFunction(rawValue: written) else {
      let names = ["count", "min", "max", "sum", "avg", "isEmpty"]
      throw error(
        "there is no @\(name); a name with @ is written [\"@\(name)\"]",
        suggestion: name == "average"
          ? "@avg" : FilterWords.suggestion(for: name, among: names).map { "@\($0)" })
    }
    try advance()
    return aggregate
  }

  /// Reads `[0]`, `[first]`, `[last]`, `[size]`, `["key"]`, `[*]`.
  private mutating func element() throws(FilterSyntaxError) -> PathStep {
    try advance()
    let step: PathStep
    switch token.kind {
    case .literal(.text(let key)):
      // The key is looked up among names, and hashed.
      if key.hasManyMarks { throw error("a letter of a key has more than \(String.maximumMarks) marks") }
      step = .key(key)
    case .literal(.number(let number)):
      guard let index = number.integer.flatMap({ Int(exactly: $0) }) else {
        throw error("expected the number of an element, found \(number)")
      }
      step = .index(index)
    case .symbol("*"): step = .every
    case .word where token.isKeyword("FIRST"): step = .index(0)
    case .word where token.isKeyword("LAST"): step = .last
    case .word where token.isKeyword("SIZE"): step = .aggregate(.count)
    default:
      throw error("expected the number of an element, FIRST, LAST, SIZE or a key in quotes, found \(token)")
    }
    try advance()
    try expect("]", "expected ] after the element")
    return step
  }

  /// Reads a function with its arguments.
  mutating func function() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    guard case .word(let steps, _) = token.kind else { throw error("expected the name of a function") }
    let name = steps.joined(separator: ".")
    if name.uppercased() == "SUBQUERY" { return try subquery() }
    if FilterWords.steps.contains(name.uppercased()) {
      let step = name.uppercased()
      throw error(
        "\(step) is a step of a query, after its filter; for all objects, write TRUEPREDICATE \(step)(…)")
    }
    guard let known = FilterWords.functions.first(where: { $0.lowercased() == name.lowercased() }) else {
      throw error(
        "there is no function \(name)", at: column,
        suggestion: FilterWords.suggestion(for: name, among: FilterWords.functions))
    }
    try advance()
    try advance()
    let operands: [FilterSyntax.Operand] = try nested { parser throws(FilterSyntaxError) in
      var (operands, tallest): ([FilterSyntax.Operand], Int) = ([], 0)
      while !parser.token.isSymbol(")") {
        if !operands.isEmpty { try parser.expect(",", "expected , or ) after an argument of \(known)") }
        operands.append(try parser.operand())
        tallest = max(tallest, parser.height)
      }
      try parser.setHeight(tallest + 1)
      return operands
    }
    try advance()
    return try literal(known, operands, column) ?? .function(known, operands, column: column)
  }

  /// Reads `SUBQUERY(items, $x, $x.price > 5).@count`.
  private mutating func subquery() throws(FilterSyntaxError) -> FilterSyntax.Operand {
    let column = token.column
    try advance()
    try advance()
    let path: FilterPath
    if case .word(let steps, isQuoted: false) = token.kind, let name = FilterWords.variable(steps[0]) {
      path = try self.path([], variable: name)
    } else {
      path = try self.path([])
    }
    try expect(",", "expected , after the key path of SUBQUERY")
    guard case .word(let steps, isQuoted: false) = token.kind, steps.count == 1,
      let variable = FilterWords.variable(steps[0])
    else { throw error("SUBQUERY needs a variable such as $x, found \(token)") }
    try advance()
    try expect(",", "expected , after the variable of SUBQUERY")
    let outside = tallest
    tallest = 0
    let filter = try nested { parser throws(FilterSyntaxError) in try parser.filter(.or) }
    try setHeight(tallest + 1)
    tallest = max(tallest, outside)
    try expect(")", "expected ) after the filter of SUBQUERY")
    guard token.isSymbol("."), case .at(let name)? = following()?.kind, name == "count" || name == "size"
    else {
      throw error("SUBQUERY(…) is followed by .@count, found \(token)")
    }
    try advance()
    try advance()
    return .subquery(path, variable: variable, filter, column: column)
  }
}
