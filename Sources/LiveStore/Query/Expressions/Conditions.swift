/// Makes the conditions that operators and methods of expressions stand for: their forms, and the values that can pass.
@usableFromInline
package enum Conditions {
  @usableFromInline
  package static func comparing<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ comparison: Comparison, _ rhs: Value, _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    let path = lhs.term
    let term = Term.compare(path, comparison, Constant(rhs))
    guard lhs.isValue else { return lhs.condition(term, mask) }
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
    let isListed = comparison == .equal || comparison == .notEqual
    return lhs.condition(
      term, mask, candidates: candidates(lhs.compared(at: path)),
      linked: !lhs.isNilWithoutObject || isMissing(rhs) ? nil : lhs.linkedCandidates(linked),
      listing: isListed ? listing(lhs) : nil)
  }

  /// Whether a value is nil, which also stands for a missing object.
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
    pairing(lhs, rhs, { .compareTerms($0, comparison, $1) }, test)
  }

  /// A test of two values of a row.
  ///
  /// - Parameter term: makes the condition's term from both terms.
  @inline(__always)
  static func pairing<Left, Right>(
    _ lhs: Expr<Left>, _ rhs: Expr<Right>, _ term: (Term, Term) -> Term,
    _ test: @escaping @Sendable (Left, Right) -> Bool
  ) -> Expr<Bool> {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    let (left, right) = (lhs.accessor, rhs.accessor)
    let pair = Accessor<Bool>.function { test(left.read($0, $1), right.read($0, $1)) }
    return Expr<Bool>(
      .condition(
        Condition(
          term: term(lhs.term, rhs.term), mask: testMask(pair) { $0 }, candidates: nil,
          named: lhs.named + rhs.named)),
      at: lhs.level ?? rhs.level)
  }

  @usableFromInline
  package static func member<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ values: [Value], _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    let path = lhs.term
    let term = Term.member(path, UnorderedMembers(values.map { Constant($0) }))
    guard lhs.isValue else { return lhs.condition(term, mask) }
    let linked =
      values.contains(where: isMissing)
      ? nil : lhs.linkedCandidates { .equal($0, values.map { Constant($0) }) }
    return lhs.condition(
      term, mask, candidates: lhs.compared(at: path).equal(values), linked: linked, listing: listing(lhs))
  }

  @usableFromInline
  package static func ranging<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ lower: Value?, _ upper: Value?, isClosed: Bool, _ mask: @escaping RowMask
  ) -> Expr<Bool> {
    let path = lhs.term
    let term: Term
    switch (lower, upper) {
    case (let lower?, let upper?):
      term = .range(
        path, lower: .inclusive(Constant(lower)), upper: ValueBound(Constant(upper), isInclusive: isClosed))
    case (let lower?, nil): term = .compare(path, .greaterOrEqual, Constant(lower))
    case (nil, let upper?): term = .compare(path, isClosed ? .lessOrEqual : .less, Constant(upper))
    case (nil, nil): return lhs.condition(.closure(), mask)
    }
    let candidates = lhs.compared(at: path).between(
      lower.map { .inclusive($0) }, upper.map { ValueBound($0, isInclusive: isClosed) }, areAll: true)
    let linked = lhs.linkedCandidates { path in
      .between(
        path, lower.map { .inclusive(Constant($0)) },
        upper.map { ValueBound(Constant($0), isInclusive: isClosed) })
    }
    return lhs.condition(term, mask, candidates: candidates, linked: linked)
  }

  /// Whether a value is nil, or is not.
  static func missing<V>(_ lhs: Expr<V?>, isNil: Bool) -> Expr<Bool> {
    let term = Term.compare(lhs.term, isNil ? .equal : .notEqual, Constant(MissingValue()))
    return lhs.condition(term, testMask(lhs.accessor) { ($0 == nil) == isNil })
  }
}

extension Expr {
  /// A condition on this value.
  func condition(
    _ term: Term, _ mask: @escaping RowMask, candidates: SearchArgument? = nil,
    linked: LinkedSearchArgument? = nil, listing: Condition.Listing? = nil, isConsistent: Bool? = nil
  ) -> Expr<Bool> {
    Expr<Bool>(
      .condition(
        Condition(
          term: term, mask: mask, candidates: candidates, named: named, linked: linked, listing: listing,
          isConsistent: isConsistent)),
      at: level)
  }

  /// Whether it is read or computed, and no condition.
  var isValue: Bool { if case .path = source { true } else { false } }
}
