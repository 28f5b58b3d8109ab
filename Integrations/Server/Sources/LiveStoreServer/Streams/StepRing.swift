import LiveStore

/// The newest steps of a stream, and what is known of its result.
///
/// ```
///   difference   base of step 1   step 1   base of step 2   step 2        result
///   2  ------->  4, 5, 9          ------>  10, 17           ------>       18, 21
/// ```
/// At each of the versions that stand together, the result was looked at, and was the same for a client. At a version between
/// them it may have been another. A client at one of them goes on with the step behind it. For a client at any other version a
/// difference is made, to the newest version then; it serves others that come from there for as long as steps lead on.
struct StepRing {
  private(set) var steps: [EncodedStep] = []
  /// Versions at which the result was the newest one, ascending.
  private(set) var current: [UInt64]
  private(set) var rowCount: Int
  private var differences: [EncodedStep] = []
  /// From this version and those before it, clients get a snapshot: what is known to lead on from there is too large.
  private var lastWithoutStep: UInt64?
  private let limit: Int
  private let byteLimit: Int

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
    case steps([EncodedStep])
    /// A difference from its version to the newest.
    case difference
    /// The whole result.
    case snapshot
  }

  func next(after version: UInt64) -> Next {
    if let steps = steps(from: version) { return steps.isEmpty ? .upToDate : .steps(Array(steps)) }
    if let difference = differences.last(where: { $0.base.contains(version) }),
      let rest = steps(from: difference.mark.offset.version.number)
    {
      let steps = (difference.isEmpty ? [] : [difference]) + rest
      return steps.isEmpty ? .upToDate : .steps(steps)
    }
    if let lastWithoutStep, version <= lastWithoutStep { return .snapshot }
    return .difference
  }

  /// The steps from a version to the newest; nil if the version is at the beginning of none.
  private func steps(from version: UInt64) -> ArraySlice<EncodedStep>? {
    if current.contains(version) { return [] }
    return steps.firstIndex { $0.base.contains(version) }.map { steps[$0...] }
  }

  /// The result was looked at again at a later version, and is the same.
  mutating func extend(to version: UInt64) {
    guard version > self.version else { return }
    current.append(version)
    if current.count > limit { current.removeFirst() }
    removeDeadEnds()
  }

  /// The result is another one, and there is no step to it.
  mutating func restart(at version: UInt64, rowCount: Int) {
    lastWithoutStep = self.version
    (steps, differences, current, self.rowCount) = ([], [], [version], rowCount)
  }

  /// A step to a newer result; old steps are removed.
  mutating func append(_ step: EncodedStep) {
    steps.append(step)
    steps.trim(count: limit, bytes: byteLimit)
    (current, rowCount) = ([step.mark.offset.version.number], step.mark.rowCount ?? 0)
    removeDeadEnds()
  }

  /// A difference from a version to one that was the newest when it was begun; nil if it is too large, or cannot be made.
  mutating func add(_ difference: EncodedStep?, from version: UInt64) {
    guard let difference else { return lastWithoutStep = max(lastWithoutStep ?? 0, version) }
    differences.append(difference)
    differences.trim(count: limit, bytes: byteLimit)
    removeDeadEnds()
  }

  /// Removes differences to versions from which no step leads on any more.
  private mutating func removeDeadEnds() {
    guard !differences.isEmpty else { return }
    differences = differences.filter { steps(from: $0.mark.offset.version.number) != nil }
  }
}

extension [EncodedStep] {
  /// Removes the oldest steps, until there are as few as there may be; the newest stays, whatever its size.
  fileprivate mutating func trim(count limit: Int, bytes byteLimit: Int) {
    var bytes = reduce(0) { $0 + $1.size }
    while count > limit || bytes > byteLimit && count > 1 { bytes -= removeFirst().size }
  }
}
