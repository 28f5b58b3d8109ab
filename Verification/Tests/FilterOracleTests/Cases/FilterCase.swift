import LiveStore
import TestSupport

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

  init(
    text: Text, synonyms: [Text] = [], isConstant: Bool = false,
    passes: @escaping @Sendable (CaseRow<Mode>) -> Bool
  ) {
    (self.text, self.synonyms, self.isConstant, self.passes) = (text, synonyms, isConstant, passes)
  }

  /// A case that means what its filter in Swift says.
  init(
    text: Text, synonyms: [Text] = [], filter: Filter<Item>, isShared: Bool, isConstant: Bool = false
  ) {
    // As it was composed: what it means does not depend on how it is simplified.
    let term = filter.tree.term
    self.init(text: text, synonyms: synonyms, isConstant: isConstant) { $0.meaning.holds(term, $0.item) }
    (typed, self.isShared) = (Item.where(filter), isShared)
  }
}

/// The cases, as they are written down.
///
/// What writes them is compiled once and not for each of the modes: optimising that would take minutes.
struct CaseList<Mode: CaseMode> {
  typealias Item = CaseItem<Mode>
  typealias Passes = @Sendable (CaseRow<Mode>) -> Bool

  private(set) var cases: [FilterCase<Mode>] = []

  /// A case in text and in Swift, which are one query. It means what the Swift says (`TermMeaning`).
  mutating func add(
    _ format: String, _ arguments: (any Sendable)?..., typed: (Row<Item>) -> Expr<Bool>
  ) { add(format, arguments, Filter(typed), isShared: true) }

  /// A case in text and in Swift, whose queries need not be equal. It means what the Swift says.
  mutating func add(
    _ format: String, _ arguments: (any Sendable)?..., meaning: (Row<Item>) -> Expr<Bool>
  ) { add(format, arguments, Filter(meaning), isShared: false) }

  private mutating func add(
    _ format: String, _ arguments: [(any Sendable)?], _ filter: Filter<Item>, isShared: Bool
  ) {
    add(FilterCase(text: .init(format: format, arguments: arguments), filter: filter, isShared: isShared))
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
  static let all = ["==", "!=", "<", "<=", ">", ">="]

  /// Whether a relation holds between two values in an order; nil where they have none.
  static func holds(_ relation: String, _ order: Int?) -> Bool {
    guard let order else { return relation == "!=" }
    return switch relation {
    case "==": order == 0
    case "!=": order != 0
    case "<": order < 0
    case "<=": order <= 0
    case ">": order > 0
    default: order >= 0
    }
  }

  /// The same where a value may be missing: nil equals nil alone, and has no order.
  static func holds<Value>(
    _ relation: String, _ left: Value?, _ right: Value?, _ order: (Value, Value) -> Int?
  ) -> Bool {
    if left == nil && right == nil { return relation == "==" }
    return holds(relation, left.flatMap { left in right.flatMap { order(left, $0) } })
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
  static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }
}
