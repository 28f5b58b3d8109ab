/// A query's rows grouped by a key, to be aggregated.
///
/// ```swift
/// let likes = Post.all.grouped(by: \.author).sum(\.likeCount)
/// for await change in store.changes(of: likes) {
///   if case .update(let groups, let changes) = change { … }   // groups[id: author]?.value
/// }
/// ```
/// A group exists as long as it has rows; nil is a key, too. Groups are in the order of their keys (nil first, then
/// NaN), or, where keys have no order, in the order in which their earliest rows were inserted. The query's own order
/// matters only for its window.
public struct GroupedQuery<Element: Entity, Key: Hashable & Sendable>: Hashable, Sendable {
  /// The rows that are grouped.
  public let query: Query<Element>
  let key: KeySource<Key>
}

extension GroupedQuery: CustomStringConvertible {
  /// The query and the key, in Swift syntax.
  public var description: String { "\(query).grouped(by: \(key.text))" }
}

extension Query {
  /// Groups the rows by a property of any hashable type.
  ///
  /// ```swift
  /// store.observe(Post.all.grouped(by: \.status).count) { change in … }
  /// ```
  public func grouped<Key: Hashable & Sendable>(
    by keyPath: KeyPath<Row<Element>, Expr<Key>>
  ) -> GroupedQuery<Element, Key> {
    GroupedQuery(query: self, key: KeySource(Row()[keyPath: keyPath]))
  }
}
