package import LiveStore

extension FilterSyntax {
  /// A key path of a filter.
  package struct NamedKeyPath: Hashable, Sendable {
    /// Its steps.
    package let steps: [String]
    /// Whether it is a single word on the right of a comparison, like text without its quotes.
    package let isBareWord: Bool
  }

  /// The key paths of names in the order of the text, but for those that may lead through a list or are in one.
  package var keyPaths: [NamedKeyPath] {
    paths.compactMap { use in
      guard !use.isInList, let keys = use.path.keys else { return nil }
      return NamedKeyPath(steps: keys, isBareWord: use.isRight && use.path.names?.count == 1)
    }
  }

  /// The properties of an object that decide whether it meets the filter; nil if that may be any.
  var properties: Set<ComparedText>? {
    var names: Set<ComparedText> = []
    for path in paths.map(\.path) where path.variable == nil {
      switch path.steps.first {
      case .name(let name), .key(let name): names.insert(ComparedText(name))
      default: return nil
      }
    }
    return names
  }

  /// A path, and where it stands.
  fileprivate struct PathUse {
    let path: FilterPath
    var isRight = false
    var isInList = false
  }

  /// All paths in the order of the text.
  fileprivate var paths: [PathUse] {
    comparisons.flatMap { comparison in
      var right = comparison.right.paths
      if case .path = comparison.right { right[0].isRight = true }
      return comparison.left.paths + right
    }
  }
}

extension FilterSyntax.Operand {
  fileprivate var paths: [FilterSyntax.PathUse] {
    switch self {
    case .path(let path, _): [.init(path: path)]
    case .quantified(_, let operand, _): operand.paths.map { .init(path: $0.path, isInList: true) }
    case .list(let operands, _): operands.flatMap(\.paths).map { .init(path: $0.path, isInList: true) }
    case .arithmetic(_, let left, let right, _): left.paths + right.paths
    case .function(_, let operands, _): operands.flatMap(\.paths)
    case .subquery(let path, _, let filter, _): [.init(path: path)] + filter.paths
    case .literal, .argument: []
    }
  }
}

extension FilterPath {
  /// The names, keys and numbers of elements, if it is a path of the row that consists of them.
  var keys: [String]? {
    guard variable == nil else { return nil }
    var keys: [String] = []
    for step in steps {
      switch step {
      case .name(let key), .key(let key): keys.append(key)
      case .index(let index): keys.append("\(index)")
      case .last, .every, .aggregate, .argument: return nil
      }
    }
    return keys
  }
}
