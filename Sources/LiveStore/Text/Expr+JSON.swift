// Conditions on JSON values. `==`, `!=` and `in` work as for any value. These operators know the types of JSON: two
// numbers, two strings or two booleans have an order, and text tests are for strings.

extension Expr<JSONValue> {
  /// Whether the value is of the type of `rhs`, a number, string or Boolean, and below it.
  public static func < (lhs: Expr, rhs: JSONValue) -> Expr<Bool> {
    Expr<Bool>(ordered(lhs, .less, rhs), at: lhs.level)
  }

  /// Whether the value is of the type of `rhs`, a number, string or Boolean, and at most it.
  public static func <= (lhs: Expr, rhs: JSONValue) -> Expr<Bool> {
    Expr<Bool>(ordered(lhs, .lessOrEqual, rhs), at: lhs.level)
  }

  /// Whether the value is of the type of `rhs`, a number, string or Boolean, and above it.
  public static func > (lhs: Expr, rhs: JSONValue) -> Expr<Bool> {
    Expr<Bool>(ordered(lhs, .greater, rhs), at: lhs.level)
  }

  /// Whether the value is of the type of `rhs`, a number, string or Boolean, and at least it.
  public static func >= (lhs: Expr, rhs: JSONValue) -> Expr<Bool> {
    Expr<Bool>(ordered(lhs, .greaterOrEqual, rhs), at: lhs.level)
  }

  /// Whether two values of the row are of one type, number, string or Boolean, and the first is below.
  public static func < (lhs: Expr, rhs: Expr) -> Expr<Bool> { paired(lhs, .less, rhs) }

  /// Whether two values of the row are of one type, number, string or Boolean, and the first is at most the other.
  public static func <= (lhs: Expr, rhs: Expr) -> Expr<Bool> { paired(lhs, .lessOrEqual, rhs) }

  /// Whether two values of the row are of one type, number, string or Boolean, and the first is above.
  public static func > (lhs: Expr, rhs: Expr) -> Expr<Bool> { paired(lhs, .greater, rhs) }

  /// Whether two values of the row are of one type, number, string or Boolean, and the first is at least the other.
  public static func >= (lhs: Expr, rhs: Expr) -> Expr<Bool> { paired(lhs, .greaterOrEqual, rhs) }

  /// Whether the value is of the type of the range's bounds and lies in it.
  public func `in`(_ range: some FilterRange<JSONValue> & Sendable) -> Expr<Bool> {
    var filter = ConditionTree.constant(true)
    let (lower, upper, isClosed) = range.boundsInFilter
    if let lower { filter = Self.ordered(self, .greaterOrEqual, lower) }
    if let upper { filter = filter.and(Self.ordered(self, isClosed ? .lessOrEqual : .less, upper)) }
    return Expr<Bool>(filter, at: level)
  }

  /// Whether the value is text that contains `other`, or an array or object with a value equal to it.
  public func contains(_ other: String, options: TextOptions = []) -> Expr<Bool> {
    Expr<Bool>(tested(.contains, other, options), at: level)
  }

  /// Whether the value is text and begins with `prefix`.
  public func beginsWith(_ prefix: String, options: TextOptions = []) -> Expr<Bool> {
    Expr<Bool>(tested(.beginsWith, prefix, options), at: level)
  }

  /// Whether the value is text and ends with `suffix`.
  public func endsWith(_ suffix: String, options: TextOptions = []) -> Expr<Bool> {
    Expr<Bool>(tested(.endsWith, suffix, options), at: level)
  }
}

extension Expr<JSONValue> {
  /// A comparison by order with a constant. All values that pass are of the constant's type.
  static func ordered(_ lhs: Expr, _ comparison: Comparison, _ rhs: JSONValue) -> ConditionTree {
    guard let type = rhs.boundsOfType else { return .constant(false) }
    let path = lhs.term
    let values = lhs.compared(at: path)
    let candidates =
      switch comparison {
      case .less, .lessOrEqual:
        values.between(
          type.lower, ValueBound(rhs, isInclusive: comparison == .lessOrEqual), areAll: false)
      default:
        values.between(
          ValueBound(rhs, isInclusive: comparison == .greaterOrEqual), type.upper, areAll: false)
      }
    let mask = testMask(lhs.accessor) { comparison.holds($0, rhs) }
    return .condition(
      Condition(
        term: .compare(path, comparison, Constant(rhs)), mask: mask, candidates: candidates,
        named: lhs.named))
  }

  /// A comparison by order with another value of the row.
  static func paired(_ lhs: Expr, _ comparison: Comparison, _ rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, comparison, rhs) { comparison.holds($0, $1) }
  }

  /// A test of the value, if it is text; `contains` also looks for the text in an array or object.
  func tested(_ test: TextTest, _ text: String, _ options: TextOptions) -> ConditionTree {
    let path = term
    let mask = testMask(accessor, JSONValue.test(test, text, options))
    // A text that begins with another is never below it.
    let isPrefix = test == .beginsWith && options.isEmpty
    let candidates = compared(at: path).between(
      .inclusive(.string(isPrefix ? text : "")), test == .contains ? nil : .exclusive([]),
      areAll: false)
    return .condition(
      Condition(
        term: .text(path, test, ComparedText(text), options), mask: mask, candidates: candidates,
        named: named))
  }
}

extension JSONValue {
  /// The test of text, prepared for values; `contains` also looks for the text in an array or object.
  static func test(
    _ test: TextTest, _ part: String, _ options: TextOptions
  ) -> @Sendable (JSONValue) -> Bool {
    let matches = test.matcher(part, options)
    let elements = FilterRelation(.contains, options)
    return { value in
      if case .string(let text) = value { return matches(text) }
      return test == .contains && elements.holds(value, .string(part), nil)
    }
  }

  /// Bounds that contain the values of this value's type in the order of all values; nil for the types without an
  /// order: null, arrays and objects.
  fileprivate var boundsOfType: (lower: ValueBound<JSONValue>, upper: ValueBound<JSONValue>)? {
    switch self {
    case .bool: (.inclusive(.bool(false)), .inclusive(.bool(true)))
    case .number: (.exclusive(.bool(true)), .exclusive(.string("")))
    case .string: (.inclusive(.string("")), .exclusive(.array([])))
    case .null, .array, .object: nil
    }
  }
}

extension Comparison {
  /// Whether the comparison holds between two JSON values; only values of one type compare by order.
  package func holds(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    default: holds(JSONValue.relatedOrder(left, right))
    }
  }
}
