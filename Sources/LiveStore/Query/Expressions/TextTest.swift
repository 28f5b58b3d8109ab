/// A test of text; patterns take time linear in the text (F5).
@usableFromInline
package enum TextTest: String, Sendable {
  case contains, beginsWith, endsWith
  /// Equal under the options.
  case equals
  /// With `?` for one character and `*` for any number.
  case like
  /// By a regular expression.
  case matches

  /// The test against `pattern`, which is folded once.
  package func matcher(_ pattern: String, _ options: TextOptions) -> @Sendable (String) -> Bool {
    let folded = options.fold(pattern)
    switch self {
    case .contains:
      // Foundation's search traps on some texts, and overlooks NUL in others.
      let search = TextSearch(folded)
      return { search.isPart(of: options.fold($0)) }
    case .beginsWith: return { options.fold($0).hasPrefix(folded) }
    case .endsWith: return { options.fold($0).hasSuffix(folded) }
    case .equals: return { options.fold($0) == folded }
    case .like:
      let pattern = WildcardPattern(
        pattern, isCaseInsensitive: options.contains(.caseInsensitive),
        isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      return { text in
        FilterRun.matching(options.fold(text), "LIKE", pattern.pattern) {
          pattern.matches($0, steps: &$1, maximumSteps: $2)
        }
      }
    case .matches:
      // A pattern that is none matches nothing; filters refuse it before.
      guard
        let pattern = try? RegularPattern(
          pattern, isCaseInsensitive: options.contains(.caseInsensitive),
          isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      else { return { _ in false } }
      return { text in
        FilterRun.matching(options.fold(text), "MATCHES", pattern.pattern) {
          pattern.matches($0, steps: &$1, maximumSteps: $2)
        }
      }
    }
  }
}
