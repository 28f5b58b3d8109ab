extension ConditionTree {
  /// What four rows cost in a scan of `count` rows that tests this filter: 1 each where it compares stored values with
  /// constants or each other, and more where a condition may do anything, or reads whole texts (Q11).
  func scanCostOfFour(among count: Int) -> Int {
    let lookup = PlanOption.costOfLookup(among: count)
    if choices.contains(where: { $0.words != nil }) { return lookup * 4 }
    return comparesStoredValues ? 4 : lookup
  }

  private var comparesStoredValues: Bool {
    switch self {
    case .constant: true
    case .condition(let condition): condition.comparesStoredValues
    case .all(let filters), .any(let filters): filters.allSatisfy(\.comparesStoredValues)
    case .not(let filter): filter.comparesStoredValues
    }
  }
}

extension Condition {
  fileprivate var comparesStoredValues: Bool {
    let compared = term.comparedTerms
    return !compared.isEmpty && compared.allSatisfy(\.isStored)
  }
}

extension Term {
  /// Whether the value is a stored part of the object.
  fileprivate var isStored: Bool {
    ownPath?.steps.allSatisfy { step in
      switch step {
      case .id, .stored: true
      case .member, .name: false
      }
    } ?? false
  }
}
