/// Whether two values of one type are the same, NaN being the same as itself.
///
/// Proof of sendability: as for `ValueOrder`.
package struct ValueEquality<Value>: @unchecked Sendable {
  private let function: (Value, Value) -> Bool

  /// Nil where `Value` is not `Equatable`.
  package init?(_: Value.Type = Value.self) {
    func make<E: Equatable>(_: E.Type) -> (Value, Value) -> Bool {
      // E is Value itself: it was found by casting the metatype.
      { isSameValue(unsafeBitCast($0, to: E.self), unsafeBitCast($1, to: E.self)) }
    }
    // The first cast of a type searches all conformances of the process, which takes longer than a small query.
    if Value.self == Int.self {
      function = make(Int.self)
    } else if Value.self == String.self {
      function = make(String.self)
    } else {
      guard let equatable = Value.self as? any Equatable.Type else { return nil }
      function = make(equatable)
    }
  }

  package func callAsFunction(_ lhs: Value, _ rhs: Value) -> Bool { function(lhs, rhs) }
}
