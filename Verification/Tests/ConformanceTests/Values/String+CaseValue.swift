import LiveStore

extension String: OrderedCaseValue {
  static let typeName = "string"

  init(_ json: JSONValue) throws(CaseFailure) {
    guard let value = json.text else { throw .malformed("\(json.shortened) is not a text") }
    self = value
  }

  var json: JSONValue { .string(self) }

  static func condition(_ lhs: Expr<String>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    guard let text = try pattern(test) else { return try orderedCondition(lhs, test) }
    switch test.operation {
    case .contains: return lhs.contains(text, options: test.options)
    case .beginsWith: return lhs.beginsWith(text, options: test.options)
    default: return lhs.endsWith(text, options: test.options)
    }
  }

  static func condition(_ lhs: Expr<String?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    guard let text = try pattern(test) else { return try orderedCondition(lhs, test) }
    switch test.operation {
    case .contains: return lhs.contains(text, options: test.options)
    case .beginsWith: return lhs.beginsWith(text, options: test.options)
    default: return lhs.endsWith(text, options: test.options)
    }
  }

  static func countCondition(_ lhs: Expr<String>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Int.condition(lhs.count, test)
  }

  static func countCondition(_ lhs: Expr<String?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    try Int.condition(lhs.count, test)
  }

  /// What a text test looks for; nil for other operations.
  private static func pattern(_ test: ValueTest) throws(CaseFailure) -> String? {
    guard test.operation.isText else {
      if test.options.isEmpty { return nil }
      throw .notApplicable("text filters: \(test.operation.rawValue)\(test.options)")
    }
    let constant = try test.constant()
    if constant.isNull { throw .notApplicable("text filters: \(test.operation.rawValue) with nil") }
    guard constant.type == typeName else { throw .comparing(constant.type, typeName) }
    return try String(constant.value)
  }
}
