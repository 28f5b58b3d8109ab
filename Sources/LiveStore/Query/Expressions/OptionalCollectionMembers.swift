/// The members of an optional collection in an expression, such as the links of a linked object:
/// `$0.author.tags.count`.
public struct OptionalCollectionMembers<Elements: Collection & SendableMetatype>: Sendable {
  /// The number of elements.
  public var count: CollectionMember<Elements, Int> { CollectionMember(name: "count") { $0.count } }
  /// Whether there are no elements.
  public var isEmpty: CollectionMember<Elements, Bool> { CollectionMember(name: "isEmpty") { $0.isEmpty } }

  init() {}
}

/// A member of a collection, with the name that descriptions show.
public struct CollectionMember<Elements, Member>: Sendable {
  let name: String
  let read: @Sendable (Elements) -> Member
}
