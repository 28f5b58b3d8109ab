/// A time that was measured, since the store was made.
///
/// Of an instant the compiler does not know the size, so each one that is held or passed costs some hundred instructions.
struct RecordedTime: Sendable {
  let nanoseconds: Int

  static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}
