import LiveStore

/// A comparison of a property with constants, as a case's filter writes it.
struct ValueTest {
  enum Operation: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case member = "IN"
    case between = "BETWEEN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"

    /// The operation that says the same with the sides exchanged; nil where there is none.
    var flipped: Operation? {
      switch self {
      case .equal, .notEqual: self
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      case .member, .between, .contains, .beginsWith, .endsWith: nil
      }
    }

    var isOrder: Bool {
      switch self {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
      default: false
      }
    }

    var isText: Bool {
      switch self {
      case .contains, .beginsWith, .endsWith: true
      default: false
      }
    }
  }

  let operation: Operation
  /// The constant to compare with, or the members of a list.
  let constants: [Constant]
  let options: TextOptions

  /// The only constant.
  func constant() throws(CaseFailure) -> Constant {
    guard constants.count == 1 else { throw .malformed("\(operation.rawValue) takes one value") }
    return constants[0]
  }

  /// Both bounds of `BETWEEN`, each as a comparison of its own.
  func bounds() throws(CaseFailure) -> (lower: ValueTest, upper: ValueTest) {
    guard constants.count == 2 else { throw .malformed("BETWEEN takes two values") }
    return (
      ValueTest(operation: .greaterOrEqual, constants: [constants[0]], options: []),
      ValueTest(operation: .lessOrEqual, constants: [constants[1]], options: [])
    )
  }
}

/// A constant of a filter, with the type the case gives it.
struct Constant {
  let type: String
  let value: JSONValue

  var isNull: Bool { type == "null" || value.isNull }

  init(_ json: JSONValue) throws(CaseFailure) {
    type = try json.text("type")
    value = json["const"]
  }
}
