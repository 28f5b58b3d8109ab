/// The members of an optional collection in an expression, such as the links of a linked object:
/// `$0.author.tags.count`.
public struct OptionalCollectionMembers<Elements: Collection & SendableMetatype>: Sendable {
  /// The number of elements.
  public var count: CollectionMember<Elements, Int> { CollectionMember(function: .count) { $0.count } }
  /// Whether there are no elements.
  public var isEmpty: CollectionMember<Elements, Bool> { CollectionMember(function: .isEmpty) { $0.isEmpty } }

  init() {}
}

/// A member of a collection.
public struct CollectionMember<Elements, Member>: Sendable {
  let function: TermFunction
  let read: @Sendable (Elements) -> Member
}
