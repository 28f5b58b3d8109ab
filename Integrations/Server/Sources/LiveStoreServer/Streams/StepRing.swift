import LiveStore

/// The newest steps of a stream, and what is known of its result.
///
/// ```
///   base of step 1   step 1   base of step 2   step 2        result
///   |------------|  -------> |-------------|  -------> |---------------|
///   4 … 9                    10 … 17                    18  …  checked
/// ```
/// In each range of versions the result is the same for a client, as far as is known; a version between two ranges may be like
/// either. A client in a range goes on with the step behind it. For any other, the difference is made for itself.
struct StepRing {
  private(set) var steps: [EncodedStep] = []
  /// The versions at which the result is known to be the newest one.
  private(set) var current: ClosedRange<UInt64>
  private(set) var rowCount: Int
  private let limit: Int
  private let byteLimit: Int
  private var bytes = 0

  init(at version: UInt64, rowCount: Int, limit: Int, byteLimit: Int) {
    current = version...version
    (self.rowCount, self.limit, self.byteLimit) = (rowCount, limit, byteLimit)
  }

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

  /// The result has not changed up to a version.
  mutating func extend(to version: UInt64) {
    current = current.lowerBound...max(current.upperBound, version)
  }

  /// A step to a newer result; old steps go.
  mutating func append(_ step: EncodedStep) {
    steps.append(step)
    bytes += step.size
    (current, rowCount) = (
      step.mark.offset.version.number...step.mark.offset.version.number, step.mark.rowCount
    )
    while steps.count > limit || bytes > byteLimit && steps.count > 1 {
      bytes -= steps.removeFirst().size
    }
  }
}
