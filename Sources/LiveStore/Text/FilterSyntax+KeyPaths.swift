extension FilterSyntax {
  /// A key path of a filter.
  package struct NamedKeyPath: Hashable, Sendable {
    /// Its steps.
    package let steps: [String]
    /// Whether it is a single word on the right of a comparison, like text without its quotes.
    package let isBareWord: Bool
  }

  /// The key paths in the order of the text.
  package var keyPaths: [NamedKeyPath] {
    switch self {
    case .constant: return []
    case .not(let member, _): return member.keyPaths
    case .and(let members, _), .or(let members, _): return members.flatMap(\.keyPaths)
    case .comparison(let comparison):
      var paths: [NamedKeyPath] = []
      if case .keyPath(let steps, _) = comparison.left {
        paths.append(NamedKeyPath(steps: steps, isBareWord: false))
      }
      if case .keyPath(let steps, _) = comparison.right {
        paths.append(NamedKeyPath(steps: steps, isBareWord: steps.count == 1))
      }
      return paths
    }
  }
}
