import Foundation

/// What the environment asks of the tests.
///
/// A variable whose value means nothing ends the process: a run that ignores what it was asked for would pass
/// for one that does it. An empty one is as one that is not set.
package enum Environment {
  /// Whether tests that take minutes are wanted: `LIVESTORE_LONG=1`.
  package static let isLong: Bool = isOn("LIVESTORE_LONG")

  /// Whether randomised and large tests have their full length, as in `Scripts/check.py`:
  /// `LIVESTORE_THOROUGH=1`.
  package static let isThorough: Bool = isOn("LIVESTORE_THOROUGH")

  /// A size of the usual run, or its full length.
  package static func size(_ usual: Int, thorough: Int) -> Int { isThorough ? thorough : usual }

  /// Sizes of the usual run, and those that its full length has besides.
  package static func sizes<Size>(_ usual: [Size], thorough more: [Size]) -> [Size] {
    isThorough ? usual + more : usual
  }

  /// How long the stress tests last together: `LIVESTORE_STRESS_SECONDS`, a moment unless set.
  package static let stressSeconds: Double =
    value("LIVESTORE_STRESS_SECONDS", "a number of seconds above 0", seconds) ?? (isThorough ? 2 : 0.3)

  /// The value of a variable, nil if it is not set.
  ///
  /// - Parameters:
  ///   - meaning: what the variable holds, for the message of one that does not.
  ///   - read: nil for a text that is no such value.
  package static func value<Value>(
    _ name: String, _ meaning: String, _ read: (String) -> Value?
  ) -> Value? {
    guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return nil }
    // A precondition says nothing in optimised builds.
    guard let value = read(text) else { fatalError("\(name)=\(text) is not \(meaning).") }
    return value
  }

  /// How many of something a variable asks for, nil if it is not set.
  package static func count(_ name: String) -> Int? {
    value(name, "a whole number of at least 1") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  private static func isOn(_ name: String) -> Bool {
    let answers = ["1": true, "0": false]
    return value(name, "1 for yes or 0 for no", { answers[$0] }) ?? false
  }

  private static func seconds(_ text: String) -> Double? {
    guard let seconds = Double(text), seconds > 0, seconds.isFinite else { return nil }
    return seconds
  }
}
