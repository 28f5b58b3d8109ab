public import Foundation

extension Query {
  /// Orders by a sort descriptor or another comparator of Foundation's; after another `sorted`, orders its ties.
  ///
  /// ```swift
  /// let newest = Post.all.sorted(using: SortDescriptor(\.added, order: .reverse))
  /// ```
  /// A `SortDescriptor` by a property, or by a member of one that has a type of the library, is the store's own order:
  /// equal to `sorted(by: \.added, .descending)`, and served by an index. Nil comes first in forward order, as
  /// Foundation has it, then NaN, which Foundation leaves unordered. Text is in the order of its composed scalars, as
  /// with `.lexical`.
  ///
  /// Any other comparator is asked to compare objects: those of a locale, and a `KeyPathComparator`. It must be pure.
  /// Equal comparators are the same order. Such an order has no pages.
  /// - Complexity: as any sort; a comparator is called O(log *n*) times for each changed row.
  public func sorted<Comparator: SortComparator>(using comparator: Comparator) -> Query
  where Comparator.Compared == Element {
    let read = (comparator as? SortDescriptor<Element>).flatMap { SortKey(reading: $0) }
    return sorted(by: read ?? SortKey(comparator))
  }

  /// Orders by several comparators of Foundation's: ties of one by the next.
  ///
  /// ```swift
  /// let sorted = Post.all.sorted(using: [SortDescriptor(\.title), SortDescriptor(\.added, order: .reverse)])
  /// ```
  /// - Parameter comparators: the comparators, the most significant first; none leaves the order as it is.
  public func sorted<Comparator: SortComparator>(using comparators: some Sequence<Comparator>) -> Query
  where Comparator.Compared == Element {
    comparators.reduce(self) { $0.sorted(using: $1) }
  }
}

extension Entity {
  /// All objects ordered by a sort descriptor or another comparator; as ``Query`` has it.
  public static func sorted<Comparator: SortComparator>(using comparator: Comparator) -> Query<Self>
  where Comparator.Compared == Self {
    all.sorted(using: comparator)
  }

  /// All objects ordered by several comparators, the most significant first.
  public static func sorted<Comparator: SortComparator>(
    using comparators: some Sequence<Comparator>
  ) -> Query<Self> where Comparator.Compared == Self {
    all.sorted(using: comparators)
  }
}
