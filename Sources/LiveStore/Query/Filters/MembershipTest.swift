/// A condition that the value of a path is one of some constants, or none of them (Q5).
struct MembershipTest {
  let path: Term
  /// The condition that the test was made from, perhaps negated.
  let filter: ConditionTree
  /// Each once, if their equality is known.
  let values: [Constant]
  /// Whether all values but these pass.
  let isExcluding: Bool
  /// Whether equality of the values is known to be consistent. Without that, one value may equal two that differ.
  let isKnown: Bool
  private let condition: Condition
  /// Whether the filter is in the only form for its meaning.
  private let isNormal: Bool

  /// Nil for other conditions.
  init?(_ filter: ConditionTree) {
    let (condition, isNegated): (Condition, Bool)
    switch filter {
    case .condition(let member): (condition, isNegated) = (member, false)
    case .not(.condition(let member)): (condition, isNegated) = (member, true)
    default: return nil
    }
    guard condition.listing != nil, let list = condition.term.list else { return nil }
    (path, isExcluding) = (list.path, list.isExcluding != isNegated)
    var listed = list.values
    let count = listed.count
    isKnown = condition.hasKnownEquality
    if isKnown { listed = listed.unique }
    (self.condition, self.filter, values) = (condition, filter, listed)
    isNormal = list.isListed ? count > 1 && count == listed.count : !isNegated
  }

  /// The filter in the form that all filters of the same meaning have.
  var normalized: ConditionTree { Self.filter(values, isExcluding: isExcluding, of: [self]) ?? filter }
}

extension MembershipTest {
  /// The values that pass all of some tests of one path, or at least one of them; or the values that do not.
  ///
  /// A value that passes at least one test does not fail all, so both are one computation.
  static func joined(
    _ tests: [MembershipTest], isConjunction: Bool
  ) -> (values: [Constant], isExcluding: Bool) {
    let lists = tests.filter { $0.isExcluding != isConjunction }
    let others = tests.filter { $0.isExcluding == isConjunction }.flatMap(\.values)
    guard let shortest = lists.min(by: { $0.values.count < $1.values.count }) else {
      return (tests.allSatisfy(\.isKnown) ? others.unique : others, isConjunction)
    }
    let (outside, sets) = (Set(others), lists.map { Set($0.values) })
    let values = shortest.values.filter { value in
      !outside.contains(value) && sets.allSatisfy { $0.contains(value) }
    }
    return (values, !isConjunction)
  }

  /// The filter of some values, or of all others; nil if there is none.
  ///
  /// - Parameter tests: tests of one path; one of the same meaning is reused, for its specialised loop.
  static func filter(_ values: [Constant], isExcluding: Bool, of tests: [MembershipTest]) -> ConditionTree? {
    var (values, isExcluding) = (values, isExcluding)
    if values.first?.isBool ?? false, tests[0].isKnown {
      let others = [false, true].map { Constant($0) }.filter { !values.contains($0) }
      if others.isEmpty { return .constant(!isExcluding) }
      if isExcluding { (values, isExcluding) = (others, false) }
    }
    if values.isEmpty { return .constant(isExcluding) }
    let same = tests.first {
      $0.isNormal && $0.isExcluding == isExcluding && $0.values.count == values.count
    }
    return same?.filter ?? tests[0].condition.listing?(values, isExcluding)
  }
}

extension [Constant] {
  /// Each value once, in the order in which they occur first.
  fileprivate var unique: [Constant] {
    var known: Set<Constant> = []
    return filter { known.insert($0).inserted }
  }
}
