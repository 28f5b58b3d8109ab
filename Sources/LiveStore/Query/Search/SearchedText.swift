/// The text that a search reads in a row: of one expression, or of all searchable properties.
struct SearchedText: Sendable {
  /// Its path, as conditions name it.
  let path: Term
  /// Where it is: the paths of the words in the properties, any of which may have a word.
  let properties: [Term]
  /// The values read over links that it names.
  let named: [NamedValue]
  let isConsistent: Bool
  /// For each property, a function that calls a body with each of its texts.
  let readers: [Reader]

  typealias Reader = @Sendable (UnsafeRawPointer, ReadContext, (String) -> Void) -> Void

  init<Value: SearchableText>(_ expr: Expr<Value>) {
    (path, named) = (expr.term, expr.named)
    properties = [path.ofWords]
    isConsistent = haveConsistentTexts(Value.self)
    let accessor = expr.accessor
    readers = [{ accessor.read($0, $1).forEachSearchableText($2) }]
  }

  /// All searchable properties of an entity.
  init<Element: Entity>(of _: Element.Type) {
    let parts = Element.schema.definitions.filter { $0.options.contains(.searchable) }
      .compactMap { definition in definition.typed.flatMap { SearchedText(property: $0) } }
    precondition(
      !parts.isEmpty,
      "\(Element.self) has no property to search. Write Property(\\.…, .searchable) in its schema, or search one property by $0.….search(…)."
    )
    path = .row(0)
    properties = parts.flatMap(\.properties)
    named = []
    isConsistent = parts.allSatisfy(\.isConsistent)
    readers = parts.flatMap(\.readers)
  }

  /// Nil if the property has no text.
  private init?<P: TypedProperty>(property: P) {
    func make<Text: SearchableText>(_: Text.Type) -> SearchedText? {
      typedKeyPath(property.keyPath, P.Element.self, Text.self).map { SearchedText(Row<P.Element>()[$0]) }
    }
    guard let text = (P.Value.self as? any SearchableText.Type).flatMap({ make($0) }) else { return nil }
    self = text
  }
}

// MARK: Conditions

extension SearchedText {
  /// The filter of the rows that a pattern finds. Each term is a condition of its own, so the planner and the router
  /// choose among them (K3).
  func filter(_ pattern: SearchPattern) -> ConditionTree {
    func tree(_ part: SearchPattern.Part) -> ConditionTree {
      switch part {
      case .term(let term): .condition(condition(term))
      case .all(let parts): .all(of: parts.map(tree))
      case .any(let parts): .any(of: parts.map(tree))
      case .not(let part): tree(part).negated
      }
    }
    return pattern.part.map(tree) ?? .constant(true)
  }

  /// Whether some text has a term. The test reads the row alone, so it gives the same answer with and without an
  /// index (K4).
  private func condition(_ term: SearchTerm) -> Condition {
    let (readers, matcher) = (readers, SearchTermMatcher(term))
    let mask = testMask(
      Accessor<Bool>.function { row, context in
        var isFound = false
        for read in readers where !isFound {
          read(row, context) { text in
            if isFound || context.run?.read(text, isFolded: true) == false { return }
            isFound = matcher.isFound(in: text)
          }
        }
        return isFound
      }
    ) { $0 }
    // The longest word is likely the rarest, where only one can be looked up.
    let keys = zip(term.words, term.keys).sorted { $0.0.count > $1.0.count }.map(\.1)
    let candidates = keys.map { SearchArgument(path.ofWords, self, keys: $0) }
    return Condition(
      term: .search(path, term), mask: mask, candidates: candidates.first, named: named,
      furtherCandidates: Array(candidates.dropFirst()))
  }
}
