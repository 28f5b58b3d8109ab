import Foundation

/// What the environment asks of the tests.
package enum Environment {
  /// Whether tests that take minutes are wanted: `LIVESTORE_LONG`.
  package static var isLong: Bool { ProcessInfo.processInfo.environment["LIVESTORE_LONG"] != nil }

  /// How long the stress tests last together: `LIVESTORE_STRESS_SECONDS`, 2 unless set.
  package static var stressSeconds: Double {
    ProcessInfo.processInfo.environment["LIVESTORE_STRESS_SECONDS"].flatMap(Double.init) ?? 2
  }
}
