import LiveStore

extension Field {
  /// Comparisons of two numbers of a row that have different types, optional or not.
  static func pair<Left: FilterOperand & SendableMetatype, Right: FilterOperand & SendableMetatype>(
    _ name: String, _ other: String, _ left: FieldPath<Element, Left>, _ right: FieldPath<Element, Right>,
    _ number: @escaping @Sendable (Element) -> ExactNumber?,
    _ second: @escaping @Sendable (Element) -> ExactNumber?
  ) -> Field {
    var field = Field(
      name: "\(name) < \(other)", isLinked: false,
      value: { row, _ in .bool(holds("<", number(row), second(row))) },
      track: { $0.tracking { $0[keyPath: left] < $0[keyPath: right] } })
    field.condition = { random, _, _ in
      let relation = random.pick(["==", "!=", "<", "<=", ">", ">="])
      return Condition(
        text: "\(name) \(relation) \(other)",
        make: { row in
          let (a, b) = (row[keyPath: left], row[keyPath: right])
          return switch relation {
          case "==": a == b
          case "!=": a != b
          case "<": a < b
          case "<=": a <= b
          case ">": a > b
          default: a >= b
          }
        },
        test: { row, _ in holds(relation, number(row), second(row)) })
    }
    return field
  }

  /// Whether a relation holds: nil equals nil alone and has no order, NaN has neither.
  private static func holds(_ relation: String, _ left: ExactNumber?, _ right: ExactNumber?) -> Bool {
    guard let left, let right else {
      let isEqual = left == nil && right == nil
      return relation == "==" ? isEqual : relation == "!=" && !isEqual
    }
    guard let order = ExactNumber.order(left, right) else { return relation == "!=" }
    return switch relation {
    case "==": order == 0
    case "!=": order != 0
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }
}
