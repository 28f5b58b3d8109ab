public import Foundation

extension Filter {
  /// A filter written as a predicate of Foundation's.
  ///
  /// ```swift
  /// let popular = Filter<Post>(#Predicate { $0.likeCount > 10 })
  /// ```
  /// Its readable parts make the same filter as expressions; see ``Query/where(_:)-(Predicate<Element>)``.
  public init(_ predicate: Predicate<Element>) { self.init(PredicateParts(predicate).filter) }
}

extension Query {
  /// Selects the objects for which a predicate of Foundation's is true.
  ///
  /// ```swift
  /// let tea = Post.where(#Predicate { $0.likeCount > 10 && $0.title.contains("tea") })
  /// ```
  /// The store reads the predicate: comparisons with constants and between properties, ranges, membership,
  /// tests of text and elements, optional chaining, `!` and `??`, joined by `&&`, `||`, `!` and `if`. They
  /// become the same filter as ``where(_:)-((Row<Element>)->Expr<Bool>)`` makes of them, so indexes serve
  /// them and equal queries share one result. Foundation evaluates other parts for each object that meets the
  /// rest: order of text, tests of text by locale, casts, and values of nested types of your own. That costs
  /// some hundred times as much, and such a query equals only those made from the same `Predicate` value.
  ///
  /// The result is what `evaluate` gives, for any plan. An object for which it throws is not selected, and that is no
  /// error: `$0.rating! > 3` selects no object without a rating.
  public func `where`(_ predicate: Predicate<Element>) -> Query { self.where(Filter(predicate)) }
}

extension Entity {
  /// The objects for which a predicate of Foundation's is true; see ``Query/where(_:)-(Predicate<Element>)``.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { all.where(predicate) }
}
