// The paths of a text against the limits that it was given. They are followed through the variables of subqueries:
// `SUBQUERY(tags, $t, $t.name == 'a')` names `tags` and `tags.name`.

extension FilterSyntax {
  /// Checks the paths of a text on entities of a type, whose arguments have values.
  func check<Element: Entity>(_ limits: FilterLimits, on _: Element.Type) throws(FilterSyntaxError) {
    if limits.paths == nil, limits.maximumSteps == nil { return }
    try PathCheck(
      limits: limits, isDictionary: FilterCompiler<Element>.leadsToDictionary,
      isObject: FilterCompiler<Element>.leadsToObject
    ).check(self)
  }
}

extension FilterPath {
  /// Checks a path of a query's step.
  ///
  /// - Parameter isSorted: whether the rows are sorted by it, which says which of two ids is the larger.
  func check(_ limits: FilterLimits, _ column: Int, isSorted: Bool) throws(FilterSyntaxError) {
    try PathCheck(limits: limits, isDictionary: { _, _ in false }, isObject: { _ in false }).check(
      self, column, isRead: isSorted)
  }
}

extension FilterSyntax.Operand {
  /// Whether it is a path of names, and no variable alone.
  fileprivate var isSteppedPath: Bool {
    if case .path(let path, _) = self { !path.steps.isEmpty } else { false }
  }
  /// Whether it is one value that the text gives.
  fileprivate var isLiteral: Bool {
    switch self {
    case .literal, .argument: true
    default: false
    }
  }
}

private struct PathCheck {
  let limits: FilterLimits
  /// Whether a path from the row, or the elements of the list there, are dictionaries, of which a relation reads all
  /// values.
  let isDictionary: (_ path: FilterPath, _ isElement: Bool) -> Bool
  /// Whether a path from the row leads to an object or several, which are compared by their ids.
  let isObject: (_ path: FilterPath) -> Bool
  /// The steps from the row to the values of each variable.
  var variables: [String: [PathStep]] = [:]

  func check(_ filter: FilterSyntax) throws(FilterSyntaxError) {
    for comparison in filter.comparisons {
      let relation = comparison.relation
      // Of one object or of each, CONTAINS looks into the text of the id.
      let isIdentity =
        [.equal, .notEqual, .in, .text].contains(relation)
        || relation == .contains && comparison.left.isSteppedPath && comparison.right.isLiteral
      try check(
        comparison.left, isSearched: relation == .text, isListed: relation == .contains, isRead: !isIdentity)
      try check(comparison.right, isListed: relation == .in, isRead: !isIdentity)
    }
  }

  /// - Parameters:
  ///   - isSearched: whether words are looked for in the operand; in an object, in all searchable properties.
  ///   - isListed: whether a value is looked for in the operand; in a dictionary, among all its values.
  ///   - isRead: whether an object's id can be found out letter by letter, and not only compared with one.
  func check(
    _ operand: FilterSyntax.Operand, isSearched: Bool = false, isListed: Bool = false, isRead: Bool = false
  ) throws(FilterSyntaxError) {
    switch operand {
    case .literal, .argument: break
    case .path(let path, let column):
      try check(path, column, isSearched: isSearched, isListed: isListed, isRead: isRead)
    case .list(let operands, _): for operand in operands { try check(operand, isRead: isRead) }
    case .function(_, let operands, _): for operand in operands { try check(operand, isRead: true) }
    case .quantified(_, let operand, _):
      try check(operand, isSearched: isSearched, isListed: true, isRead: isRead)
    case .arithmetic(_, let left, let right, _):
      try check(left, isRead: true)
      try check(right, isRead: true)
    case .subquery(let path, let variable, let filter, let column):
      try check(path, column, isListed: true)
      var inner = self
      inner.variables[variable] = steps(of: path)
      try inner.check(filter)
    }
  }

  /// The steps from the row.
  private func steps(of path: FilterPath) -> [PathStep] {
    (path.variable.flatMap { variables[$0] } ?? []) + path.steps
  }

  private static func names(of steps: [PathStep]) -> [String] {
    steps.compactMap { step in
      switch step {
      // A point in a name does not separate two names.
      case .name(let name), .key(let name): Quoting.escaped(name, ["\\", ".", "*"], with: "\\")
      case .every: "*"
      case .index, .last, .aggregate, .argument: nil
      }
    }
  }

  func check(
    _ path: FilterPath, _ column: Int, isSearched: Bool = false, isListed: Bool = false, isRead: Bool = false
  ) throws(FilterSyntaxError) {
    let steps = steps(of: path)
    var names = Self.names(of: steps)
    if let maximum = limits.maximumSteps, names.count > maximum {
      throw FilterSyntaxError(
        column: column, message: "a path of \(names.count) names; up to \(maximum) are allowed", limit: .steps
      )
    }
    guard let paths = limits.paths else { return }
    let written = names.joined(separator: ".")
    if names.isEmpty, isRead { names.append("id") }
    if names.isEmpty || isSearched && path.steps.isEmpty { names.append("SELF") }
    // A variable stands for the elements of its list.
    let isElement = path.variable != nil && path.steps.isEmpty
    if isListed, isDictionary(FilterPath(steps), isElement) { names.append("*") }
    if isRead, !steps.isEmpty, isObject(FilterPath(steps)) { names.append("id") }
    let name = names.joined(separator: ".")
    guard paths.contains(name) else {
      // Nor does the error say what the schema has under a name that may not be named.
      let shown = written.isEmpty || paths.contains(written) ? name : written
      throw FilterSyntaxError(
        column: column, message: "\(shown) may not be named here",
        suggestion: NearestWord.find(shown, in: paths.sorted()), limit: .paths)
    }
  }
}
