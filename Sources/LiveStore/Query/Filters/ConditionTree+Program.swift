extension FilterProgram<Condition> {
  init(_ filter: ConditionTree) { append(filter) }

  private mutating func append(_ filter: ConditionTree) {
    switch filter {
    case .constant(let value): steps.append(.constant(value))
    case .condition(let condition):
      if let program = condition.program {
        steps += program.steps
      } else {
        steps.append(.leaf(condition))
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

  func mask(_ base: UnsafeRawPointer, _ stride: Int, _ count: Int, _ context: ReadContext) -> UInt64 {
    let every: UInt64 = count == 64 ? .max : (1 << UInt64(count)) - 1
    var results: [UInt64] = []
    for step in steps {
      switch step {
      case .constant(let value): results.append(value ? every : 0)
      case .leaf(let condition): results.append(condition.mask(base, stride, count, context))
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
        term: .program(program.map(\.term)), mask: { program.mask($0, $1, $2, $3) }, candidates: nil,
        named: named, isConsistent: isConsistent, program: program))
  }

  private var depth: Int {
    switch self {
    case .constant, .condition: 0
    case .all(let filters), .any(let filters): 1 + (filters.lazy.map(\.depth).max() ?? 0)
    case .not(let filter): 1 + filter.depth
    }
  }
}
