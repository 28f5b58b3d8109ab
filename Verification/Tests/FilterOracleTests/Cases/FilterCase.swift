import LiveStore

/// A filter as text, perhaps the same filter in Swift, and what it means.
struct FilterCase<Mode: CaseMode>: Sendable {
  typealias Item = CaseItem<Mode>

  /// A text with its arguments.
  struct Text: Sendable {
    let format: String
    let arguments: [(any Sendable)?]
  }

  let text: Text
  /// Other texts of the same filter, which give an equal query.
  var synonyms: [Text] = []
  /// The filter in Swift.
  var typed: Query<Item>?
  /// Whether text and Swift are one query, which has one live result.
  var isShared = false
  /// Whether no row, or every row, passes whatever the rows are.
  var isConstant = false
  let passes: @Sendable (CaseRow<Mode>) -> Bool
}

/// The cases, as they are written down.
///
/// What writes them is compiled once and not for each of the modes: optimising that would take minutes.
struct CaseList<Mode: CaseMode> {
  typealias Item = CaseItem<Mode>
  typealias Passes = @Sendable (CaseRow<Mode>) -> Bool

  private(set) var cases: [FilterCase<Mode>] = []

  /// The row of conditions, where there is no closure that is given it.
  static var row: Row<Item> {
    var row: Row<Item>?
    _ = Filter<Item> {
      row = $0
      return $0.flag == true
    }
    guard let row else { preconditionFailure("a filter is written over a row") }
    return row
  }

  /// A case in text and in Swift, which are one query.
  mutating func add(
    _ format: String, _ arguments: (any Sendable)?..., typed: (Row<Item>) -> Expr<Bool>,
    _ passes: @escaping Passes
  ) {
    add(
      FilterCase(
        text: .init(format: format, arguments: arguments), typed: Item.where(typed), isShared: true,
        passes: passes))
  }

  /// A case in text and in Swift, whose queries need not be equal.
  mutating func add(
    _ format: String, _ arguments: (any Sendable)?..., meaning: (Row<Item>) -> Expr<Bool>,
    _ passes: @escaping Passes
  ) {
    add(
      FilterCase(
        text: .init(format: format, arguments: arguments), typed: Item.where(meaning), passes: passes))
  }

  /// A case in text alone.
  mutating func add(_ format: String, _ arguments: (any Sendable)?..., passes: @escaping Passes) {
    add(FilterCase(text: .init(format: format, arguments: arguments), passes: passes))
  }

  /// A case whose answer is the same for all rows.
  mutating func constant(_ format: String, _ arguments: (any Sendable)?..., is answer: Bool) {
    add(
      FilterCase(text: .init(format: format, arguments: arguments), isConstant: true, passes: { _ in answer })
    )
  }

  mutating func add(_ filterCase: FilterCase<Mode>) { cases.append(filterCase) }

  /// Says that the last case is the same for all rows.
  mutating func markLastConstant() { cases[cases.count - 1].isConstant = true }
}

/// The relations of ordered values, by their symbols.
enum CaseRelation {
  static let equality = ["==", "!="]
  static let all = ["==", "!=", "<", "<=", ">", ">="]

  /// Whether a relation holds between two values: nil equals nil alone, and has no order; NaN has neither.
  static func holds<Value>(
    _ relation: String, _ left: Value?, _ right: Value?, _ order: (Value, Value) -> Int?
  ) -> Bool {
    guard let left, let right else {
      let isEqual = left == nil && right == nil
      return relation == "==" ? isEqual : relation == "!=" ? !isEqual : false
    }
    guard let order = order(left, right) else { return relation == "!=" }
    return switch relation {
    case "==": order == 0
    case "!=": order != 0
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }

  static func expression<Value: Comparable & Sendable>(
    _ relation: String, _ left: Expr<Value>, _ right: Value
  ) -> Expr<Bool> {
    switch relation {
    case "==": left == right
    case "!=": left != right
    case "<": left < right
    case "<=": left <= right
    case ">": left > right
    default: left >= right
    }
  }

  static func expression<Value: Comparable & Sendable>(
    _ relation: String, _ left: Expr<Value?>, _ right: Value
  ) -> Expr<Bool> {
    switch relation {
    case "==": left == right
    case "!=": left != right
    case "<": left < right
    case "<=": left <= right
    case ">": left > right
    default: left >= right
    }
  }

  /// The order by `<` and `==`, which NaN has not.
  static func plainOrder<Value: Comparable>(_ left: Value, _ right: Value) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }
}
