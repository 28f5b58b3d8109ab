extension ConditionTree {
  /// The filter in fewer conditions: one form for all filters that are seen to say the same and that name the same
  /// linked values (Q5).
  ///
  /// A query is changed by the linked values that it names, also by one that decides nothing: where joining conditions
  /// would leave one out, they stay as they are.
  /// - Complexity: O(*n* log *n*) for *n* conditions and listed values; O(*n* · *d*) more for *d* levels of nesting, if
  ///   one would be left out.
  var simplified: ConditionTree {
    let fewest = simplified(keepingNames: false)
    // If no row passes, none is changed.
    return fewest == .constant(false) || fewest.names(linkedOperands)
      ? fewest : simplified(keepingNames: true)
  }

  private func simplified(keepingNames: Bool) -> ConditionTree {
    let filter: ConditionTree
    switch self {
    case .constant: return self
    case .condition(let condition):
      filter = condition.hasEmptyRange ? .constant(false) : PathTest(self)?.normalized ?? self
    case .not(let inner): filter = inner.simplified(keepingNames: keepingNames).complement
    case .all(let filters):
      return Self.simplified(filters, isConjunction: true, keepingNames: keepingNames)
    case .any(let filters):
      return Self.simplified(filters, isConjunction: false, keepingNames: keepingNames)
    }
    return !keepingNames || filter.names(linkedOperands) ? filter : self
  }

  /// The values behind links that it names.
  private var linkedOperands: Set<Operand> { Set(operands.filter { !$0.chains.isEmpty }) }

  private func names(_ linked: Set<Operand>) -> Bool {
    linked.isEmpty || linked.isSubset(of: linkedOperands)
  }

  /// The negation of a simplified filter, simplified.
  var complement: ConditionTree {
    let negated = negated
    return PathTest(negated)?.normalized ?? negated
  }

  /// The filter that it is the negation of, if there is one that is not a negation itself.
  var inverse: ConditionTree? {
    let complement = complement
    if case .not = complement { return nil }
    return complement
  }

  private static func simplified(
    _ filters: [ConditionTree], isConjunction: Bool, keepingNames: Bool
  ) -> ConditionTree {
    let members = filters.map { $0.simplified(keepingNames: keepingNames) }
    var join = SimplifiedJoin(isConjunction: isConjunction)
    let filter = members.allSatisfy { join.add($0) } ? join.filter : .constant(!isConjunction)
    guard keepingNames else { return filter }
    let whole: ConditionTree = isConjunction ? .all(of: members) : .any(of: members)
    return filter.names(whole.linkedOperands) ? filter : whole
  }
}
