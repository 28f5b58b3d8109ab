import Foundation

/// What the environment asks of the tests.
package enum Environment {
  /// Whether tests that take minutes are wanted: `LIVESTORE_LONG`.
  package static var isLong: Bool { ProcessInfo.processInfo.environment["LIVESTORE_LONG"] != nil }

  /// Whether randomised and large tests have their full length, as in `Scripts/check.sh`: `LIVESTORE_THOROUGH`.
  package static var isThorough: Bool { ProcessInfo.processInfo.environment["LIVESTORE_THOROUGH"] != nil }

  /// A size of the usual run, or its full length.
  package static func size(_ usual: Int, thorough: Int) -> Int { isThorough ? thorough : usual }

  /// How long the stress tests last together: `LIVESTORE_STRESS_SECONDS`, 1 unless set.
  package static var stressSeconds: Double {
    ProcessInfo.processInfo.environment["LIVESTORE_STRESS_SECONDS"].flatMap(Double.init) ?? 1
  }
}
