import LiveStore

/// The newest steps of a stream, and what is known of its result.
///
/// ```
///   base of step 1   step 1   base of step 2   step 2        result
///   4, 5, 9          ------>  10, 17           ------>       18, 21
/// ```
/// At each of the versions that stand together, the result was looked at, and was the same for a client. At a version between
/// them it may have been another. A client at one of them goes on with the step behind it; for any other, the difference is made
/// for itself.
struct StepRing {
  private(set) var steps: [EncodedStep] = []
  /// Versions at which the result was the newest one, ascending.
  private(set) var current: [UInt64]
  private(set) var rowCount: Int
  private let limit: Int
  private let byteLimit: Int
  private var bytes = 0

  init(at version: UInt64, rowCount: Int, limit: Int, byteLimit: Int) {
    current = [version]
    (self.rowCount, self.limit, self.byteLimit) = (rowCount, limit, byteLimit)
  }

  /// The last version at which the result was looked at.
  var version: UInt64 { current[current.count - 1] }

  /// What a client at a version needs.
  enum Next {
    /// Nothing.
    case upToDate
    /// These steps.
    case steps(ArraySlice<EncodedStep>)
    /// A difference from its version to the newest.
    case difference
  }

  func next(after version: UInt64) -> Next {
    if current.contains(version) { return .upToDate }
    guard let first = steps.firstIndex(where: { $0.base.contains(version) }) else { return .difference }
    return .steps(steps[first...])
  }

  /// The result was looked at again at a later version, and is the same.
  mutating func extend(to version: UInt64) {
    guard version > self.version else { return }
    current.append(version)
    if current.count > limit { current.removeFirst() }
  }

  /// The result is another one, and there is no step to it.
  mutating func restart(at version: UInt64, rowCount: Int) {
    (steps, bytes, current, self.rowCount) = ([], 0, [version], rowCount)
  }

  /// A step to a newer result; old steps go.
  mutating func append(_ step: EncodedStep) {
    steps.append(step)
    bytes += step.size
    (current, rowCount) = ([step.mark.offset.version.number], step.mark.rowCount ?? 0)
    while steps.count > limit || bytes > byteLimit && steps.count > 1 {
      bytes -= steps.removeFirst().size
    }
  }
}
