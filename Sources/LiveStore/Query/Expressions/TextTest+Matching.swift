extension TextTest {
  /// The test against `pattern`, which is folded once, for texts that are read without a context.
  package func matcher(_ pattern: String, _ options: TextOptions) -> @Sendable (String) -> Bool {
    let matches = matcherInRun(pattern, options)
    if self == .like || self == .matches || !options.isEmpty { return { matches($0, FilterRun.current) } }
    // Looking up the evaluation takes longer than searching a short text.
    return { matches($0, FilterRun.isLong($0) ? FilterRun.current : nil) }
  }

  /// The same, in an evaluation that limits the cost of patterns.
  package func matcherInRun(
    _ pattern: String, _ options: TextOptions
  ) -> @Sendable (String, FilterRun?) -> Bool {
    let isFolded = !options.isEmpty
    // A pattern that is a value of the row is folded, and divided into characters, for each row.
    if isFolded || FilterRun.isLong(pattern) { _ = FilterRun.current?.read(pattern, isFolded: isFolded) }
    if self == .contains || self == .like { FilterRun.current?.madePattern(states: pattern.utf8.count) }
    let folded = options.fold(pattern)
    @Sendable func goesOn(_ run: FilterRun?, _ text: String) -> Bool {
      run?.read(text, isFolded: isFolded) ?? true
    }
    switch self {
    case .contains:
      // Foundation's search traps on some texts, and overlooks NUL in others.
      let search = TextSearch(folded)
      return { goesOn($1, $0) && search.isPart(of: options.fold($0)) }
    case .beginsWith where isFolded: return { goesOn($1, $0) && options.fold($0).begins(with: folded) }
    case .endsWith where isFolded: return { goesOn($1, $0) && options.fold($0).ends(with: folded) }
    case .beginsWith: return { goesOn($1, $0) && $0.begins(with: folded) }
    case .endsWith: return { goesOn($1, $0) && $0.ends(with: folded) }
    case .equals: return { goesOn($1, $0) && isSameText(options.fold($0), folded) }
    case .like:
      let pattern = WildcardPattern(
        pattern, isCaseInsensitive: options.contains(.caseInsensitive),
        isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      return { text, run in
        guard let run else { return pattern.matches(options.fold(text)) }
        return goesOn(run, text)
          && run.matching(options.fold(text), "LIKE", pattern.pattern) {
            pattern.matches($0, steps: &$1, maximumSteps: $2)
          }
      }
    case .matches:
      // An invalid pattern matches nothing; filters refuse it earlier.
      guard
        let pattern = try? RegularPattern(
          pattern, isCaseInsensitive: options.contains(.caseInsensitive),
          isDiacriticInsensitive: options.contains(.diacriticInsensitive))
      else {
        FilterRun.current?.madePattern(states: 8 * min(pattern.utf8.count, RegularPattern.maximumLength))
        return { _, _ in false }
      }
      FilterRun.current?.madePattern(states: pattern.madeStates)
      return { text, run in
        guard let run else { return pattern.matches(options.fold(text)) }
        return goesOn(run, text)
          && run.matching(options.fold(text), "MATCHES", pattern.pattern) {
            pattern.matches($0, steps: &$1, maximumSteps: $2)
          }
      }
    }
  }
}
