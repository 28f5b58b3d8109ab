// Bounds of one value in a conjunction are one condition: `a >= 1 && a < 9` is the range that `a.in(1..<9)` is, and
// `a > 1 && a > 3` is `a > 3`. So equal questions are equal filters, and an index is searched between both bounds (Q5).

extension Condition {
  private struct Bounds {
    let path: PropertyPath
    var lower: ValueBound<Constant>?
    var upper: ValueBound<Constant>?
  }

  /// The path whose values are bounded; nil for other conditions, and for values whose order may be inconsistent.
  var boundedPath: PropertyPath? { bounds?.path }

  private var bounds: Bounds? {
    guard let candidates, candidates.isConsistent, candidates.keyRanges?.count == 1 else { return nil }
    return switch form {
    case .compare(let path, .less, let value): Bounds(path: path, upper: .exclusive(value))
    case .compare(let path, .lessOrEqual, let value): Bounds(path: path, upper: .inclusive(value))
    case .compare(let path, .greater, let value): Bounds(path: path, lower: .exclusive(value))
    case .compare(let path, .greaterOrEqual, let value): Bounds(path: path, lower: .inclusive(value))
    case .range(let path, let lower, let upper): Bounds(path: path, lower: lower, upper: upper)
    default: nil
    }
  }

  /// The condition that holds where this one and another of the same path do; nil if they cannot be one.
  func intersection(_ other: Condition) -> ConditionTree? {
    guard let mine = bounds, let others = other.bounds, mine.path == others.path,
      let lower = Self.tighter(mine.lower, others.lower, isLower: true),
      let upper = Self.tighter(mine.upper, others.upper, isLower: false)
    else { return nil }
    guard let low = lower.bound, let high = upper.bound else {
      return .condition((lower.bound == nil ? upper : lower).isFirst ? self : other)
    }
    guard let order = Self.order(low.value, high.value) else { return nil }
    if order > 0 || order == 0 && !(low.isInclusive && high.isInclusive) { return .constant(false) }
    if lower.isFirst, upper.isFirst { return .condition(self) }
    if !lower.isFirst, !upper.isFirst { return .condition(other) }
    var candidates = candidates
    candidates?.keyRanges = [
      Candidates.KeyRange(
        lower: (lower.isFirst ? self : other).candidates?.keyRanges?.first?.lower,
        upper: (upper.isFirst ? self : other).candidates?.keyRanges?.first?.upper)
    ]
    let (first, second) = (mask, other.mask)
    return .condition(
      Condition(
        form: .range(mine.path, lower: low, upper: high),
        mask: { base, stride, count, context in
          let passing = first(base, stride, count, context)
          return passing == 0 ? 0 : passing & second(base, stride, count, context)
        }, candidates: candidates, operands: operands))
  }

  /// The bound that admits less, and whether it is the first one; nil if neither is known to.
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

extension [ConditionTree] {
  /// Adds a member of a conjunction; false if then nothing passes.
  ///
  /// - Parameter places: where bounds of a path are, if known.
  mutating func join(_ member: ConditionTree, _ places: inout [PropertyPath: Int]) -> Bool {
    guard case .condition(let condition) = member, let path = condition.boundedPath else {
      append(member)
      return true
    }
    if let place = places[path], case .condition(let first) = self[place],
      let joined = first.intersection(condition)
    {
      self[place] = joined
      return joined != .constant(false)
    }
    places[path] = count
    append(member)
    return true
  }
}
