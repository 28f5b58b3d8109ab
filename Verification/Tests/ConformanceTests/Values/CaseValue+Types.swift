import Foundation
import LiveStore

extension Int: OrderedCaseValue {
  static let typeName = "int"

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let value = json.integer else { throw .malformed("\(json.shortened) is not an integer") }
    self = value
  }

  var json: JSONValue { JSONValue(self) }

  /// A fraction or a number out of range stands between two integers or beyond the last.
  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Int> {
    switch constant.type {
    case "int", "link": return .value(try Int(constant.value))
    case "double":
      let value = try Double(constant.value)
      if let integer = Int(exactly: value) { return .value(integer) }
      if value.isNaN { return .gap(below: nil, above: nil) }
      return .gap(
        below: Int(exactly: value.rounded(.down)) ?? (value > 0 ? .max : nil),
        above: Int(exactly: value.rounded(.up)) ?? (value < 0 ? .min : nil))
    default: throw .comparing(constant.type, typeName)
    }
  }
}

extension Double: OrderedCaseValue {
  static let typeName = "double"

  init(_ json: JSONValue) throws(CaseFailure) {
    switch json {
    case .number(let number): self = number.double
    case .string("nan"): self = .nan
    case .string("inf"): self = .infinity
    case .string("-inf"): self = -.infinity
    default: throw .malformed("\(json.shortened) is not a number")
    }
  }

  var json: JSONValue {
    if isNaN { return "nan" }
    return isInfinite ? (self > 0 ? "inf" : "-inf") : JSONValue(self)
  }

  static func place(of constant: Constant) throws(CaseFailure) -> ConstantPlace<Double> {
    guard constant.type == "double" || constant.type == "int" else {
      throw .comparing(constant.type, typeName)
    }
    return .value(try Double(constant.value))
  }
}

extension Bool: CaseValue {
  static let typeName = "bool"

  init(_ json: JSONValue) throws(CaseFailure) {
    guard case .bool(let value) = json else { throw .malformed("\(json.shortened) is not true or false") }
    self = value
  }

  var json: JSONValue { .bool(self) }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Bool>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    query.sorted(by: path, order)
  }
}

extension UUID: OrderedCaseValue {
  static let typeName = "uuid"

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let value = json.text.flatMap({ UUID(uuidString: $0) }) else {
      throw .malformed("\(json.shortened) is not a UUID")
    }
    self = value
  }

  var json: JSONValue { .string(uuidString.lowercased()) }
}

extension Data: CaseValue {
  static let typeName = "data"

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let value = json.text.flatMap({ Data(base64Encoded: $0) }) else {
      throw .malformed("\(json.shortened) is not base64")
    }
    self = value
  }

  var json: JSONValue { .string(base64EncodedString()) }

  static func countCondition(_ lhs: Expr<Data>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Int.condition(lhs.count, test)
  }

  static func countCondition(_ lhs: Expr<Data?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Int.condition(lhs.count, test)
  }
}

extension Optional: CaseValue where Wrapped: CaseValue {
  static var typeName: String { Wrapped.typeName + "?" }
  static var columnType: String { Wrapped.columnType + "?" }

  init(_ json: JSONValue) throws(CaseFailure) {
    self = json.isNull ? nil : .some(try Wrapped(json))
  }

  var json: JSONValue { self?.json ?? .null }

  static func condition(_ lhs: Expr<Wrapped?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Wrapped.condition(lhs, test)
  }

  static func countCondition(_ lhs: Expr<Wrapped?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Wrapped.countCondition(lhs, test)
  }

  static func sorted<Element>(
    _ query: Query<Element>, _ path: KeyPath<Row<Element>, Expr<Wrapped?>>, _ order: SortDirection
  ) throws(CaseFailure) -> Query<Element> {
    try Wrapped.sorted(query, path, order)
  }
}

extension Array: CaseValue where Element: CaseValue {
  static var typeName: String { "list:" + Element.typeName }

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let elements = json.elements else { throw .malformed("\(json.shortened) is not an array") }
    self = []
    for element in elements { append(try Element(element)) }
  }

  var json: JSONValue { .array(map(\.json)) }

  static func condition(_ lhs: Expr<[Element]>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    throw .notApplicable("text filters: tests of the elements of a list")
  }

  static func apply(_ edit: ListEdit, to value: inout [Element]) throws {
    try edit.apply(to: &value) { try Element($0) }
  }

  static func countCondition(_ lhs: Expr<[Element]>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Int.condition(lhs.count, test)
  }
}
