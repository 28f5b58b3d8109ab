import Synchronization

/// The errors that the predicates of a query threw during its evaluation.
///
/// A row whose predicate throws does not pass. The caller that evaluates such a query collects the errors by task or
/// thread, so they need no parameter in every function that reads rows.
///
/// State: the first error; guarded by its mutex.
package final class FilterFailures: Sendable {
  @TaskLocal private static var collector: FilterFailures?

  private let first = Mutex<StoreError?>(nil)

  init(_ error: StoreError? = nil) {
    if let error { first.withLock { $0 = error } }
  }

  /// The first error that was collected.
  var error: StoreError? { first.withLock { $0 } }

  /// Records that a predicate threw.
  static func record(_ error: @autoclosure () -> StoreError) {
    guard let collector, collector.error == nil else { return }
    let error = error()
    collector.first.withLock { $0 = $0 ?? error }
  }

  /// Evaluates a closure in which predicates may throw, and returns the errors, if any.
  static func collect<Result>(_ evaluate: () -> Result) -> (result: Result, failures: FilterFailures?) {
    let failures = FilterFailures()
    let result = $collector.withValue(failures) { evaluate() }
    return (result, failures.error == nil ? nil : failures)
  }
}

extension ConditionTree {
  /// Whether it has predicates whose errors are reported. They are only found directly in a conjunction.
  var mayThrow: Bool {
    conjuncts.contains { filter in
      if case .condition(let condition) = filter, case .predicate(_, true) = condition.form { return true }
      return false
    }
  }
}

extension [QueryStage] {
  /// Whether evaluation may end with errors.
  var mayThrow: Bool { contains { $0.filter.mayThrow } }
}
