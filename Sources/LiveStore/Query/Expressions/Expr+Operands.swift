// Operands of filters that are not expressions of their row: plain conditions, ids and objects that links are
// compared with, default values for missing ones, collections that contain a property's value.

extension Expr<Bool> {
  /// Whether the condition and a plain one both hold: `$0.isOpen && showsOpen`.
  ///
  /// The plain condition is evaluated when the filter is made.
  @_disfavoredOverload
  public static func && (lhs: Expr, rhs: Bool) -> Expr { rhs ? lhs : Expr(.constant(false), at: nil) }

  /// Whether a plain condition and the row's condition both hold.
  @_disfavoredOverload
  public static func && (lhs: Bool, rhs: Expr) -> Expr { lhs ? rhs : Expr(.constant(false), at: nil) }

  /// Whether the condition holds or a plain one does: `$0.isOpen || showsAll`.
  ///
  /// The plain condition is evaluated when the filter is made.
  @_disfavoredOverload
  public static func || (lhs: Expr, rhs: Bool) -> Expr { rhs ? Expr(.constant(true), at: nil) : lhs }

  /// Whether a plain condition or the row's condition holds.
  @_disfavoredOverload
  public static func || (lhs: Bool, rhs: Expr) -> Expr { lhs ? Expr(.constant(true), at: nil) : rhs }
}

// MARK: Links

extension Expr {
  /// Whether the link leads to the object with an id: `$0.owner == userID`; with nil, whether there is no link.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Target.ID?) -> Expr<Bool>
  where Value == Ref<Target>? {
    lhs == rhs.map { Ref($0) }
  }

  /// Whether the link does not lead to the object with an id; with nil, whether there is a link.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Target.ID?) -> Expr<Bool>
  where Value == Ref<Target>? {
    lhs != rhs.map { Ref($0) }
  }

  /// Whether the link leads to an object: `$0.owner == user`; with nil, whether there is no link.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Target?) -> Expr<Bool> where Value == Ref<Target>? {
    lhs == rhs.map { Ref(to: $0) }
  }

  /// Whether the link does not lead to an object; with nil, whether there is a link.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Target?) -> Expr<Bool> where Value == Ref<Target>? {
    lhs != rhs.map { Ref(to: $0) }
  }

  /// Whether the link leads to the object with an id.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Target.ID) -> Expr<Bool> where Value == Ref<Target> {
    lhs == Ref(rhs)
  }

  /// Whether the link does not lead to the object with an id.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Target.ID) -> Expr<Bool> where Value == Ref<Target> {
    lhs != Ref(rhs)
  }

  /// Whether the link leads to an object.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Target) -> Expr<Bool> where Value == Ref<Target> {
    lhs == Ref(to: rhs)
  }

  /// Whether the link does not lead to an object.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Target) -> Expr<Bool> where Value == Ref<Target> {
    lhs != Ref(to: rhs)
  }
}

extension Expr {
  /// Whether the link leads to a row: `$0.members.contains { $0.leader == row }`.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Row<Target>) -> Expr<Bool>
  where Value == Ref<Target>? {
    lhs == rhs.optionalLink
  }

  /// Whether the link does not lead to a row.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Row<Target>) -> Expr<Bool>
  where Value == Ref<Target>? {
    lhs != rhs.optionalLink
  }

  /// Whether the link leads to a row.
  @_disfavoredOverload
  public static func == <Target: Entity>(lhs: Expr, rhs: Row<Target>) -> Expr<Bool>
  where Value == Ref<Target> {
    lhs == rhs.link
  }

  /// Whether the link does not lead to a row.
  @_disfavoredOverload
  public static func != <Target: Entity>(lhs: Expr, rhs: Row<Target>) -> Expr<Bool>
  where Value == Ref<Target> {
    lhs != rhs.link
  }
}

extension Entity {
  /// Whether a link leads to an object: `post.owner == user`.
  @_disfavoredOverload
  public static func == (lhs: Ref<Self>?, rhs: Self) -> Bool { lhs?.id == rhs.id }

  /// Whether a link does not lead to an object.
  @_disfavoredOverload
  public static func != (lhs: Ref<Self>?, rhs: Self) -> Bool { lhs?.id != rhs.id }
}

// MARK: Missing values

extension Expr {
  /// The value, or a default where it is missing: `($0.due ?? date) < now`.
  ///
  /// No index serves it; live queries update it like any expression.
  /// - Parameters:
  ///   - lhs: the optional value.
  ///   - rhs: the default for nil; a value, not another property.
  public static func ?? <Wrapped: Equatable & Sendable>(
    lhs: Expr, rhs: Wrapped
  ) -> Expr<Wrapped> where Value == Wrapped? {
    let accessor = lhs.accessor
    return Expr<Wrapped>(
      source: .path(.fallback(lhs.term, .constant(Constant(operand: rhs)))),
      accessor: .function { row, context in accessor.read(row, context) ?? rhs }, level: lhs.level)
  }
}

// MARK: Collections

extension Expr {
  /// Whether the value is not nil and one of `values`.
  @_disfavoredOverload
  @inlinable
  public func `in`<Wrapped: Equatable & Sendable>(_ values: some Sequence<Wrapped>) -> Expr<Bool>
  where Value == Wrapped? {
    self.in(values.map { Optional($0) })
  }
}

// Overloads for the order of words that a filter does not have, so that the compiler explains it. None can be called.

extension Sequence where Element: Equatable & Sendable {
  /// Refuses a collection before the row's value.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the row's value first: $0.status.in(shown).")
  public func contains(_ value: Expr<Element>) -> Expr<Bool> { neverCalled() }

  /// Refuses a collection before the row's value.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the row's value first: $0.status.in(shown).")
  public func contains(_ value: Expr<Element?>) -> Expr<Bool> { neverCalled() }
}

extension FilterRange where Bound: Sendable {
  /// Refuses a range before the row's value.
  @available(*, unavailable, message: "Write the row's value first: $0.status.in(shown).")
  public func contains(_ value: Expr<Bound>) -> Expr<Bool> { neverCalled() }

  /// Refuses a range before the row's value.
  @available(*, unavailable, message: "Write the row's value first: $0.status.in(shown).")
  public func contains(_ value: Expr<Bound?>) -> Expr<Bool> { neverCalled() }
}
