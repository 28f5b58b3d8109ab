import Synchronization

/// Numbers for rows and stamps of groups, unique in the process.
///
/// The same groups are maintained along several lines of versions: the newest results, the results at an earlier
/// start position, and the baselines of observers that exclude origins. Their trees are compared, so a number must
/// mean the same in all (G3).
enum GroupNumbers {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { next(1) }

  /// The first of `count` consecutive numbers.
  static func next(_ count: Int) -> UInt64 {
    last.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue + 1
  }
}
