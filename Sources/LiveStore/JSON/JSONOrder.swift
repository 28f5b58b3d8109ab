/// The outcome of comparing two values once, so that nested values are walked once too.
package enum JSONOrder: Sendable {
  case ascending, same, descending

  /// - Parameter sign: negative, zero or positive.
  init(_ sign: Int) { self = sign == 0 ? .same : sign < 0 ? .ascending : .descending }
}
