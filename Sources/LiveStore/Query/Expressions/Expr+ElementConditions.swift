// Conditions on the elements of arrays and sets of values. An element is tested as if it were a row: its expression
// reads it where it lies.

extension Expr {
  /// Whether some element of an array meets a condition: `$0.scores.contains { $0 > 3 }`.
  ///
  /// The condition may name the element alone, and no property of the row.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(
    where condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == [Member] {
    some(condition(.element).filter)
  }

  /// Whether all elements of an array meet a condition; true if there are none.
  ///
  /// The condition may name the element alone, and no property of the row.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func allSatisfy<Member: Equatable & Sendable>(
    _ condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == [Member] {
    !some(condition(.element).filter.negated)
  }

  /// Whether some element of a set meets a condition.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Hashable & Sendable>(
    where condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == Set<Member> {
    some(condition(.element).filter)
  }

  /// Whether all elements of a set meet a condition; true if there are none.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func allSatisfy<Member: Hashable & Sendable>(
    _ condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == Set<Member> {
    !some(condition(.element).filter.negated)
  }

  /// Whether an optional array is not nil and some element of it meets a condition.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(
    where condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == [Member]? {
    some(condition(.element).filter)
  }

  /// Whether all elements of an optional array meet a condition; true for nil, and if there are none.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func allSatisfy<Member: Equatable & Sendable>(
    _ condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == [Member]? {
    !some(condition(.element).filter.negated)
  }

  /// Whether an optional set is not nil and some element of it meets a condition.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Hashable & Sendable>(
    where condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == Set<Member>? {
    some(condition(.element).filter)
  }

  /// Whether all elements of an optional set meet a condition; true for nil, and if there are none.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func allSatisfy<Member: Hashable & Sendable>(
    _ condition: (Expr<Member>) -> Expr<Bool>
  ) -> Expr<Bool> where Value == Set<Member>? {
    !some(condition(.element).filter.negated)
  }
}

extension Expr {
  /// An element of a collection, read where it lies.
  static var element: Expr {
    Expr(
      source: .path(PropertyPath(dynamic: []).appending(.element(ObjectIdentifier(Value.self)), "SELF")),
      accessor: .offset(0))
  }
}

extension Expr where Value: ElementCollection {
  private static var elementPath: PropertyPath? { Expr<Value.Member>.element.source.path }

  /// Whether some element meets a condition.
  func some(_ condition: ConditionTree) -> Expr<Bool> {
    let element = ObjectIdentifier(Value.Member.self)
    precondition(
      condition.operands.allSatisfy { $0.path.root == element && $0.path.mayBegin(at: element) },
      "A condition on the elements of a collection names a property of the row. It may name the element alone."
    )
    let condition = condition.simplified
    if condition == .constant(false) { return Expr<Bool>(condition) }
    let mask = testMask(accessor) { elements in
      elements.contains { withObject($0) { condition.matches($0, .none) } }
    }
    guard let path = source.path else { return Conditions.testing(mask, operands) }
    // An element that equals a value is looked up as such (Q5).
    if case .condition(let test) = condition, case .compare(Self.elementPath, .equal, let value) = test.form,
      value.hasKnownEquality, let member = value.value(as: Value.Member.self)
    {
      return Expr<Bool>(
        .condition(
          Condition(
            form: .element(path, value), mask: mask,
            candidates: Candidates(path, accessor, holding: member), operands: operands)))
    }
    return Expr<Bool>(
      .condition(
        Condition(form: .some(path, condition), mask: mask, candidates: nil, operands: operands)))
  }

  /// How many elements meet a condition.
  func count(_ condition: ConditionTree) -> Expr<Int> {
    let (accessor, path, condition) = (accessor, source.path ?? .closure(), condition.simplified)
    return Expr<Int>(
      source: .path(
        path.appending(.filter(PathCondition(condition)), "where { \(condition) }").appending("count")),
      accessor: .function { row, context in
        var count = 0
        accessor.read(row, context).forEachMember { element in
          if withObject(element, { condition.matches($0, .none) }) { count += 1 }
        }
        return count
      }, chains: chains)
  }
}

// MARK: Aggregates of elements

extension Expr {
  /// The least element of an array in the order of filters and sorts; nil if there is none.
  public func min<Member: Comparable & Sendable>() -> Expr<Member?> where Value == [Member] {
    extreme("min", isLeast: true)
  }

  /// The greatest element of an array; nil if there is none.
  public func max<Member: Comparable & Sendable>() -> Expr<Member?> where Value == [Member] {
    extreme("max", isLeast: false)
  }

  /// The sum of an array of numbers, exact and rounded once; zero if there are none.
  public func sum<Member: Summable>() -> Expr<Member> where Value == [Member] {
    total("sum") { Member.value(of: $0) }
  }

  /// The mean of an array of numbers; nil if there are none.
  public func average<Member: Summable>() -> Expr<Double?> where Value == [Member] {
    total("avg") { $0.average }
  }
}

extension Expr {
  /// The least element of a set in the order of filters and sorts; nil if there is none.
  public func min<Member: Comparable & Hashable & Sendable>() -> Expr<Member?> where Value == Set<Member> {
    extreme("min", isLeast: true)
  }

  /// The greatest element of a set; nil if there is none.
  public func max<Member: Comparable & Hashable & Sendable>() -> Expr<Member?> where Value == Set<Member> {
    extreme("max", isLeast: false)
  }

  /// The sum of a set of numbers, exact and rounded once; zero if there are none.
  public func sum<Member: Summable & Hashable>() -> Expr<Member> where Value == Set<Member> {
    total("sum") { Member.value(of: $0) }
  }

  /// The mean of a set of numbers; nil if there are none.
  public func average<Member: Summable & Hashable>() -> Expr<Double?> where Value == Set<Member> {
    total("avg") { $0.average }
  }
}

extension Expr {
  /// The least element of an optional array in the order of filters and sorts; nil if there is none.
  public func min<Member: Comparable & Sendable>() -> Expr<Member?> where Value == [Member]? {
    extreme("min", isLeast: true)
  }

  /// The greatest element of an optional array; nil if there is none.
  public func max<Member: Comparable & Sendable>() -> Expr<Member?> where Value == [Member]? {
    extreme("max", isLeast: false)
  }

  /// The sum of an optional array of numbers, exact and rounded once; zero if there are none.
  public func sum<Member: Summable>() -> Expr<Member> where Value == [Member]? {
    total("sum") { Member.value(of: $0) }
  }

  /// The mean of an optional array of numbers; nil if there are none.
  public func average<Member: Summable>() -> Expr<Double?> where Value == [Member]? {
    total("avg") { $0.average }
  }
}

extension Expr where Value: ElementCollection {
  private func extreme<Member: Comparable & Sendable>(_ name: String, isLeast: Bool) -> Expr<Member?>
  where Value.Member == Member {
    let order = ValueOrder<Member>.ofType()
    return computed(name) { elements in
      var best: Member?
      elements.forEachMember { next in
        guard let known = best else { return best = next }
        let comparison = order?.compare(next, known) ?? totalOrder(next, known)
        if isLeast ? comparison < 0 : comparison > 0 { best = next }
      }
      return best
    }
  }

  private func total<Member: Summable, Result>(
    _ name: String, _ result: @escaping @Sendable (ExactSum) -> Result
  ) -> Expr<Result> where Value.Member == Member {
    computed(name) { elements in
      var sum = ExactSum()
      elements.forEachMember { element in
        Member.add(element, to: &sum, isRemoval: false)
        sum.values += 1
      }
      return result(sum)
    }
  }

  private func computed<Result>(
    _ name: String, _ compute: @escaping @Sendable (Value) -> Result
  ) -> Expr<Result> {
    let accessor = accessor
    return Expr<Result>(
      source: source.appending("@\(name)"), accessor: .function { compute(accessor.read($0, $1)) },
      chains: chains)
  }
}

// MARK: Dictionaries

extension Expr {
  /// The value under a key of a dictionary, nil if there is none: `$0.metadata["k"] == "v"`.
  public subscript<Key: Hashable & Sendable, Member: Sendable>(_ key: Key) -> Expr<Member?>
  where Value == [Key: Member] {
    let accessor = accessor
    let path = source.path?.appending(.key(Constant(key)), "[\(shown(key))]")
    return Expr<Member?>(
      source: path.map { .path($0) } ?? source, accessor: .function { accessor.read($0, $1)[key] },
      chains: chains)
  }
}
