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

  /// The test against `pattern`, which is folded once, for texts that are read without a context.
  package func matcher(_ pattern: String, _ options: TextOptions) -> @Sendable (String) -> Bool {
    let matches = matcherInRun(pattern, options)
    guard self == .like || self == .matches else { return { matches($0, nil) } }
    return { matches($0, FilterRun.current) }
  }

  /// The same, in an evaluation that limits what patterns cost.
  package func matcherInRun(
    _ pattern: String, _ options: TextOptions
  ) -> @Sendable (String, FilterRun?) -> Bool {
    let folded = options.fold(pattern)
    switch self {
    case .contains:
      // Foundation's search traps on some texts, and overlooks NUL in others.
      let search = TextSearch(folded)
      return { text, _ in search.isPart(of: options.fold(text)) }
    case .beginsWith: return { text, _ in options.fold(text).hasPrefix(folded) }
    case .endsWith: return { text, _ in options.fold(text).hasSuffix(folded) }
    case .equals: return { text, _ in options.fold(text) == folded }
    case .like:
      let pattern = WildcardPattern(
        pattern, isCaseInsensitive: options.contains(.caseInsensitive),
        isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      return { text, run in
        guard let run else { return pattern.matches(options.fold(text)) }
        return run.matching(options.fold(text), "LIKE", pattern.pattern) {
          pattern.matches($0, steps: &$1, maximumSteps: $2)
        }
      }
    case .matches:
      // A pattern that is none matches nothing; filters refuse it before.
      guard
        let pattern = try? RegularPattern(
          pattern, isCaseInsensitive: options.contains(.caseInsensitive),
          isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      else { return { _, _ in false } }
      FilterRun.current?.madePattern(states: pattern.stateCount)
      return { text, run in
        guard let run else { return pattern.matches(options.fold(text)) }
        return run.matching(options.fold(text), "MATCHES", pattern.pattern) {
          pattern.matches($0, steps: &$1, maximumSteps: $2)
        }
      }
    }
  }
}
