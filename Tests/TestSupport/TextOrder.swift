import Foundation

/// The order of texts as it is documented: by the scalars of their canonical composition.
///
/// Foundation composes what is in these pools, and no more is asked of it here.
package func textOrder(_ lhs: String, _ rhs: String) -> Int {
  if lhs == rhs { return 0 }
  let (left, right) = (lhs.precomposedStringWithCanonicalMapping, rhs.precomposedStringWithCanonicalMapping)
  return left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
}

/// Whether a value is below another, texts in their documented order: what filters mean by `<`.
package func isBelow<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool {
  if let left = lhs as? String, let right = rhs as? String { return textOrder(left, right) < 0 }
  return lhs < rhs
}

extension Pool {
  /// Texts that begin with the same eight bytes and more, in several normal forms: equal ones that are written
  /// differently, and ones between which Swift's `<` does not decide.
  package static let mixedForms = [
    "aaaaaaaa", "aaaaaaaaé,", "aaaaaaaae\u{301}", "aaaaaaaaé", "aaaaaaaae\u{301},", "aaaaaaaae", "aaaaaaaaf",
    "aaaaaaaae,", "aaaaaaaae\u{302}\u{323}", "aaaaaaaaệ", "aaaaaaaae\u{323}\u{302}", "aaaaaaaA\u{30a}",
    "aaaaaaa\u{212b}b", "aaaaaaaÅ", "aaaaaaaaq\u{301}", "aaaaaaaaq",
  ]
}
