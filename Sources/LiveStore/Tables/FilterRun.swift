import Synchronization

/// One evaluation of filters: its counts and limits, the answers it remembers, and why it ended early.
///
/// Filters find it in their context (`ReadContext.run`); code without a context finds it by task or thread. A
/// filter that is evaluated outside any run has no limit.
///
/// Besides the rows that the query visits, a filter's cost comes from following links, from elements, from
/// long texts and from patterns. All four are counted here, and each row counts for as much as there are
/// conditions to test. Processor time bounds all other work. Once a run is stopped, every test that could
/// take long returns false at once, and no result is used: the negation of such a test is true (Q13).
///
/// State: the counts are atomic; the first error and the answers that are remembered are guarded by their
/// mutexes. A limited run is used only by the thread that evaluates; so are most others.
package final class FilterRun: Sendable {
  @TaskLocal package static var current: FilterRun?

  /// How many rows may be visited, if that is limited.
  private let maximumVisits: Int?
  /// How many visits the visit of one row counts as.
  private let weight: Int
  /// Whether the run's processor time is limited with its visits.
  private let isTimed: Bool
  /// Whether nothing waits for the result any more.
  private let isAbandoned: (@Sendable () -> Bool)?
  private let visits = Atomic(0)
  private let nextCheck = Atomic(0)
  /// The processor time of the thread at which the run ends; 0 before the first check.
  private let deadline = Atomic(0)
  /// The processor time of the last check.
  private let lastCheck = Atomic(0)
  private let hasEnded = Atomic(false)
  private let error = Mutex<StoreError?>(nil)
  private let answers = Mutex<[Question: Bool]>([:])

  /// A condition on an object, in tables of a version (`ReadContext.version`).
  private struct Question: Hashable {
    let condition: UInt64
    /// The object's address.
    let object: UInt
    let version: UInt64
  }

  /// How many visits lie between two checks of whether the result is still wanted and time is left.
  private static let checkedVisits = 256

  /// - Parameters:
  ///   - maximumVisits: how many rows may be visited; nil for any number.
  ///   - weight: how many visits one counts as, by what the filter tests in a row (``QueryStage/weight``).
  ///   - isTimed: whether processor time is limited with visits; else the run depends on its counts alone.
  ///   - isAbandoned: whether nothing waits for the result any more. It is called every few hundred visits.
  package init(
    maximumVisits: Int? = nil, weight: Int = 1, isTimed: Bool = true,
    isAbandoned: (@Sendable () -> Bool)? = nil
  ) {
    self.maximumVisits = maximumVisits
    self.weight = weight
    (self.isTimed, self.isAbandoned) = (isTimed, isAbandoned)
    // The first visit of a limited run starts its time.
    nextCheck.store(maximumVisits == nil ? Self.checkedVisits - 1 : 0, ordering: .relaxed)
  }
}

// MARK: Running

extension FilterRun {
  /// Evaluates a closure in this run.
  package func callAsFunction<Result>(_ evaluate: () -> Result) -> Result {
    Self.$current.withValue(self) { evaluate() }
  }

  /// Evaluates a closure in a run, if there is one.
  static func within<Result>(_ run: FilterRun?, _ evaluate: () -> Result) -> Result {
    run.map { $0(evaluate) } ?? evaluate()
  }

  /// Why the run ended early, if it did.
  package var failure: StoreError? { error.withLock { $0 } }
}

// MARK: Limits

extension FilterRun {
  package var visitCount: Int { visits.load(ordering: .relaxed) }

  /// Whether the run has ended before all was evaluated.
  package var isStopped: Bool { hasEnded.load(ordering: .relaxed) }

  /// Counts visited rows, or work that costs as much.
  ///
  /// - Returns: whether to go on.
  @discardableResult
  package func visit(_ count: Int = 1) -> Bool { spend(count &* weight) }

  /// The same for work that takes as long as some visits of rows without conditions.
  @discardableResult
  func spend(_ count: Int) -> Bool {
    // Reading and writing are two steps: the count of a thread that evaluates beside this one may be lost.
    let sum = visits.load(ordering: .relaxed) &+ count
    visits.store(sum, ordering: .relaxed)
    if sum <= nextCheck.load(ordering: .relaxed) { return !isStopped }
    return check(sum)
  }

  /// How many elements are compared with a value, or added, in about the time that the visit of a row takes.
  private static let comparedElements = 8

  /// How many comparisons of rows that are sorted count as one visit.
  static let comparedTies = 32

  /// Counts elements that are compared with a value, or added.
  ///
  /// - Returns: whether to go on.
  @discardableResult
  func compare(elements count: Int) -> Bool { spend(count / Self.comparedElements) }

  var isLimited: Bool { maximumVisits != nil }

  /// Whether to go on with work that may take long for one row, however it is counted. A limited run then
  /// checks the processor time, at most once in a millisecond.
  func goesOn() -> Bool {
    guard isLimited, !isStopped else { return !isStopped }
    return !isDue || check(visitCount)
  }

  /// Whether a millisecond has passed since the processor time was checked.
  private var isDue: Bool {
    ProcessorTime.ofClock.nanoseconds &- lastCheck.load(ordering: .relaxed) > 1_000_000
  }

  private func check(_ sum: Int) -> Bool {
    if let maximumVisits {
      if sum > maximumVisits || !hasTime(for: maximumVisits) { stop(.tooManyVisits(maximumVisits)) }
    }
    if isAbandoned?() == true { stop(.abandoned()) }
    nextCheck.store(min(maximumVisits ?? .max, sum &+ Self.checkedVisits), ordering: .relaxed)
    return !isStopped
  }

  /// Whether the run has worked no longer than so many visits may take.
  private func hasTime(for visits: Int) -> Bool {
    guard isTimed, isDue else { return true }
    lastCheck.store(ProcessorTime.ofClock.nanoseconds, ordering: .relaxed)
    let (now, deadline) = (ProcessorTime.ofThread.nanoseconds, deadline.load(ordering: .relaxed))
    if deadline > 0 { return now <= deadline }
    self.deadline.store(max(1, now + Self.maximumTime(visits)), ordering: .relaxed)
    return true
  }

  /// How long an evaluation may work, in nanoseconds of processor time: 20 µs for each visit that it may
  /// make, many times the time of a visit, and no less than a fifth of a second. Code that is not optimised
  /// takes ten times as long.
  private static func maximumTime(_ visits: Int) -> Int {
    let unit = _isDebugAssertConfiguration() ? 200_000 : 20_000
    return unit * max(10_000, min(visits, 1 << 40))
  }

  /// Ends it with an error.
  package func stop(_ error: StoreError) {
    self.error.withLock { $0 = $0 ?? error }
    hasEnded.store(true, ordering: .relaxed)
  }
}

// MARK: Values

extension FilterRun {
  /// How many bytes are searched, and how many folded, in about the time that the visit of a row takes.
  private static let (searchedBytes, foldedBytes) = (512, 64)

  /// Whether reading a text counts.
  static func isLong(_ text: String) -> Bool { text.utf8.count >= searchedBytes }

  /// Counts a text that is searched or measured, or folded, which takes longer, as it does if not ASCII.
  ///
  /// - Returns: whether to go on.
  func read(_ text: String, isFolded: Bool, times: Int = 1) -> Bool {
    let isSlow =
      isFolded || isLimited && text.utf8.count >= Self.foldedBytes && !text.utf8.allSatisfy { $0 < 0x80 }
    return spend(text.utf8.count &* times / (isSlow ? Self.foldedBytes : Self.searchedBytes))
  }

  /// Counts data that is searched.
  ///
  /// - Returns: whether to go on.
  func read(bytes count: Int) -> Bool { spend(count / Self.searchedBytes) }

  /// Counts a power of decimals, computed by up to two products of 38 digits for each bit of the exponent.
  ///
  /// - Returns: whether to go on.
  func computePower() -> Bool { spend(64) }

  /// Counts an operation on decimals.
  ///
  /// - Returns: whether to go on.
  func computeDecimal() -> Bool { spend(8) }
}

// MARK: Patterns

extension FilterRun {
  /// How many steps of a pattern cost as much as the visit of a row.
  private static let stepsPerVisit = 100

  /// After how many steps matching a text with a pattern is given up: a pattern may take many for a short text, or some
  /// for each character of a long one.
  package static func maximumSteps(_ text: String) -> Int { 100_000 + 1_000 * min(text.utf8.count, 1 << 40) }

  /// Matches a text with a pattern, within the limit of its cost.
  func matching(
    _ text: String, _ relation: String, _ pattern: String,
    _ matches: (_ text: String, _ steps: inout Int, _ maximum: Int) -> Bool
  ) -> Bool {
    if isStopped { return false }
    var steps = 0
    let maximum = Self.maximumSteps(text)
    let answer = matches(text, &steps, maximum)
    if steps > maximum { stop(.tooExpensive(relation, pattern, maximum)) }
    if steps >= Self.stepsPerVisit { spend(steps / Self.stepsPerVisit) }
    return answer
  }

  /// Counts a pattern with some states that is made for a row.
  func madePattern(states: Int) { spend(states * 10 / Self.stepsPerVisit) }
}

// MARK: Answers

extension FilterRun {
  private static let conditions = Atomic<UInt64>(0)

  /// A number for a condition whose answers are remembered.
  static func makeCondition() -> UInt64 { conditions.add(1, ordering: .relaxed).newValue }

  /// Whether an object meets a condition, tested once.
  ///
  /// - Parameter object: an object of the tables that the context reads, which live as long as the run.
  func answer(
    _ condition: UInt64, _ object: UnsafeRawPointer, _ context: ReadContext, _ test: () -> Bool
  ) -> Bool {
    let question = Question(
      condition: condition, object: UInt(bitPattern: object), version: context.version)
    if let known = answers.withLock({ $0[question] }) { return known }
    let answer = test()
    if !isStopped { answers.withLock { $0[question] = answer } }
    return answer
  }
}

extension StoreError {
  /// The error of a run that would visit more rows than its limit.
  fileprivate static func tooManyVisits(_ limit: Int) -> StoreError {
    var error = StoreError(
      filterTooExpensive,
      "The filter visits more than \(limit) rows, which is its limit, or takes longer than so many may. Select fewer rows, test less in each, or follow fewer links."
    )
    error.limit = .visits
    return error
  }

  /// The error of a pattern that takes too many steps for a text.
  fileprivate static func tooExpensive(_ relation: String, _ pattern: String, _ limit: Int) -> StoreError {
    var error = StoreError(
      filterTooExpensive,
      "\(relation) \(MessageText.line(shown(pattern), maximum: 200)) takes more than \(limit) steps for one text. Repeat less that may match in many ways, such as groups that may be empty."
    )
    error.limit = .pattern
    return error
  }

  /// The error of an evaluation whose result is not wanted any more.
  fileprivate static func abandoned() -> StoreError {
    StoreError(cancelled, "The evaluation of a filter ended, since the task that asked for it was cancelled.")
  }
}
