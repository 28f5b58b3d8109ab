extension ConditionTree {
  /// The filter in fewer conditions: one form for all filters that are recognised as equivalent (Q5).
  ///
  /// - Complexity: O(*n* log *n*) for *n* conditions and listed values.
  var simplified: ConditionTree {
    switch self {
    case .constant: self
    case .condition(let condition):
      condition.hasEmptyRange ? .constant(false) : MembershipTest(self)?.normalized ?? self
    case .not(let filter): filter.simplified.complement
    case .all(let filters): Self.simplified(filters, isConjunction: true)
    case .any(let filters): Self.simplified(filters, isConjunction: false)
    }
  }

  /// The linked values that the filter names and its simplified form does not: a value that decides nothing
  /// changes the rows, too (Q5).
  ///
  /// - Returns: none if no row passes, so that none is changed.
  func named(notIn simplified: ConditionTree) -> Set<NamedValue> {
    let named = named
    return named.isEmpty || simplified == .constant(false) ? [] : Set(named).subtracting(simplified.named)
  }

  /// The negation of a simplified filter, simplified.
  var complement: ConditionTree {
    let negated = negated
    return MembershipTest(negated)?.normalized ?? negated
  }

  /// The filter whose negation this is, unless that filter is a negation itself.
  var inverse: ConditionTree? {
    let complement = complement
    if case .not = complement { return nil }
    return complement
  }

  private static func simplified(_ filters: [ConditionTree], isConjunction: Bool) -> ConditionTree {
    var join = JunctionSimplifier(isConjunction: isConjunction)
    for filter in filters {
      if !join.add(filter.simplified) { return .constant(!isConjunction) }
    }
    return join.filter
  }
}
