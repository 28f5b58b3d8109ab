extension Expr {
  /// Whether an array holds an element: `$0.tags.contains("swift")`.
  ///
  /// No index serves it, but a live query with it is asked only about objects that hold the element.
  /// - Parameter element: the element, compared by `==`.
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member] {
    holding(element, { $0.forEach($1) }) { $0.contains(element) }
  }

  /// Whether a set holds an element.
  ///
  /// No index serves it, but a live query with it is asked only about objects that hold the element.
  /// - Parameter element: the element, looked up by its hash.
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member> {
    holding(element, { $0.forEach($1) }) { $0.contains(element) }
  }

  /// Whether an array is there and holds an element.
  ///
  /// - Complexity: O(*n*) a row for *n* elements.
  public func contains<Member: Equatable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == [Member]? {
    holding(element, { $0?.forEach($1) }) { $0?.contains(element) ?? false }
  }

  /// Whether a set is there and holds an element.
  ///
  /// - Complexity: O(1) a row.
  public func contains<Member: Hashable & Sendable>(_ element: Member) -> Expr<Bool>
  where Value == Set<Member>? {
    holding(element, { $0?.forEach($1) }) { $0?.contains(element) ?? false }
  }

  private func holding<Member: Equatable & Sendable>(
    _ element: Member, _ forEach: @escaping @Sendable (Value, (Member) -> Void) -> Void,
    _ test: @escaping @Sendable (Value) -> Bool
  ) -> Expr<Bool> {
    let mask = testMask(accessor, test)
    guard let path = source.path else { return Conditions.testing(mask, operands) }
    let accessor = accessor
    let candidates = Candidates(path, holding: element) { row, context, body in
      forEach(accessor.read(row, context), body)
    }
    return Expr<Bool>(
      .condition(
        Condition(
          form: .element(path, Constant(element)), mask: mask, candidates: candidates, operands: operands)))
  }
}
