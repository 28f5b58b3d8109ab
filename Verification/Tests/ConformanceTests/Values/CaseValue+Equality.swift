import LiveStore

extension CaseValue {
  static func equalityCondition(_ lhs: Expr<Self>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    switch test.operation {
    case .equal, .notEqual:
      let constant = try test.constant()
      let isEqual = test.operation == .equal
      if constant.isNull { return isEqual ? lhs.never : !lhs.never }
      guard case .value(let value) = try place(of: constant) else { return isEqual ? lhs.never : !lhs.never }
      return isEqual ? lhs == value : lhs != value
    case .member: return lhs.in(try values(test.constants))
    default: throw .unsupported(test, typeName)
    }
  }

  static func equalityCondition(_ lhs: Expr<Self?>, _ test: ValueTest) throws(CaseFailure) -> Expr<Bool> {
    switch test.operation {
    case .equal, .notEqual:
      let constant = try test.constant()
      let isEqual = test.operation == .equal
      if constant.isNull { return isEqual ? lhs == nil : lhs != nil }
      guard case .value(let value) = try place(of: constant) else { return isEqual ? lhs.never : !lhs.never }
      return isEqual ? lhs == .some(value) : lhs != .some(value)
    case .member:
      let values: [Self?] = try values(test.constants)
      return lhs.in(test.constants.contains(where: \.isNull) ? values + [nil] : values)
    default: throw .unsupported(test, typeName + "?")
    }
  }

  /// The constants that are values of this type; null and what lies between two values is none.
  private static func values(_ constants: [Constant]) throws(CaseFailure) -> [Self] {
    var result: [Self] = []
    for constant in constants where !constant.isNull {
      if case .value(let value) = try place(of: constant) { result.append(value) }
    }
    return result
  }
}

extension Expr where Value: Equatable & Sendable {
  /// A condition that no row meets.
  var never: Expr<Bool> { self.in([Value]()) }
}

extension CaseFailure {
  static func unsupported(_ test: ValueTest, _ type: String) -> CaseFailure {
    .notApplicable("text filters: \(test.operation.rawValue) on \(type)")
  }
}
