// Bounds of one value in a conjunction are one condition: `a >= 1 && a < 9` is the range that `a.in(1..<9)` is, and
// `a > 1 && a > 3` is `a > 3`. So an index is searched between both bounds (Q5).

extension Condition {
  /// The path whose values are bounded; nil for other conditions, and for values whose order may be inconsistent.
  var boundedPath: Term? { bounds?.path }

  private var bounds: TermBounds? {
    guard let candidates, candidates.isConsistent, candidates.keyRanges?.count == 1 else { return nil }
    return term.bounds
  }

  /// The condition that holds where this one and another of its path both do; nil if they cannot be joined.
  func intersection(_ other: Condition) -> ConditionTree? {
    guard let mine = bounds, let others = other.bounds, mine.path == others.path,
      let lower = Self.tighter(mine.lower, others.lower, isLower: true),
      let upper = Self.tighter(mine.upper, others.upper, isLower: false)
    else { return nil }
    guard let low = lower.bound, let high = upper.bound else {
      return .condition((lower.bound == nil ? upper : lower).isFirst ? self : other)
    }
    guard let isEmpty = Self.isEmpty(low, high) else { return nil }
    if isEmpty { return .constant(false) }
    if lower.isFirst, upper.isFirst { return .condition(self) }
    if !lower.isFirst, !upper.isFirst { return .condition(other) }
    var candidates = candidates
    candidates?.keyRanges = [
      SearchArgument.KeyRange(
        lower: (lower.isFirst ? self : other).candidates?.keyRanges?.first?.lower,
        upper: (upper.isFirst ? self : other).candidates?.keyRanges?.first?.upper)
    ]
    candidates?.isExact = self.candidates?.isExact ?? false && other.candidates?.isExact ?? false
    let (first, second) = (mask, other.mask)
    return .condition(
      Condition(
        term: .range(mine.path, lower: low, upper: high),
        mask: { base, stride, count, context in
          let passing = first(base, stride, count, context)
          return passing == 0 ? 0 : passing & second(base, stride, count, context)
        }, candidates: candidates, named: named,
        linked: .between(
          lowerOf: lower.isFirst ? linked : other.linked, upperOf: upper.isFirst ? linked : other.linked)))
  }

  /// Whether it is a range without a value in it.
  var hasEmptyRange: Bool {
    guard let bounds, let lower = bounds.lower, let upper = bounds.upper else { return false }
    return Self.isEmpty(lower, upper) ?? false
  }

  /// Whether no value lies between two bounds; nil if that is not known.
  private static func isEmpty(_ low: ValueBound<Constant>, _ high: ValueBound<Constant>) -> Bool? {
    order(low.value, high.value).map { $0 > 0 || $0 == 0 && !(low.isInclusive && high.isInclusive) }
  }

  /// The bound that admits fewer values, and whether it is the first one; nil if that is not known.
  private static func tighter(
    _ first: ValueBound<Constant>?, _ second: ValueBound<Constant>?, isLower: Bool
  ) -> (bound: ValueBound<Constant>?, isFirst: Bool)? {
    guard let first else { return (second, second == nil) }
    guard let second else { return (first, true) }
    guard let order = order(first.value, second.value) else { return nil }
    let isFirst = order == 0 ? !first.isInclusive || second.isInclusive : (order > 0) == isLower
    return (isFirst ? first : second, isFirst)
  }

  /// Negative, zero or positive; nil for values of two types of JSON, which bound different values.
  private static func order(_ first: Constant, _ second: Constant) -> Int? {
    if let first = first.value(as: JSONValue.self), let second = second.value(as: JSONValue.self) {
      switch (first, second) {
      case (.number, .number), (.string, .string), (.bool, .bool): break
      default: return nil
      }
    }
    return first.order(second)
  }
}

extension Condition {
  /// Whether a value lies within the bounds; nil if that is not known.
  func admits(_ value: Constant) -> Bool? {
    guard let bounds else { return nil }
    if value.isMissing { return false }
    if let lower = bounds.lower {
      guard let order = Self.order(value, lower.value) else { return nil }
      if order < 0 || order == 0 && !lower.isInclusive { return false }
    }
    if let upper = bounds.upper {
      guard let order = Self.order(value, upper.value) else { return nil }
      if order > 0 || order == 0 && !upper.isInclusive { return false }
    }
    return true
  }
}

extension [Condition] {
  /// The fewest conditions that bound the same values of one path; nil if there is no such value.
  var intersection: [Condition]? {
    var result: [Condition] = []
    next: for condition in self {
      for (index, other) in result.enumerated() {
        switch other.intersection(condition) {
        case .constant(false): return nil
        case .condition(let joined):
          result[index] = joined
          continue next
        default: break
        }
      }
      result.append(condition)
    }
    return result
  }
}
