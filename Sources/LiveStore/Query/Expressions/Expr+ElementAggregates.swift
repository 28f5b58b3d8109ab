// Aggregates of the elements of arrays and sets, optional or not: `$0.scores.max() > 3`.

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

extension Expr {
  /// The least element of an optional set in the order of filters and sorts; nil if there is none.
  public func min<Member: Comparable & Hashable & Sendable>() -> Expr<Member?> where Value == Set<Member>? {
    extreme("min", isLeast: true)
  }

  /// The greatest element of an optional set; nil if there is none.
  public func max<Member: Comparable & Hashable & Sendable>() -> Expr<Member?> where Value == Set<Member>? {
    extreme("max", isLeast: false)
  }

  /// The sum of an optional set of numbers, exact and rounded once; zero if there are none.
  public func sum<Member: Summable & Hashable>() -> Expr<Member> where Value == Set<Member>? {
    total("sum") { Member.value(of: $0) }
  }

  /// The mean of an optional set of numbers; nil if there are none.
  public func average<Member: Summable & Hashable>() -> Expr<Double?> where Value == Set<Member>? {
    total("avg") { $0.average }
  }
}

extension Expr where Value: ElementCollection {
  func extreme<Member: Comparable & Sendable>(_ name: String, isLeast: Bool) -> Expr<Member?>
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

  func total<Member: Summable, Result>(
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
    let read = { @Sendable (row: UnsafeRawPointer, context: ReadContext) -> Result in
      let elements = accessor.read(row, context)
      context.run?.compare(elements: elements.memberCount)
      return compute(elements)
    }
    return Expr<Result>(
      source: source.map { .function("@\(name)", $0) }, accessor: .function(read), reads: reads)
  }
}
