// Compiles the syntax tree of a text into the filter that the store runs. A comparison of a path with a
// constant becomes the condition that the typed expression would make, so that it is planned, routed and
// shared like that one. What typed expressions cannot say becomes a condition that reads both sides. Long
// chains of members that neither planning nor routing needs separately become one condition, which reads each
// value once.

extension Query where Element: DynamicEntity {
  /// Selects the rows that meet a text filter.
  package func `where`(_ syntax: FilterSyntax) -> Query {
    selecting(syntax.filter(Row<Element>()))
  }
}

extension Filter where Element: DynamicEntity {
  /// The filter of a text.
  package init(_ syntax: FilterSyntax) { self.init(syntax.filter(Row<Element>()).simplified) }
}

extension FilterSyntax {
  /// Checks a filter without arguments against the schema of an entity.
  package func check<Element: Entity>(_: Element.Type) throws(FilterSyntaxError) {
    _ = try FilterCompiler<Element>().filter(self)
  }

  /// The length from which a chain is tested as one condition.
  private static let manyMembers = 8

  /// The filter over the rows of an entity whose schema resolves paths at run time.
  package func filter<Element: DynamicEntity>(_ row: Row<Element>) -> ConditionTree {
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
      return .all(of: conjuncts)
    case .or(let members, _):
      let filter = ConditionTree.any(of: members.map { $0.filter(row) })
      guard members.count >= Self.manyMembers, case .any = filter.simplified else { return filter }
      return condition(filter, row)
    case .comparison(let comparison): return comparison.filter(row)
    }
  }

  /// This part of a filter as one condition that is equivalent to a filter of several.
  private func condition<Element: DynamicEntity>(_ filter: ConditionTree, _ row: Row<Element>)
    -> ConditionTree
  {
    let test = FilterTest(self)
    let others = test.others.map { $0.filter(row) }
    let accessors = test.paths.map { row[path: $0].accessor }
    let mask: RowMask = { base, stride, count, context in
      var bits: UInt64 = 0
      for index in 0..<count {
        let object = base + index * stride
        let holds = test.holds(
          { accessors[$0].read(object, context) }, { others[$0].matches(object, context) })
        if holds { bits |= 1 << UInt64(index) }
      }
      return bits
    }
    let program = FilterProgram(filter)
    return .condition(
      Condition(
        term: .program(program.map(\.term)), mask: mask, candidates: filter.candidates,
        dependencies: test.paths.flatMap { row[path: $0].dependencies } + others.flatMap(\.dependencies),
        isConsistent: filter.isConsistent, program: program))
  }
}

extension FilterSyntax.Comparison {
  fileprivate func filter<Element: DynamicEntity>(_ row: Row<Element>) -> ConditionTree {
    // The kinds of values are known only at run time: a comparison that a schema would refuse is false.
    (try? FilterCompiler<Element>().filter(self)) ?? .constant(false)
  }
}
