extension Expr {
  /// Whether an array holds an element: `$0.tags.contains("swift")`.
  ///
  /// With ``PropertyOption/indexedElements``, only objects that hold the element are tested. A live query tests only
  /// changes of such objects in either case.
  /// - Parameter element: the element, compared by `==`.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member] {
    holding(element) { $0.contains(element) }
  }

  /// Whether a set holds an element.
  ///
  /// With ``PropertyOption/indexedElements``, only objects that hold the element are tested. A live query tests only
  /// changes of such objects in either case.
  /// - Parameter element: the element, looked up by its hash.
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member> {
    holding(element) { $0.contains(element) }
  }

  /// Whether an optional array is not nil and holds an element.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member]? {
    holding(element) { $0?.contains(element) ?? false }
  }

  /// Whether an optional set is not nil and holds an element.
  ///
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member>? {
    holding(element) { $0?.contains(element) ?? false }
  }

  private func holding<Member: Equatable & Sendable>(
    _ element: Member, _ test: @escaping @Sendable (Value) -> Bool
  ) -> Expr<Bool> where Value: ElementCollection, Value.Member == Member {
    let mask = testMask(accessor, test)
    guard let path = source.path else { return Conditions.testing(mask, self) }
    return Expr<Bool>(
      .condition(
        Condition(
          form: .element(path, Constant(element)), mask: mask,
          candidates: Candidates(path, accessor, holding: element), operands: operands)), at: reads.level)
  }
}
