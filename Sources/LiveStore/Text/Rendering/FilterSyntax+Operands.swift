import Foundation

// Paths and constants of conditions as a text writes them.

extension FilterSyntax.Operand {
  /// A value of a condition.
  ///
  /// - Parameter scopes: the starts of paths, from the outermost.
  init(_ term: Term, _ scopes: [String?]) throws(UnwritableFilter) {
    switch term {
    case .operation(let operation, let left, let right):
      self = .arithmetic(
        operation, try FilterSyntax.Operand(left, scopes), try FilterSyntax.Operand(right, scopes), column: 0)
    // A zero has no sign in a text.
    case .constant(let value) where value.isNegativeZero: throw UnwritableFilter(reason: "the operand -0.0")
    case .fallback(let term, let other):
      self = .function(
        "ifnull", [try FilterSyntax.Operand(term, scopes), try FilterSyntax.Operand(other, scopes)], column: 0
      )
    case .constant(let value): self = try FilterSyntax.Operand(value)
    case .function(.count, .filtered(let objects, let condition)):
      self = try .counting(.filtered(objects, condition), scopes)
    case .function(let function, let term):
      self =
        if let name = function.prefix {
          .function(name, [try FilterSyntax.Operand(term, scopes)], column: 0)
        } else {
          .path(try FilterPath(.function(function, term), scopes), column: 0)
        }
    default: self = .path(try FilterPath(term, scopes), column: 0)
    }
  }

  /// The operand that reads a value: the value itself, or a number of objects.
  static func reading(_ term: Term) throws(UnwritableFilter) -> Self {
    switch term {
    case .some(let objects, let condition): return try counting(.filtered(objects, condition), [nil])
    case .filtered: return try counting(term, [nil])
    case .values(let objects, let members):
      let member = members.reduce(Term.target(objects)) { $0.appending($1) }
      var path = try FilterPath(member, [nil])
      path.steps.append(.aggregate(.count))
      return .path(path, column: 0)
    default: return try FilterSyntax.Operand(term, [nil])
    }
  }

  /// How many of several objects or elements meet conditions.
  private static func counting(_ objects: Term, _ scopes: [String?]) throws(UnwritableFilter) -> Self {
    let (path, filters) = try Self.objects(objects, scopes)
    let filter = filters.count == 1 ? filters[0] : .and(filters, column: 0)
    return .subquery(path, variable: FilterPath.variable(at: scopes.count), filter, column: 0)
  }

  /// The path to several objects or elements, and the conditions on these.
  static func objects(
    _ term: Term, _ scopes: [String?]
  ) throws(UnwritableFilter) -> (path: FilterPath, filters: [FilterSyntax]) {
    guard case .filtered(let term, let condition) = term else { return (try FilterPath(term, scopes), []) }
    var (path, filters) = try objects(term, scopes)
    let variable = FilterPath.variable(at: scopes.count)
    filters += try FilterSyntax(condition, in: scopes + [variable]).conjuncts
    return (path, filters)
  }

  /// A constant of a condition.
  init(_ constant: Constant) throws(UnwritableFilter) {
    if let literal = constant.value(as: FilterLiteral.self) {
      self = .literal(literal, column: 0)
    } else if let literals = constant.value(as: [FilterLiteral].self) {
      self = .list(literals.map { .literal($0, column: 0) }, column: 0)
    } else {
      self = try constant.open(ConstantWriter()).get()
    }
  }
}

extension FilterPath {
  /// The name of the variable of a subquery inside others: `x`, `y`, `z`, `x4` …
  static func variable(at level: Int) -> String {
    level > 3 ? "x\(level)" : ["x", "y", "z"][max(0, level - 1)]
  }

  /// The path to a value; throws for one that is computed.
  ///
  /// - Parameter scopes: the starts of paths, from the outermost.
  fileprivate init(_ term: Term, _ scopes: [String?]) throws(UnwritableFilter) {
    func unwritable() -> UnwritableFilter { UnwritableFilter(reason: "\(term)") }
    let (base, steps): (Term, [PathStep])
    switch term {
    case .row(let level), .element(_, let level):
      guard level < scopes.count else { throw unwritable() }
      self.init([], variable: scopes[scopes.count - 1 - level])
      return
    case .property(let term, let path): (base, steps) = (term, try Self.steps(path))
    case .key(let term, let key):
      guard let key = key.value(as: String.self) else { throw unwritable() }
      (base, steps) = (term, [.key(key)])
    case .step(let term, let step, _): (base, steps) = (term, [step])
    case .target(let term), .function(.link, let term): (base, steps) = (term, [])
    case .linking(let term, let link):
      (base, steps) = (term, [.name("@links"), .name(link.source), .name(link.property)])
    case .function(.aggregate(let aggregate), let term): (base, steps) = (term, [.aggregate(aggregate)])
    case .aggregate(let aggregate, let objects, let member):
      (base, steps) = (objects, [.aggregate(aggregate)] + (try FilterPath(member, [nil]).steps))
    default: throw unwritable()
    }
    try self.init(base, scopes)
    self.steps += steps
  }

  /// The steps along members: the names of their key paths, unless the schema has given them others.
  private static func steps(_ path: PropertyPath) throws(UnwritableFilter) -> [PathStep] {
    var result: [PathStep] = []
    for (name, steps) in path.parts {
      switch steps.first {
      case .id: result.append(.name("id"))
      case .stored: result += stored(steps, name).map { .name($0) }
      case .name: result.append(.name(name))
      // A key path without a name, to which the schema gives none, is shown by its type.
      case .member(let key) where memberName(of: key.keyPath) != nil || name != shownMember(of: key.keyPath):
        result += name.unicodeScalars.split(separator: ".").map { .name(String($0)) }
      case .member, nil: throw UnwritableFilter(reason: name)
      }
    }
    return result
  }

  private static func stored(_ members: ArraySlice<PropertyPath.Step>, _ name: String) -> [String] {
    var names: [String] = []
    for case .stored(let member, of: _) in members { names.append(member) }
    if names.joined(separator: ".") == String(name.unicodeScalars.filter { $0 != "?" }) { return names }
    let given = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return given.contains("") ? [name] : given
  }
}

/// Writes a constant as a literal or a list.
private struct ConstantWriter: ConstantVisitor {
  func visit<Value: Equatable>(_ value: Value) -> Result<FilterSyntax.Operand, UnwritableFilter> {
    if let list = value as? any ElementCollection { return elements(of: list) }
    guard let literal = FilterLiteral(written: value) else {
      return .failure(UnwritableFilter(reason: "a value of type \(Value.self)"))
    }
    // Beside a constant of a typed expression stands an operand of the same kind.
    return .success(.literal(literal.untyped, column: 0))
  }

  private func elements<Elements: ElementCollection>(
    of list: Elements
  ) -> Result<FilterSyntax.Operand, UnwritableFilter> {
    // The elements of a set have no order.
    guard !(list is any SetAlgebra) else { return .failure(UnwritableFilter(reason: "a set")) }
    var literals: [FilterLiteral?] = []
    list.forEachMemberInFilter { literals.append(FilterLiteral(written: $0)) }
    guard !literals.contains(nil) else { return .failure(UnwritableFilter(reason: "a list of other values")) }
    return .success(.list(literals.compactMap { $0.map { .literal($0.untyped, column: 0) } }, column: 0))
  }
}

extension FilterLiteral {
  /// A value in a form that a text can have; nil for other types.
  init?(written value: Any?) {
    if let value, value is MissingValue {
      self = .null
      return
    }
    guard let literal = FilterLiteral(argument: value) else { return nil }
    guard case .value = literal, let value else {
      self = literal
      return
    }
    switch value {
    case let url as URL: self = .text(url.absoluteString)
    case let character as Character: self = .text(String(character))
    case let text as Substring: self = .text(String(text))
    case let raw as any RawRepresentable:
      guard let literal = FilterLiteral(written: raw.rawValue) else { return nil }
      self = literal
    case is any CaseIterable: self = .text("\(value)")
    default: return nil
    }
  }
}
