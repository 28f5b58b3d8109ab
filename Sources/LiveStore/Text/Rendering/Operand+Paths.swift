import Foundation

// Paths and constants of conditions as a text writes them.

extension FilterSyntax.Operand {
  /// A path of a condition.
  init(_ path: PropertyPath, _ scopes: [String?]) throws(UnwritableFilter) {
    var writer = PathWriter(scopes: scopes)
    for part in path.parts { try writer.append(part.name, part.steps) }
    self = try writer.operand
  }

  /// What may read the value of a path: the path itself, or a number of objects.
  static func reading(_ path: PropertyPath) throws(UnwritableFilter) -> Self {
    var writer = PathWriter(scopes: [nil])
    var isOfValues = false
    for part in path.parts {
      if part.steps.first == .function("values") {
        isOfValues = true
      } else {
        try writer.append(part.name, part.steps)
      }
    }
    if isOfValues { writer.path.steps.append(.aggregate(.count)) }
    if writer.filters.isEmpty { return try writer.operand }
    let filter = writer.filters.count == 1 ? writer.filters[0] : .and(writer.filters, column: 0)
    return .subquery(writer.path, variable: FilterPath.variable(at: 1), filter, column: 0)
  }

  /// The path to several objects or elements, and the filters among its steps.
  static func objects(
    _ path: PropertyPath, _ scopes: [String?]
  ) throws(UnwritableFilter) -> (path: FilterPath, filters: [FilterSyntax]) {
    var writer = PathWriter(scopes: scopes)
    for part in path.parts { try writer.append(part.name, part.steps) }
    guard writer.computed == nil else { throw UnwritableFilter(reason: "\(path)") }
    return (writer.path, writer.filters)
  }

  /// A constant of a condition.
  init(_ constant: Constant) throws(UnwritableFilter) {
    self = try constant.open(ConstantWriter()).get()
  }
}

/// Writes a path part by part.
private struct PathWriter {
  var path: FilterPath
  /// The conditions on the objects that the path leads to.
  var filters: [FilterSyntax] = []
  /// What an operation or function made of the path; no step leads on from it.
  var computed: FilterSyntax.Operand?

  /// What paths begin with, from the outermost.
  private let scopes: [String?]

  init(scopes: [String?]) {
    self.scopes = scopes
    path = FilterPath([], variable: scopes.last ?? nil)
  }

  var operand: FilterSyntax.Operand {
    get throws(UnwritableFilter) {
      guard filters.isEmpty else { throw UnwritableFilter(reason: "a filtered list") }
      return computed ?? .path(path, column: 0)
    }
  }

  mutating func append(_ name: String, _ steps: ArraySlice<PropertyPath.Step>) throws(UnwritableFilter) {
    guard let step = steps.first else { return }
    switch step {
    case .operation(let symbol, let other):
      guard let operation = FilterSyntax.Arithmetic(rawValue: symbol) else {
        throw UnwritableFilter(reason: name)
      }
      computed = .arithmetic(
        operation, try operand, try FilterSyntax.Operand(other, scopes), column: 0)
    // A zero has no sign in a text.
    case .fallback(let value) where value.isNegativeZero, .constant(let value) where value.isNegativeZero:
      throw UnwritableFilter(reason: "the operand -0.0")
    case .fallback(let value):
      computed = .function("ifnull", [try operand, try FilterSyntax.Operand(value)], column: 0)
    case .function("double"): computed = .function("double", [try operand], column: 0)
    case .constant(let value):
      guard path.steps.isEmpty, computed == nil else { throw UnwritableFilter(reason: name) }
      computed = try FilterSyntax.Operand(value)
    case .filter(let condition):
      guard computed == nil, let tree = condition.value(as: ConditionTree.self) else {
        throw UnwritableFilter(reason: name)
      }
      let variable = FilterPath.variable(at: scopes.count)
      filters += try FilterSyntax(tree, in: scopes + [variable]).conjuncts
    case .function("count") where !filters.isEmpty:
      let filter = filters.count == 1 ? filters[0] : .and(filters, column: 0)
      computed = .subquery(
        path, variable: FilterPath.variable(at: scopes.count), filter, column: 0)
      filters = []
    case .outer(let levels, isClosed: false) where path.steps.isEmpty && levels < scopes.count:
      path.variable = scopes[scopes.count - 1 - levels]
    default:
      guard computed == nil, filters.isEmpty else { throw UnwritableFilter(reason: name) }
      path.steps += try Self.steps(step, steps, name)
    }
  }

  /// The steps of a path for a part that leads on along links and members.
  ///
  /// - Parameter step: the first of the part.
  private static func steps(
    _ step: PropertyPath.Step, _ members: ArraySlice<PropertyPath.Step>, _ name: String
  ) throws(UnwritableFilter) -> [FilterPath.Step] {
    switch step {
    case .id: return [.name("id")]
    case .stored: return stored(members, name).map { .name($0) }
    case .name: return [.name(name)]
    // A key path without a name is shown in parentheses, by its type.
    case .member where !name.unicodeScalars.contains("("):
      return name.unicodeScalars.split(separator: ".").map { .name(String($0)) }
    case .linking:
      let scalars = name.unicodeScalars.dropFirst("linking(".utf8.count).dropLast()
      let names = scalars.split(separator: ".", maxSplits: 1)
      return [.name("@links")] + names.map { .name(String($0)) }
    case .function("SELF"): return []
    case .function(let function):
      let aggregate = FilterPath.Aggregate(
        rawValue: function.utf8.first == UInt8(ascii: "@") ? String(function.dropFirst()) : function)
      if let aggregate { return [.aggregate(aggregate)] }
    case .aggregate(let function, let member):
      let aggregate = FilterPath.Aggregate(rawValue: function == "average" ? "avg" : function)
      if let aggregate, case .path(let path, _) = try FilterSyntax.Operand(member, [nil]) {
        return [.aggregate(aggregate)] + path.steps
      }
    case .element: return []
    case .key(let key): if let key = key.value(as: String.self) { return [.key(key)] }
    default: break
    }
    throw UnwritableFilter(reason: name)
  }
}

extension PathWriter {
  /// The names of a stored property and its members: those of its key path, unless the schema has given it another.
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
    var literals: [FilterSyntax.Operand] = []
    var isWritable = true
    list.forEachMember { element in
      if let literal = FilterLiteral(written: element) {
        literals.append(.literal(literal.untyped, column: 0))
      } else {
        isWritable = false
      }
    }
    return isWritable
      ? .success(.list(literals, column: 0)) : .failure(UnwritableFilter(reason: "a list of other values"))
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
