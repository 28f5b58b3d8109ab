extension ConditionTree {
  /// The order of members makes no difference (Q5), except for closures and predicates: each is given only
  /// the rows that pass the members before it.
  @usableFromInline
  package static func == (lhs: ConditionTree, rhs: ConditionTree) -> Bool {
    switch (lhs, rhs) {
    case (.constant(let left), .constant(let right)): left == right
    case (.condition(let left), .condition(let right)): left == right
    case (.not(let left), .not(let right)): left == right
    case (.any(let left), .any(let right)): UnorderedMembers(left) == UnorderedMembers(right)
    case (.all(let left), .all(let right)):
      UnorderedMembers(left) == UnorderedMembers(right)
        && left.filter(\.isOpaque) == right.filter(\.isOpaque)
    default: false
    }
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .constant(let answer): hasher.combine(answer)
    case .condition(let condition): hasher.combine(condition)
    case .not(let filter):
      hasher.combine(0)
      hasher.combine(filter)
    case .all(let filters):
      hasher.combine(1)
      hasher.combine(UnorderedMembers(filters))
    case .any(let filters):
      hasher.combine(2)
      hasher.combine(UnorderedMembers(filters))
    }
  }
}
