/// What a run of histories is like.
public struct Options: Sendable {
  /// Whether texts have mixed normal forms and long common prefixes.
  public var nastyTexts = true
  /// Whether numbers and dates are extreme.
  public var nastyNumbers = true
  /// Whether NaN stands inside arrays and embedded values.
  public var nestedNaN = true
  /// How many steps a history has.
  public var steps = 40
  /// Whether tables have thousands of rows, so that trees split and merge.
  public var isLarge = false
  /// Whether each step is printed.
  public var isVerbose = false

  /// The defaults.
  public init() {}
}
