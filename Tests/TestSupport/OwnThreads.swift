package import Testing

/// Runs each test on two threads of its own.
///
/// For tests that suspend very often: in the standard pool, each time they would wait for whatever tests are running there
/// beside them, which may compute for seconds.
package struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for _: Test, testCase _: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await onOwnThreads(function)
  }
}

extension Trait where Self == OwnThreads {
  /// Runs each test on two threads of its own.
  package static var ownThreads: Self { OwnThreads() }
}
