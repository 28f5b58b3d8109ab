/// A time that was measured, since the store was made.
///
/// Of an instant the compiler does not know the size, so each one that is held or passed costs some hundred instructions.
struct RecordedTime: Sendable {
  let nanoseconds: Int

  static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

extension Duration {
  /// Whole nanoseconds; as many as 64 bits have for a longer duration.
  ///
  /// One division by the processor: `components` multiplies and divides 128 bits three times.
  var nanoseconds: Int64 {
    let (attoseconds, divisor) = (self.attoseconds, Int64(1_000_000_000))
    let high = Int64(truncatingIfNeeded: attoseconds >> 64)
    if high.magnitude >= 1 << 28 { return attoseconds < 0 ? .min : .max }
    return divisor.dividingFullWidth((high, UInt64(truncatingIfNeeded: attoseconds))).quotient
  }
}
