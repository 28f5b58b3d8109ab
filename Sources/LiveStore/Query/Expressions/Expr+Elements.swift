extension Expr {
  /// Whether an array holds an element: `$0.tags.contains("swift")`.
  ///
  /// With ``PropertyOption/indexedElements``, only objects that hold the element are tested. A live query tests only
  /// changes of such objects in either case.
  /// - Parameter element: the element, compared by `==`.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member] {
    holding(element, among: \.count) { $0.contains { isEqualValue($0, element) } }
  }

  /// Whether a set holds an element.
  ///
  /// With ``PropertyOption/indexedElements``, only objects that hold the element are tested. A live query tests only
  /// changes of such objects in either case.
  /// - Parameter element: the element, looked up by its hash.
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member> {
    // To hash letters with many marks takes the standard library long.
    if (element as? String)?.isLong == true {
      return holding(element, among: \.count) { $0.contains { isEqualValue($0, element) } }
    }
    return holding(element) { $0.contains(element) }
  }

  /// Whether an optional array is not nil and holds an element.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member]? {
    holding(element, among: { $0?.count ?? 0 }) { $0?.contains { isEqualValue($0, element) } ?? false }
  }

  /// Whether an optional set is not nil and holds an element.
  ///
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member>? {
    if (element as? String)?.isLong == true {
      return holding(element, among: { $0?.count ?? 0 }) {
        $0?.contains { isEqualValue($0, element) } ?? false
      }
    }
    return holding(element) { $0?.contains(element) ?? false }
  }

  /// - Parameter count: how many elements are compared; nil if the element is looked up by its hash.
  private func holding<Member: Equatable & Sendable>(
    _ element: Member, among count: (@Sendable (Value) -> Int)? = nil,
    _ test: @escaping @Sendable (Value) -> Bool
  ) -> Expr<Bool> where Value: ElementCollection, Value.Member == Member {
    let accessor = accessor
    let mask: RowMask = { base, stride, rows, context in
      let run = context.run
      return rowBits(accessor, base, stride, rows, context) { elements in
        if let run, let count, !run.compare(elements: count(elements)) { return false }
        return test(elements)
      }
    }
    guard let path = source.path else { return Conditions.testing(mask, self) }
    return Expr<Bool>(
      .condition(
        Condition(
          term: .contains(path, Constant(element)), mask: mask,
          candidates: SearchArgument(path, accessor, holding: element), dependencies: dependencies)),
      at: reads.level)
  }
}
