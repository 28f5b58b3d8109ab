// The meaning of a comparison for values of any kind. Every other way to run a filter gives the same answers (F3).
//
// - `==`, `!=` and `IN` compare values: numbers of any types by value, nil equals nil, and nil is `!=` to everything
//   else. With options, two texts are compared folded.
// - `<`, `<=`, `>`, `>=` and BETWEEN are false unless both sides have an order: two numbers, texts, dates …
// - CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES are false unless both sides are text; the first three also compare
//   data, and CONTAINS looks for an element in a list. TEXT searches a text for words. A missing part is part of every text, as an empty one is.
// - Where one side is a list and the relation is about single values, some element must pass; ANY, ALL and NONE say
//   otherwise. The right side of IN is a list; anything else contains nothing.

/// A value with the number of its elements that must pass.
struct FilterSide {
  let value: FilterValue
  let quantifier: FilterSyntax.Quantifier?
  /// Whether it stands for its elements, also without a quantifier. Values of unknown types do not.
  let isSeveral: Bool

  /// The elements of a list; none for a missing one.
  fileprivate var elements: [FilterValue] {
    switch value {
    case .list(let elements): elements
    case .missing: []
    default: [value]
    }
  }
}

extension FilterSyntax.Quantifier {
  fileprivate func holds(
    _ elements: [FilterValue], _ run: FilterRun?, _ test: (FilterValue) -> Bool
  ) -> Bool {
    if run?.visit(elements.count) == false { return false }
    return switch self {
    case .any: elements.contains(where: test)
    case .all: elements.allSatisfy(test)
    case .noElement: !elements.contains(where: test)
    }
  }
}

/// A relation prepared for values: the pattern of a constant text is compiled once.
struct FilterRelation: Sendable {
  let relation: FilterSyntax.Relation
  let options: TextOptions
  /// The test of a text against the constant on the right.
  private let constant: (text: String, test: @Sendable (String, FilterRun?) -> Bool)?
  /// The words of a constant text on the right.
  private let words: SearchPattern?
  /// The texts of a constant list on the right, folded and composed.
  private let foldedTexts: Set<[UInt8]>?

  /// - Parameter right: the value on the right, if it is a constant.
  init(_ relation: FilterSyntax.Relation, _ options: TextOptions, constant right: FilterValue? = nil) {
    (self.relation, self.options) = (relation, options)
    if case .text(let text)? = right, let test = relation.textTest {
      constant = (text, test.matcherInRun(text, options))
    } else {
      constant = nil
    }
    if case .text(let text)? = right, relation == .text { words = SearchPattern(text) } else { words = nil }
    if case .list(let elements)? = right, relation == .in, !options.isEmpty {
      foldedTexts = Set(
        elements.compactMap { if case .text(let text) = $0 { Self.folded(text, options) } else { nil } })
    } else {
      foldedTexts = nil
    }
  }

  /// Whether the relation holds between two sides.
  ///
  /// - Parameter run: the evaluation that asks.
  func holds(_ left: FilterSide, _ right: FilterSide, _ run: FilterRun? = nil) -> Bool {
    if let quantifier = left.quantifier {
      return quantifier.holds(left.elements, run) { holdsForOne($0, right, run) }
    }
    if left.isSeveral, case .list(let elements) = left.value {
      if run?.visit(elements.count) == false { return false }
      switch (relation, right.value) {
      case (.equal, .list) where right.quantifier == nil, (.notEqual, .list) where right.quantifier == nil:
        return holds(left.value, right.value, run)
      case (.contains, _) where right.quantifier == nil:
        return elements.contains { areEqual($0, right.value, run) }
      default: return elements.contains { holdsForOne($0, right, run) }
      }
    }
    return holdsForOne(left.value, right, run)
  }

  private func holdsForOne(_ left: FilterValue, _ right: FilterSide, _ run: FilterRun?) -> Bool {
    if let quantifier = right.quantifier {
      return quantifier.holds(right.elements, run) { holds(left, $0, run) }
    }
    if right.isSeveral, relation != .in, relation != .between, case .list(let elements) = right.value {
      if run?.visit(elements.count) == false { return false }
      return elements.contains { holds(left, $0, run) }
    }
    return holds(left, right.value, run)
  }

  /// Whether the relation holds between two values.
  ///
  /// - Parameter run: the evaluation that asks.
  func holds(_ left: FilterValue, _ right: FilterValue, _ run: FilterRun? = FilterRun.current) -> Bool {
    switch relation {
    case .equal: areEqual(left, right, run)
    case .notEqual: !areEqual(left, right, run)
    case .less: FilterValue.order(left, right).map { $0 < 0 } ?? false
    case .lessOrEqual: FilterValue.order(left, right).map { $0 <= 0 } ?? false
    case .greater: FilterValue.order(left, right).map { $0 > 0 } ?? false
    case .greaterOrEqual: FilterValue.order(left, right).map { $0 >= 0 } ?? false
    case .in:
      if case .list(let elements) = right { isMember(left, of: elements, run) } else { false }
    case .between: isBetween(left, right)
    case .contains, .beginsWith, .endsWith, .like, .matches: holdsForParts(left, right, run)
    case .text:
      switch (left, right) {
      case (.text(let text), .text(let pattern)): hasWords(text, pattern, run)
      // A missing text is one without words.
      case (.missing, .text(let pattern)): hasWords("", pattern, run)
      default: false
      }
    }
  }

  /// Whether a text may be folded, or split into words.
  private func mayFold(_ text: String, _ run: FilterRun?) -> Bool { run?.read(text, isFolded: true) ?? true }

  /// Whether a text has the words that a pattern looks for. Each of them is looked for by itself.
  private func hasWords(_ text: String, _ pattern: String, _ run: FilterRun?) -> Bool {
    guard words != nil || mayFold(pattern, run) else { return false }
    let words = words ?? SearchPattern(pattern)
    return run?.visit(words.termCount) != false
      && run?.read(text, isFolded: true, times: max(1, words.termCount)) != false && words.isFound(in: text)
  }

  private func isMember(_ value: FilterValue, of elements: [FilterValue], _ run: FilterRun?) -> Bool {
    if let foldedTexts, case .text(let text) = value {
      return mayFold(text, run) && foldedTexts.contains(Self.folded(text, options))
    }
    return run?.visit(elements.count) != false && elements.contains { areEqual(value, $0, run) }
  }

  private static func folded(_ text: String, _ options: TextOptions) -> [UInt8] {
    Array(options.fold(text).composed.utf8)
  }

  private func isBetween(_ value: FilterValue, _ bounds: FilterValue) -> Bool {
    guard case .list(let bounds) = bounds, bounds.count == 2, let low = FilterValue.order(value, bounds[0]),
      let high = FilterValue.order(value, bounds[1])
    else { return false }
    return low >= 0 && high <= 0
  }

  private func areEqual(_ left: FilterValue, _ right: FilterValue, _ run: FilterRun?) -> Bool {
    if !options.isEmpty, case .text(let left) = left, case .text(let right) = right {
      return mayFold(left, run) && mayFold(right, run) && isSameText(options.fold(left), options.fold(right))
    }
    return FilterValue.areEqual(left, right)
  }

  private func holdsForParts(_ left: FilterValue, _ right: FilterValue, _ run: FilterRun?) -> Bool {
    switch (left, right) {
    case (.text(let text), .text(let part)):
      if let constant, constant.text == part { return constant.test(text, run) }
      return relation.textTest?.matcherInRun(part, options)(text, run) ?? false
    case (.list(let elements), _) where relation == .contains:
      return run?.visit(elements.count) != false && elements.contains { areEqual($0, right, run) }
    case (.text, .missing), (.data, .missing): return relation.isTestOfParts
    case (.data(let data), .data(let part)):
      if run?.read(bytes: data.count + part.count) == false { return false }
      switch relation {
      case .contains: return data.contains(part: part)
      case .beginsWith: return data.starts(with: part)
      case .endsWith: return data.count >= part.count && data.suffix(part.count) == part
      default: return false
      }
    default: return false
    }
  }
}

extension FilterSyntax.Relation {
  /// Whether it looks for a part of a text or of data.
  var isTestOfParts: Bool { self == .contains || self == .beginsWith || self == .endsWith }

  /// The test of text that the relation is, if it is one.
  var textTest: TextTest? {
    switch self {
    case .contains: .contains
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .like: .like
    case .matches: .matches
    default: nil
    }
  }
}
