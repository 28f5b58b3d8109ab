/// A condition on the objects of an entity, as a value: made in one place, joined with others at run time, and applied
/// to any query.
///
/// ```swift
/// let popular = Filter<Post> { $0.likeCount >= 10 }
/// var parts = [popular]
/// if let author { parts.append(Filter { $0.author == author }) }
/// let posts = Post.where(.all(of: parts))
/// ```
/// Filters are equal if they say the same once they are simplified: `$0.likes >= 1 && $0.likes < 5` is
/// `$0.likes.in(1..<5)`, `$0.likes == 1 || $0.likes == 2` is `$0.likes.in([1, 2])`, and `a && b` is `b && a`; and if they
/// name the same values of linked objects, which change the rows of a query. Equal filters make equal queries, which share
/// one live result.
public struct Filter<Element: Entity>: Sendable {
  /// The filter as it was composed. A long chain is simplified once, not with each of its joins.
  package let tree: ConditionTree

  init(_ tree: ConditionTree) { self.tree = tree }

  /// A filter written as an expression.
  ///
  /// - Parameter condition: gives the condition for a row.
  public init(_ condition: (Row<Element>) -> Expr<Bool>) { tree = Row.filter(condition) }

  /// The filter that every object meets.
  public static var everything: Filter { Filter(ConditionTree.constant(true)) }

  /// The filter that no object meets.
  public static var nothing: Filter { Filter(ConditionTree.constant(false)) }

  /// The objects that meet all of some filters; every object, if there are none.
  ///
  /// - Complexity: O(*n*) for *n* conditions.
  public static func all(of filters: some Sequence<Filter>) -> Filter {
    Filter(ConditionTree.all(of: filters.map(\.tree)))
  }

  /// The objects that meet at least one of some filters; none, if there are no filters.
  ///
  /// - Complexity: O(*n*) for *n* conditions.
  public static func any(of filters: some Sequence<Filter>) -> Filter {
    Filter(ConditionTree.any(of: filters.map(\.tree)))
  }

  /// The objects that meet none of some filters; every object, if there are none.
  public static func none(of filters: some Sequence<Filter>) -> Filter { !any(of: filters) }

  /// The objects that meet both filters.
  public static func && (lhs: Filter, rhs: Filter) -> Filter { all(of: [lhs, rhs]) }

  /// The objects that meet at least one of both filters.
  public static func || (lhs: Filter, rhs: Filter) -> Filter { any(of: [lhs, rhs]) }

  /// The objects that do not meet the filter.
  public static prefix func ! (filter: Filter) -> Filter { Filter(filter.tree.negated) }
}

/// Tests objects outside any store with a filter that leads over no links.
package struct FilterCheck<Element: Entity>: Sendable {
  private let tree: ConditionTree
  private let run: FilterRun?

  package init(_ filter: Filter<Element>) {
    tree = filter.tree
    run = tree.needsRun ? FilterRun() : nil
  }

  /// Whether an object meets the filter.
  ///
  /// - Throws: `StoreError` with code `filterTooExpensive` if a pattern takes too many steps, for this object or for one
  ///   before.
  package func isMet(by object: Element) throws(StoreError) -> Bool {
    let isMet = FilterRun.within(run) { withObject(object) { tree.matches($0, .none.running(run)) } }
    if let failure = run?.failure { throw failure }
    return isMet
  }
}

extension Filter: Hashable {
  /// - Complexity: O(*n* log *n*) for *n* conditions and listed values.
  public static func == (lhs: Filter, rhs: Filter) -> Bool {
    let (left, right) = (lhs.tree.simplified, rhs.tree.simplified)
    return left == right
      && lhs.tree.named(notIn: left) == rhs.tree.named(notIn: right)
  }
  /// - Complexity: O(*n* log *n*) for *n* conditions and listed values.
  public func hash(into hasher: inout Hasher) { hasher.combine(tree.simplified) }
}

extension Query {
  /// Selects the rows that meet a filter; all rows if it is nil, as for a field of a form that is left empty.
  public func `where`(_ filter: Filter<Element>?) -> Query {
    guard let filter else { return self }
    return selecting(filter.tree)
  }
}

extension Entity {
  /// The objects that meet a filter; all objects if it is nil.
  public static func `where`(_ filter: Filter<Self>?) -> Query<Self> { all.where(filter) }
}
