// Filters of dynamic objects, whose values have types only at run time. Long chains of members that neither planning nor
// routing needs separately become one condition, which reads each value once.

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

  /// The filter over the rows of an entity whose schema resolves paths at run time.
  package func filter<Element: DynamicEntity>(_ row: Row<Element>) -> ConditionTree {
    lenient(FilterCompiler<Element>()).joiningChains(row)
  }

  /// The filter, in which a comparison that a schema would refuse is false: the kinds of values are known only at run
  /// time.
  private func lenient<Element: DynamicEntity>(_ compiler: FilterCompiler<Element>) -> ConditionTree {
    switch self {
    case .constant(let answer, _): .constant(answer)
    case .not(let member, _): member.lenient(compiler).negated
    case .and(let members, _): .all(of: members.map { $0.lenient(compiler) })
    case .or(let members, _): .any(of: members.map { $0.lenient(compiler) })
    case .comparison(let comparison): (try? compiler.filter(comparison)) ?? .constant(false)
    }
  }
}

extension ConditionTree {
  /// The length from which a chain is tested as one condition.
  private static let manyMembers = 8

  /// The filter with each long chain as one condition.
  fileprivate func joiningChains<Element: DynamicEntity>(_ row: Row<Element>) -> ConditionTree {
    switch self {
    case .constant, .condition: return self
    case .not(let member): return member.joiningChains(row).negated
    case .all(let members):
      // Members that lead to rows stay separate, for planning and routing.
      let plain = members.filter { $0.candidates == nil }
      guard plain.count >= Self.manyMembers else { return .all(of: members.map { $0.joiningChains(row) }) }
      let others = members.filter { $0.candidates != nil }.map { $0.joiningChains(row) }
      return .all(of: others + [ConditionTree.all(plain).chain(row)])
    case .any(let members):
      guard members.count >= Self.manyMembers, case .any = simplified else {
        return .any(of: members.map { $0.joiningChains(row) })
      }
      return chain(row)
    }
  }

  /// The same as one condition.
  private func chain<Element: DynamicEntity>(_ row: Row<Element>) -> ConditionTree {
    let test = ChainTest(self)
    let accessors = test.paths.map { row[path: $0].accessor }
    let mask: RowMask = { base, stride, count, context in
      var bits: UInt64 = 0
      for index in 0..<count {
        let object = base + index * stride
        let holds = test.holds(
          { accessors[$0].read(object, context) }, { $0.mask(object, 0, 1, context) != 0 })
        if holds { bits |= 1 << UInt64(index) }
      }
      return bits
    }
    let program = FilterProgram(self)
    return .condition(
      Condition(
        term: .program(program.map(\.term)), mask: mask, candidates: candidates, named: named.distinct,
        isConsistent: isConsistent, program: program))
  }
}
