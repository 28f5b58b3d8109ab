extension Expr {
  /// The number of elements of a collection, or whether it is empty; nil if the collection is.
  public subscript<Elements: Collection & SendableMetatype, Member>(
    dynamicMember keyPath: KeyPath<OptionalCollectionMembers<Elements>, CollectionMember<Elements, Member>>
  ) -> Expr<Member?> where Value == Elements? {
    let (accessor, member) = (accessor, OptionalCollectionMembers<Elements>()[keyPath: keyPath])
    return Expr<Member?>(
      source: .path(.function(member.function, term)),
      accessor: .function { row, context in accessor.read(row, context).map { member.read($0) } },
      level: level)
  }
}
