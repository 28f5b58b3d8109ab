/// A deeply nested filter in a form that is evaluated without recursion: conditions, each join after its operands
/// (postfix, after Łukasiewicz).
package struct FilterProgram: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case constant(Bool)
    case condition(Condition)
    /// Joins this many results.
    case all(Int)
    case any(Int)
    case not
  }

  private(set) var steps: [Step] = []

  init(_ filter: ConditionTree) { append(filter) }

  private mutating func append(_ filter: ConditionTree) {
    switch filter {
    case .constant(let value): steps.append(.constant(value))
    case .condition(let condition):
      if case .program(let program) = condition.form {
        steps += program.steps
      } else {
        steps.append(.condition(condition))
      }
    case .all(let filters):
      for filter in filters { append(filter) }
      steps.append(.all(filters.count))
    case .any(let filters):
      for filter in filters { append(filter) }
      steps.append(.any(filters.count))
    case .not(let filter):
      append(filter)
      steps.append(.not)
    }
  }

  var conditions: some Sequence<Condition> {
    steps.lazy.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
  }

  /// The mask of the rows that pass.
  func mask(_ base: UnsafeRawPointer, _ stride: Int, _ count: Int, _ context: ReadContext) -> UInt64 {
    let every: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
    var results: [UInt64] = []
    for step in steps {
      switch step {
      case .constant(let value): results.append(value ? every : 0)
      case .condition(let condition): results.append(condition.mask(base, stride, count, context))
      case .all(let count):
        let joined = results.suffix(count).reduce(every, &)
        results.removeLast(count)
        results.append(joined)
      case .any(let count):
        let joined = results.suffix(count).reduce(0, |)
        results.removeLast(count)
        results.append(joined)
      case .not: results.append(every & ~(results.popLast() ?? 0))
      }
    }
    return results.last ?? 0
  }
}

extension ConditionTree {
  /// The depth up to which nested joins are evaluated recursively.
  private static let maximumDepth = 64

  /// The filter as a member of another: a single condition if it is nested too deeply for recursion, which takes
  /// stack space.
  var asMember: ConditionTree {
    guard depth >= ConditionTree.maximumDepth else { return self }
    let program = FilterProgram(self)
    return .condition(
      Condition(
        form: .program(program), mask: { program.mask($0, $1, $2, $3) }, candidates: nil, operands: operands))
  }

  private var depth: Int {
    switch self {
    case .constant, .condition: 0
    case .all(let filters), .any(let filters): 1 + (filters.lazy.map(\.depth).max() ?? 0)
    case .not(let filter): 1 + filter.depth
    }
  }
}
