/// Why a case is not counted as right.
enum CaseFailure: Error {
  /// The package cannot do what the case needs: the capability by name.
  case notApplicable(String)
  /// The answer differs: what was expected, and what was seen.
  case wrong(String)
  /// The case itself cannot be read.
  case malformed(String)
}

extension CaseFailure {
  /// A wrong answer in the form all of them are printed in.
  static func wrong(_ what: String, expected: some Any, seen: some Any) -> CaseFailure {
    .wrong("\(what): expected \(expected), seen \(seen)")
  }
}

/// Fails with both sides unless they are equal.
func demand<Value: Equatable>(_ what: String, expected: Value, seen: Value) throws(CaseFailure) {
  if expected != seen { throw .wrong(what, expected: expected, seen: seen) }
}
