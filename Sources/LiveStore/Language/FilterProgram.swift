/// Deeply nested conditions in a form that is evaluated without recursion: leaves, each join after its operands (postfix,
/// after Łukasiewicz).
package struct FilterProgram<Leaf: Hashable & Sendable>: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case constant(Bool)
    case leaf(Leaf)
    /// Joins this many results.
    case all(Int)
    case any(Int)
    case not
  }

  var steps: [Step] = []

  var leaves: some Sequence<Leaf> {
    steps.lazy.compactMap { if case .leaf(let leaf) = $0 { leaf } else { nil } }
  }

  var leafCount: Int { leaves.reduce(0) { count, _ in count + 1 } }

  /// The same with other leaves.
  func map<Other>(_ body: (Leaf) -> Other) -> FilterProgram<Other> {
    FilterProgram<Other>(
      steps: steps.map { step in
        switch step {
        case .constant(let answer): .constant(answer)
        case .leaf(let leaf): .leaf(body(leaf))
        case .all(let count): .all(count)
        case .any(let count): .any(count)
        case .not: .not
        }
      })
  }
}

extension FilterProgram<Term> {
  /// The conditions as a tree.
  package var tree: Term {
    var results: [Term] = []
    for step in steps {
      switch step {
      case .constant(let answer): results.append(.constant(Constant(answer)))
      case .leaf(let term): results.append(term)
      case .all(let count):
        let members = Array(results.suffix(count))
        results.removeLast(count)
        results.append(.all(TermMembers(terms: members, isConjunction: true)))
      case .any(let count):
        let members = Array(results.suffix(count))
        results.removeLast(count)
        results.append(.any(TermMembers(terms: members, isConjunction: false)))
      case .not: results.append(.not(results.removeLast()))
      }
    }
    return results.last ?? .constant(Constant(false))
  }
}
