import Foundation

/// The values that stand for `%@`, `$0`, `%K` and `$name` in a text filter.
struct FilterArguments {
  let values: [(any Sendable)?]
  let variables: [String: any Sendable]
  /// The time for `now()`, one for the whole text.
  let now = Date()

  /// The operand of an argument: a value or a list.
  func operand(_ number: Int, _ column: Int) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    guard values.indices.contains(number) else {
      let count = values.count == 1 ? "1 argument" : "\(values.count) arguments"
      throw FilterSyntaxError(
        column: column, message: "argument \(number + 1) is missing; the call has \(count)")
    }
    return try Self.operand(values[number], "argument \(number + 1)", column)
  }

  /// The relation of a comparison: IN with a range means that a value lies in it.
  func relation(of comparison: FilterSyntax.Comparison) -> RelationalOperator {
    guard comparison.relation == .in, case .argument(let number, _) = comparison.right,
      values.indices.contains(number), values[number] is any ClosedBounds
    else { return comparison.relation }
    return .between
  }

  /// The names of a path in an argument.
  func names(_ number: Int, _ column: Int) throws(FilterSyntaxError) -> [PathStep] {
    guard values.indices.contains(number), let path = values[number] as? String else {
      throw FilterSyntaxError(
        column: column, message: "%K needs a path in a string as argument \(number + 1)")
    }
    let names = path.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard names.count <= FilterParser.maximumOperations else {
      throw FilterSyntaxError(
        column: column, message: "more than \(FilterParser.maximumOperations) steps in a path")
    }
    guard !names.contains("") else {
      throw FilterSyntaxError(column: column, message: "\(JSONValue.string(path)) is no path")
    }
    return names.map { .name($0) }
  }

  static func operand(
    _ value: Any?, _ name: String, _ column: Int
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand {
    if let elements = elements(value) {
      var operands: [FilterSyntax.Operand] = []
      for element in elements { operands.append(try operand(element, name, column)) }
      return .list(operands, column: column)
    }
    guard let literal = FilterLiteral(argument: value) else {
      let typeName = value.map { "\(type(of: $0))" } ?? "nil"
      throw FilterSyntaxError(
        column: column, message: "\(name) is of type \(typeName), which is not Equatable")
    }
    return .literal(literal, column: column)
  }

  /// The elements of an array, a set or a closed range.
  private static func elements(_ value: Any?) -> [Any]? {
    func elements<Elements: ElementCollection>(of collection: Elements) -> [Any] {
      var result: [Any] = []
      collection.forEachMemberInFilter { result.append($0) }
      return result
    }
    func bounds<Range: ClosedBounds>(of range: Range) -> [Any] { [range.lowerBound, range.upperBound] }
    if let range = value as? any ClosedBounds { return bounds(of: range) }
    guard let value, !(value is any OptionalValue) else { return nil }
    return (value as? any ElementCollection).map { elements(of: $0) }
  }
}

/// A closed range, recognisable at run time.
private protocol ClosedBounds {
  associatedtype Bound
  var lowerBound: Bound { get }
  var upperBound: Bound { get }
}

extension ClosedRange: ClosedBounds {}

extension FilterLiteral {
  /// The literal of a value given as an argument; nil if it cannot be compared.
  init?(argument value: Any?) {
    guard let value else {
      self = .null
      return
    }
    switch value {
    case let optional as any OptionalValue:
      guard let literal = Self.unwrapped(optional) else { return nil }
      self = literal
    case let value as Bool: self = .bool(value)
    case let value as String: self = .text(value)
    case let value as Data: self = .data(value)
    case let value as Date: self = .date(.exact(value))
    case let value as UUID: self = .uuid(value)
    case let value as any BinaryFloatingPoint: self.init(value)
    case let value as Decimal: self.init(value)
    case let value as any BinaryInteger: self = .number(JSONNumber(value))
    case let value as JSONValue: self = Self.json(value)
    case let object as any Entity: self = Self.object(object)
    case let link as any FilterLink: self = Self.link(link)
    case let value as any Equatable: self = .value(Self.constant(value))
    default: return nil
    }
  }

  private static func unwrapped(_ optional: some OptionalValue) -> FilterLiteral? {
    FilterLiteral(argument: optional.wrapped)
  }

  private static func json(_ value: JSONValue) -> FilterLiteral {
    switch value {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let number): .number(number)
    case .string(let text): .text(text)
    case .array, .object: .value(Constant(value))
    }
  }

  private static func object<Element: Entity>(_ object: Element) -> FilterLiteral {
    .object(entity: "\(Element.self)", id: FilterLiteral(argument: object.id)?.untyped ?? .null)
  }

  private static func link<Link: FilterLink>(_ link: Link) -> FilterLiteral {
    .object(entity: "\(Link.Target.self)", id: FilterLiteral(argument: link.id)?.untyped ?? .null)
  }

  private static func constant<Value: Equatable>(_ value: Value) -> Constant { Constant(part: value) }
}
