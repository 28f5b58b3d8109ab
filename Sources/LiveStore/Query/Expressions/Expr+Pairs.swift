// Comparisons of two values of a row that are not of one type: numbers of different types, optional and not; a text in
// another one.

extension Expr where Value: FilterOperand {
  /// Whether two numbers of the row are equal, also of different types: `$0.paid == $0.price`.
  ///
  /// Integers and integral floating-point numbers below 2^63 are compared exactly, other floating-point numbers as the
  /// decimals that they print as: a `Double` of 0.1 equals a `Decimal` of 0.1. NaN equals nothing; nil equals nil.
  @_disfavoredOverload
  public static func == <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .equal, rhs)
  }

  /// Whether two numbers of the row differ, also of different types.
  @_disfavoredOverload
  public static func != <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .notEqual, rhs)
  }

  /// Whether one number of the row is below another, also of another type; false where one is nil.
  @_disfavoredOverload
  public static func < <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .less, rhs)
  }

  /// Whether one number of the row is at most another, also of another type; false where one is nil.
  @_disfavoredOverload
  public static func <= <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .lessOrEqual, rhs)
  }

  /// Whether one number of the row is above another, also of another type; false where one is nil.
  @_disfavoredOverload
  public static func > <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .greater, rhs)
  }

  /// Whether one number of the row is at least another, also of another type; false where one is nil.
  @_disfavoredOverload
  public static func >= <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Bool> {
    Conditions.relating(lhs, .greaterOrEqual, rhs)
  }
}

extension Expr where Value: FilterText {
  /// Whether the text contains another text of the row; every text contains a missing one.
  public func contains<Other: FilterText>(_ other: Expr<Other>, options: TextOptions = []) -> Expr<Bool> {
    Conditions.relating(self, .contains, other, options)
  }

  /// Whether the text begins with another text of the row; every text begins with a missing one; a missing text does with none.
  public func beginsWith<Other: FilterText>(_ other: Expr<Other>, options: TextOptions = []) -> Expr<Bool> {
    Conditions.relating(self, .beginsWith, other, options)
  }

  /// Whether the text ends with another text of the row; every text ends with a missing one; a missing text does with none.
  public func endsWith<Other: FilterText>(_ other: Expr<Other>, options: TextOptions = []) -> Expr<Bool> {
    Conditions.relating(self, .endsWith, other, options)
  }

  /// Whether the text equals another text of the row under options; false where one is nil.
  public func equals<Other: FilterText>(_ other: Expr<Other>, options: TextOptions) -> Expr<Bool> {
    if options.isEmpty, let left = self as? Expr<String>, let right = other as? Expr<String> {
      return left == right
    }
    let equal = Conditions.relating(self, .equal, other, options)
    guard let left = self as? Expr<String?>, let right = other as? Expr<String?> else { return equal }
    // Two missing texts are equal, as in a text filter.
    return (options.isEmpty ? left == right : equal) && left != nil
  }

  /// Whether the text matches a pattern of the row with `?` and `*`; false where one is nil.
  public func like<Other: FilterText>(_ pattern: Expr<Other>, options: TextOptions = []) -> Expr<Bool> {
    Conditions.relating(self, .like, pattern, options)
  }
}

extension Conditions {
  /// A relation of two values of a row that are read at run time.
  static func relating<Left, Right>(
    _ lhs: Expr<Left>, _ operator: RelationalOperator, _ rhs: Expr<Right>, _ options: TextOptions = []
  ) -> Expr<Bool> {
    let (left, right) = (ValueConversion<Left>(), ValueConversion<Right>())
    let relation = FilterRelation(`operator`, options)
    let isFolded = !options.isEmpty
    return pairing(lhs, rhs, { .pair($0, TermRelation(`operator`, options), $1) }) {
      // Texts that are folded count. Looking up the evaluation takes longer than comparing two numbers.
      relation.holds(left.convert($0), right.convert($1), isFolded ? FilterRun.current : nil)
    }
  }
}
