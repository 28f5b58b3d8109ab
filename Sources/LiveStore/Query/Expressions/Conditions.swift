/// Makes the conditions that operators and methods of expressions stand for: their forms, and the values that can pass.
@usableFromInline
package enum Conditions {
  @usableFromInline
  package static func comparing<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ comparison: Comparison, _ rhs: Value, _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    guard let path = lhs.source.path else { return testing(mask, lhs) }
    func candidates(_ values: ComparedValues<Value>) -> SearchArgument? {
      switch comparison {
      case .equal: values.equal([rhs])
      case .notEqual: nil
      case .less: values.below(rhs, isInclusive: false)
      case .lessOrEqual: values.below(rhs, isInclusive: true)
      case .greater: values.above(rhs, isInclusive: false)
      case .greaterOrEqual: values.above(rhs, isInclusive: true)
      }
    }
    func linked(_ path: Term) -> LinkedSearchArgument.Objects? {
      switch comparison {
      case .equal: .equal(path, [Constant(rhs)])
      case .notEqual: nil
      case .less: .between(path, nil, .exclusive(Constant(rhs)))
      case .lessOrEqual: .between(path, nil, .inclusive(Constant(rhs)))
      case .greater: .between(path, .exclusive(Constant(rhs)), nil)
      case .greaterOrEqual: .between(path, .inclusive(Constant(rhs)), nil)
      }
    }
    let term = Term.compare(path, comparison, Constant(rhs))
    let isListed = comparison == .equal || comparison == .notEqual
    return Expr<Bool>(
      .condition(
        Condition(
          term: term, mask: mask, candidates: candidates(lhs.compared(at: path)),
          dependencies: lhs.dependencies,
          linked: !lhs.isNilWithoutObject || isMissing(rhs) ? nil : lhs.linkedCandidates(linked),
          listing: isListed ? listing(lhs) : nil)),
      at: lhs.reads.level)
  }

  /// Whether a value is nil, which is also that of a missing object.
  private static func isMissing<Value>(_ value: Value) -> Bool {
    (value as? any OptionalValue)?.isNil ?? false
  }

  /// Makes conditions that a value is one of some constants, or none of them.
  private static func listing<Value: Equatable & Sendable>(_ lhs: Expr<Value>) -> Condition.Listing {
    { constants, isExcluding in
      let values = constants.compactMap { $0.value(as: Value.self) }
      guard values.count == constants.count, let value = values.first else { return nil }
      if values.count > 1 {
        let list = lhs.in(values).filter
        return isExcluding ? list.negated : list
      }
      if let filter = lhs.specialized(isExcluding ? .notEqual : .equal, value) { return filter }
      return isExcluding ? (lhs != value).filter : (lhs == value).filter
    }
  }

  static func pairing<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ comparison: Comparison, _ rhs: Expr<Value>,
    _ test: @escaping @Sendable (Value, Value) -> Bool
  ) -> Expr<Bool> {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    let (left, right) = (lhs.accessor, rhs.accessor)
    let pair = Accessor<Bool>.function { test(left.read($0, $1), right.read($0, $1)) }
    let mask = testMask(pair) { $0 }
    let dependencies = lhs.dependencies + rhs.dependencies
    guard let leftPath = lhs.source.path, let rightPath = rhs.source.path else {
      return testing(mask, dependencies, at: lhs.reads.level ?? rhs.reads.level)
    }
    let term = Term.compareTerms(leftPath, comparison, rightPath)
    return Expr<Bool>(
      .condition(Condition(term: term, mask: mask, candidates: nil, dependencies: dependencies)),
      at: lhs.reads.level ?? rhs.reads.level)
  }

  @usableFromInline
  package static func member<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ values: [Value], _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    guard let path = lhs.source.path else { return testing(mask, lhs) }
    let term = Term.member(path, UnorderedMembers(values.map { Constant($0) }))
    let linked =
      values.contains(where: isMissing)
      ? nil : lhs.linkedCandidates { .equal($0, values.map { Constant($0) }) }
    return Expr<Bool>(
      .condition(
        Condition(
          term: term, mask: mask, candidates: lhs.compared(at: path).equal(values),
          dependencies: lhs.dependencies, linked: linked, listing: listing(lhs))),
      at: lhs.reads.level)
  }

  @usableFromInline
  package static func ranging<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ lower: Value?, _ upper: Value?, isClosed: Bool, _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    guard let path = lhs.source.path else { return testing(mask, lhs) }
    let term: Term
    switch (lower, upper) {
    case (let lower?, let upper?):
      term = .range(
        path, lower: .inclusive(Constant(lower)), upper: ValueBound(Constant(upper), isInclusive: isClosed))
    case (let lower?, nil): term = .compare(path, .greaterOrEqual, Constant(lower))
    case (nil, let upper?): term = .compare(path, isClosed ? .lessOrEqual : .less, Constant(upper))
    case (nil, nil): return testing(mask, lhs)
    }
    let candidates = lhs.compared(at: path).between(
      lower.map { .inclusive($0) }, upper.map { ValueBound($0, isInclusive: isClosed) }, areAll: true)
    let linked = lhs.linkedCandidates { path in
      .between(
        path, lower.map { .inclusive(Constant($0)) },
        upper.map { ValueBound(Constant($0), isInclusive: isClosed) })
    }
    return Expr<Bool>(
      .condition(
        Condition(
          term: term, mask: mask, candidates: candidates, dependencies: lhs.dependencies, linked: linked)),
      at: lhs.reads.level)
  }

  /// A condition of which only the named values are known.
  static func testing(_ mask: @escaping RowMask, _ dependencies: [Dependency], at level: Int?) -> Expr<Bool> {
    Expr<Bool>(
      .condition(
        Condition(term: .closure(), mask: mask, candidates: nil, dependencies: dependencies)),
      at: level)
  }

  /// A test of an expression of which only the named values are known.
  static func testing<Value>(_ mask: @escaping RowMask, _ lhs: Expr<Value>) -> Expr<Bool> {
    testing(mask, lhs.dependencies, at: lhs.reads.level)
  }
}

func nilCondition<V>(_ lhs: Expr<V?>, isNil: Bool) -> Condition {
  let mask = testMask(lhs.accessor) { ($0 == nil) == isNil }
  guard let path = lhs.source.path else {
    return Condition(
      term: .closure(), mask: mask, candidates: nil, dependencies: lhs.dependencies)
  }
  let term = Term.compare(path, isNil ? .equal : .notEqual, Constant(MissingValue()))
  return Condition(term: term, mask: mask, candidates: nil, dependencies: lhs.dependencies)
}
