extension FilterSyntax {
  /// A key path of a filter.
  package struct NamedKeyPath: Hashable, Sendable {
    /// Its steps.
    package let steps: [String]
    /// Whether it is a single word on the right of a comparison, like text without its quotes.
    package let isBareWord: Bool
  }

  /// The key paths of names in the order of the text.
  package var keyPaths: [NamedKeyPath] {
    switch self {
    case .constant: return []
    case .not(let member, _): return member.keyPaths
    case .and(let members, _), .or(let members, _): return members.flatMap(\.keyPaths)
    case .comparison(let comparison):
      return comparison.left.keyPaths(isRight: false) + comparison.right.keyPaths(isRight: true)
    }
  }
}

extension FilterSyntax.Operand {
  fileprivate func keyPaths(isRight: Bool) -> [FilterSyntax.NamedKeyPath] {
    switch self {
    case .path(let path, _):
      return path.keys.map { [.init(steps: $0, isBareWord: isRight && path.names?.count == 1)] } ?? []
    // It may lead through a list.
    case .quantified: return []
    case .arithmetic(_, let left, let right, _):
      return left.keyPaths(isRight: false) + right.keyPaths(isRight: false)
    case .function(_, let operands, _): return operands.flatMap { $0.keyPaths(isRight: false) }
    case .subquery(let path, _, let filter, _):
      return (path.keys.map { [.init(steps: $0, isBareWord: false)] } ?? []) + filter.keyPaths
    case .literal, .list, .argument: return []
    }
  }
}
