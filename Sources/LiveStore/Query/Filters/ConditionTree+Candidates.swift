extension ConditionTree {
  /// The values that can pass, if they are known and all of one path.
  var candidates: SearchArgument? {
    switch self {
    case .constant, .not: return nil
    case .condition(let condition): return condition.candidates
    case .all(let filters):
      let candidates = filters.compactMap(\.candidates)
      var first = candidates.first { $0.hashes != nil } ?? candidates.first
      first?.isExact = false
      return first
    case .any(let filters):
      var members: [SearchArgument] = []
      for filter in filters {
        guard let candidates = filter.candidates, members.first?.isAlike(candidates) ?? true else {
          return nil
        }
        members.append(candidates)
      }
      guard var union = members.first else { return nil }
      let (hashes, keyRanges) = (members.compactMap(\.hashes), members.compactMap(\.keyRanges))
      union.hashes = hashes.count == members.count ? hashes.flatMap { $0 } : nil
      let words = members.compactMap(\.words)
      union.words?.keys = words.flatMap(\.keys)
      union.keyRanges = keyRanges.count == members.count ? keyRanges.flatMap { $0 } : nil
      union.isExact = members.allSatisfy(\.isExact)
      union.areValues = members.allSatisfy(\.areValues)
      return union
    }
  }
}

extension Condition {
  /// All its candidates: every row that passes is among each of them.
  var allCandidates: [SearchArgument] { (candidates.map { [$0] } ?? []) + furtherCandidates }
}

extension ConditionTree {
  /// The candidates from which a plan selects: every row that passes is among each of them.
  var choices: [SearchArgument] {
    conjuncts.flatMap { conjunct in
      if case .condition(let condition) = conjunct { return condition.allCandidates }
      return conjunct.candidates.map { [$0] } ?? []
    }
  }
}

extension SearchArgument {
  /// Whether the hashes of both mean the same: a condition may test a path's value or its elements.
  fileprivate func isAlike(_ other: SearchArgument) -> Bool {
    path == other.path && isByReference == other.isByReference && (eachHash == nil) == (other.eachHash == nil)
  }
}
