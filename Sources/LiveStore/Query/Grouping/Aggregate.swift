/// What all rows of a query come to, as a value to read and to observe: a sum, an extreme, a mean.
///
/// ```swift
/// let likes = snapshot.value(of: Post.all.sum(\.likeCount))
/// for try await oldest in store.values(of: Post.all.min(\.date)) { … }
/// ```
/// - Complexity: upkeep is O(*k* log *m*) for *k* rows that changed.
public struct Aggregate<Element: Entity, Value: Equatable & Sendable>: Hashable, Sendable,
  CustomStringConvertible
{
  /// The rows.
  public let query: Query<Element>
  let kind: AggregateKind<Value>
  /// What no rows come to.
  let empty: Value

  /// Whether both are of equal queries and of one kind.
  public static func == (lhs: Aggregate, rhs: Aggregate) -> Bool {
    lhs.query == rhs.query && lhs.kind.kind == rhs.kind.kind && lhs.kind.path == rhs.kind.path
  }
  /// Hashes query and kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(kind.kind)
    hasher.combine(kind.path)
  }
  /// The aggregate as Swift would write it.
  public var description: String { "\(query)\(kind.text)" }
}

extension Query {
  /// The sum of a property over all rows; zero without any.
  ///
  /// Sums are exact and rounded once, so they do not depend on the order of rows or on what was there before.
  /// A sum of integers beyond what their type holds is the nearest value it holds.
  public func sum<Value: Summable>(_ keyPath: KeyPath<Row<Element>, Expr<Value>>) -> Aggregate<Element, Value>
  {
    Aggregate(query: self, kind: .sum(Row()[keyPath: keyPath]), empty: Value.value(of: ExactSum()))
  }

  /// The sum of an optional property; nil is skipped.
  public func sum<Value: Summable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Value> {
    Aggregate(query: self, kind: .sum(Row()[keyPath: keyPath]), empty: Value.value(of: ExactSum()))
  }

  /// The mean of a property: the exact sum by the number of values; nil without any.
  public func average<Value: Summable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Double?> {
    Aggregate(query: self, kind: .average(Row()[keyPath: keyPath]), empty: nil)
  }

  /// The mean of an optional property; nil is skipped, and given where nothing else is.
  public func average<Value: Summable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Double?> {
    Aggregate(query: self, kind: .average(Row()[keyPath: keyPath]), empty: nil)
  }

  /// The least value of a property: the first in ascending order, where NaN comes before all; nil without any.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extremeOfAll(Row()[keyPath: keyPath], isLast: false), empty: nil)
  }

  /// The least value of an optional property; nil is skipped, and given where nothing else is.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extreme(Row()[keyPath: keyPath], isLast: false), empty: nil)
  }

  /// The greatest value of a property: the last in ascending order, NaN only where all are; nil without any.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extremeOfAll(Row()[keyPath: keyPath], isLast: true), empty: nil)
  }

  /// The greatest value of an optional property; nil is skipped, and given where nothing else is.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extreme(Row()[keyPath: keyPath], isLast: true), empty: nil)
  }
}
