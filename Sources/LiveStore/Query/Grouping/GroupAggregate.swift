/// The groups of a query with their aggregate values: a result whose rows are groups, with change sets by key.
///
/// Read it with ``StoreReader/value(of:)``, or observe it like a query. Equal aggregates share one maintained result.
///
/// - Complexity: upkeep is O(*k* log *m*) for *k* rows that changed, whatever the size of their groups.
public struct GroupAggregate<Element: Entity, Key: Hashable & Sendable, Value: Equatable & Sendable>:
  Hashable, Sendable, CustomStringConvertible
{
  /// The groups: the query and the key.
  public let groups: GroupedQuery<Element, Key>
  let kind: AggregateKind<Value>
  /// The aggregate in Swift syntax.
  public var description: String { "\(groups)\(kind.text)" }
}
