// Aggregates of the elements of arrays and sets, optional or not: `$0.scores.max() > 3`.

extension Expr where Value: ElementCollection, Value.Member: Comparable & Sendable {
  /// The least element in the order of filters and sorts; nil if there is none.
  public func min() -> Expr<Value.Member?> { extreme(isLeast: true) }

  /// The greatest element; nil if there is none.
  public func max() -> Expr<Value.Member?> { extreme(isLeast: false) }
}

extension Expr where Value: ElementCollection, Value.Member: Summable {
  /// The sum of the elements, exact and rounded once; zero if there are none.
  public func sum() -> Expr<Value.Member> { total(.sum) { Value.Member.value(of: $0) } }

  /// The mean of the elements; nil if there are none.
  public func average() -> Expr<Double?> { total(.avg) { $0.average } }
}

extension Expr where Value: ElementCollection {
  func extreme<Member: Comparable & Sendable>(isLeast: Bool) -> Expr<Member?>
  where Value.Member == Member {
    let order = ValueOrder<Member>.ofType()
    return computed(isLeast ? .min : .max) { elements in
      var best: Member?
      elements.forEachMemberInFilter { next in
        guard let known = best else { return best = next }
        let comparison = order?.compare(next, known) ?? totalOrder(next, known)
        if isLeast ? comparison < 0 : comparison > 0 { best = next }
      }
      return best
    }
  }

  func total<Member: Summable, Result>(
    _ aggregate: CollectionFunction, _ result: @escaping @Sendable (ExactSum) -> Result
  ) -> Expr<Result> where Value.Member == Member {
    computed(aggregate) { elements in
      var sum = ExactSum()
      elements.forEachMemberInFilter { element in
        Member.add(element, to: &sum, isRemoval: false)
        sum.values += 1
      }
      return result(sum)
    }
  }

  private func computed<Result>(
    _ aggregate: CollectionFunction, _ compute: @escaping @Sendable (Value) -> Result
  ) -> Expr<Result> {
    let accessor = accessor
    let read = { @Sendable (row: UnsafeRawPointer, context: ReadContext) -> Result in
      let elements = accessor.read(row, context)
      context.run?.compare(elements: elements.memberCountInFilter)
      return compute(elements)
    }
    return Expr<Result>(
      source: .path(.function(.aggregate(aggregate), term)), accessor: .function(read), level: level)
  }
}
