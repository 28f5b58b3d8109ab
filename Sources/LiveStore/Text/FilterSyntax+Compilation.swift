// Compiles the syntax tree of a text into the filter that the store runs. A comparison of a path with a constant
// becomes the condition that the typed expression would make, so that it is planned, routed and shared like that one.
// What typed expressions cannot say becomes a condition that reads both operands. Long chains of members that neither
// planning nor routing needs separately become one condition, which reads each value once.

extension Query where Element: DynamicEntity {
  /// Selects the rows that meet a text filter.
  package func `where`(_ syntax: FilterSyntax) -> Query {
    self.where { Expr<Bool>(syntax.filter($0)) }
  }
}

extension FilterSyntax {
  /// The length from which a chain is tested as one condition.
  private static let manyMembers = 8

  /// The filter over the rows of an entity whose schema resolves paths at run time.
  package func filter<Element: DynamicEntity>(_ row: Row<Element>) -> Filter {
    switch self {
    case .constant(let answer, _): return .constant(answer)
    case .not(let member, _): return member.filter(row).negated
    case .and(let members, let column):
      let filters = members.map { (syntax: $0, filters: $0.filter(row).conjuncts) }
      // Members that lead to rows stay separate, for planning and routing.
      let plain = filters.filter { !$0.filters.contains { $0.candidates != nil } }
      var conjuncts = filters.flatMap(\.filters)
      if plain.count >= Self.manyMembers {
        conjuncts = filters.filter { $0.filters.contains { $0.candidates != nil } }.flatMap(\.filters)
        let joined = FilterSyntax.and(plain.map(\.syntax), column: column)
        conjuncts.append(joined.condition(.all(plain.flatMap(\.filters)), row))
      }
      return conjuncts.isEmpty ? .constant(true) : conjuncts.count == 1 ? conjuncts[0] : .all(conjuncts)
    case .or(let members, _):
      var filters: [Filter] = []
      for member in members {
        let filter = member.filter(row)
        if case .any(let inner) = filter { filters += inner } else { filters.append(filter) }
      }
      return members.count < Self.manyMembers ? .any(filters) : condition(.any(filters), row)
    case .comparison(let comparison): return comparison.filter(row)
    }
  }

  /// This part of a filter as one condition that is equivalent to a filter of several.
  private func condition<Element: DynamicEntity>(_ filter: Filter, _ row: Row<Element>) -> Filter {
    let test = FilterTest(self)
    let accessors = test.paths.map { row[path: $0].accessor }
    let mask: RowMask = { base, stride, count, context in
      var bits: UInt64 = 0
      for index in 0..<count where test.holds({ accessors[$0].read(base + index * stride, context) }) {
        bits |= 1 << UInt64(index)
      }
      return bits
    }
    return .condition(
      Condition(
        form: .program(FilterProgram(filter)), mask: mask, candidates: filter.candidates,
        operands: test.paths.flatMap { row[path: $0].operands }))
  }
}

extension FilterSyntax.Comparison {
  fileprivate func filter<Element: DynamicEntity>(_ row: Row<Element>) -> Filter {
    switch (left, right) {
    case (.keyPath(let path, _), .keyPath(let other, _)):
      return direct(row[path: path], row[path: other]) ?? general(row)
    case (.keyPath(let path, _), _): return direct(row[path: path], right.evaluate(.null)) ?? general(row)
    case (_, .keyPath(let path, _)): return flipped(row[path: path], left.evaluate(.null)) ?? general(row)
    default: return .constant(relation.holds(left.evaluate(.null), right.evaluate(.null), options))
    }
  }

  /// `path relation constant`, if typed expressions can say it.
  private func direct(_ path: Expr<JSONValue>, _ value: JSONValue) -> Filter? {
    switch (relation, value) {
    case (.equal, _) where options.isEmpty: return (path == value).filter
    case (.notEqual, _) where options.isEmpty: return (path != value).filter
    case (.less, _): return (path < value).filter
    case (.lessOrEqual, _): return (path <= value).filter
    case (.greater, _): return (path > value).filter
    case (.greaterOrEqual, _): return (path >= value).filter
    case (.contains, .string(let text)): return path.contains(text, options: options).filter
    case (.beginsWith, .string(let text)): return path.beginsWith(text, options: options).filter
    case (.endsWith, .string(let text)): return path.endsWith(text, options: options).filter
    case (.contains, _), (.beginsWith, _), (.endsWith, _): return .constant(false)
    case (.in, .array(let values)): return path.in(values).filter
    case (.in, _): return .constant(false)
    case (.between, .array(let bounds)) where bounds.count == 2:
      return (path >= bounds[0]).filter.and((path <= bounds[1]).filter)
    default: return nil
    }
  }

  /// `path relation path`, if typed expressions can say it.
  private func direct(_ path: Expr<JSONValue>, _ other: Expr<JSONValue>) -> Filter? {
    guard options.isEmpty else { return nil }
    switch relation {
    case .equal: return (path == other).filter
    case .notEqual: return (path != other).filter
    case .less: return (path < other).filter
    case .lessOrEqual: return (path <= other).filter
    case .greater: return (path > other).filter
    case .greaterOrEqual: return (path >= other).filter
    case .contains, .beginsWith, .endsWith, .in, .between: return nil
    }
  }

  /// `constant relation path`, if it can be reversed.
  private func flipped(_ path: Expr<JSONValue>, _ value: JSONValue) -> Filter? {
    switch relation {
    case .equal where options.isEmpty: (path == value).filter
    case .notEqual where options.isEmpty: (path != value).filter
    case .less: (path > value).filter
    case .lessOrEqual: (path >= value).filter
    case .greater: (path < value).filter
    case .greaterOrEqual: (path <= value).filter
    default: nil
    }
  }

  /// The comparison as written, with any operands.
  private func general<Element: DynamicEntity>(_ row: Row<Element>) -> Filter {
    let test = FilterTest(.comparison(self))
    let accessors = test.paths.map { row[path: $0].accessor }
    let answer = Accessor<Bool>.function { row, context in test.holds { accessors[$0].read(row, context) } }
    return .condition(
      Condition(
        form: .closure(ClosureIdentity()), mask: testMask(answer) { $0 }, candidates: nil,
        operands: test.paths.flatMap { row[path: $0].operands }))
  }
}
