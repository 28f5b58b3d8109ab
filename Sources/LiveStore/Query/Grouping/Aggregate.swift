/// The aggregate value of all rows of a query, to read and to observe: a sum, an extreme, a mean.
///
/// ```swift
/// let likes = snapshot.value(of: Post.all.sum(\.likeCount))
/// for try await oldest in store.values(of: Post.all.min(\.date)) { … }
/// ```
/// - Complexity: upkeep is O(*k* log *m*) for *k* rows that changed.
public struct Aggregate<Element: Entity, Value: Equatable & Sendable>: Hashable, Sendable,
  CustomStringConvertible
{
  /// The aggregated rows.
  public let query: Query<Element>
  let kind: AggregateKind<Value>
  /// The aggregate of no rows.
  let empty: Value

  /// Whether both have equal queries and the same kind.
  public static func == (lhs: Aggregate, rhs: Aggregate) -> Bool {
    lhs.query == rhs.query && lhs.kind == rhs.kind
  }
  /// Hashes the query and the kind.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(kind)
  }
  /// The aggregate in Swift syntax.
  public var description: String { "\(query)\(kind.text)" }
}

extension Query {
  /// The sum of a property over all rows, optional or not; nil is skipped; zero without any number.
  ///
  /// Sums are exact and rounded once, so they depend neither on the order of rows nor on earlier versions. If a sum
  /// of integers does not fit their type, it is the nearest value that does.
  public func sum<Value: SummableValue>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Value.Summand> {
    Aggregate(query: self, kind: .sum(Row()[keyPath: keyPath]), empty: Value.Summand.value(of: ExactSum()))
  }

  /// The mean of a property, optional or not: the exact sum divided by the number of values; nil is skipped, and is the
  /// result if there is nothing else.
  public func average<Value: SummableValue>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Double?> {
    Aggregate(query: self, kind: .average(Row()[keyPath: keyPath]), empty: nil)
  }

  /// The least value of a property: the first in ascending order, where NaN comes first; nil without rows.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extremeOfAll(.least, of: Row()[keyPath: keyPath]), empty: nil)
  }

  /// The least value of an optional property; nil is skipped, and is the result if there is nothing else.
  public func min<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extreme(.least, of: Row()[keyPath: keyPath]), empty: nil)
  }

  /// The greatest value of a property: the last in ascending order; NaN only if all values are; nil without rows.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extremeOfAll(.greatest, of: Row()[keyPath: keyPath]), empty: nil)
  }

  /// The greatest value of an optional property; nil is skipped, and is the result if there is nothing else.
  public func max<Value: Comparable & Sendable>(
    _ keyPath: KeyPath<Row<Element>, Expr<Value?>>
  ) -> Aggregate<Element, Value?> {
    Aggregate(query: self, kind: .extreme(.greatest, of: Row()[keyPath: keyPath]), empty: nil)
  }
}
