/// A property that holds links.
protocol FilterLinkField: Sendable {
  /// The objects that it leads to, if it may lead to several.
  var rows: (any FilterRows)? { get }
  /// What names lead to from the object of a single link, and how many of the names that takes.
  func target(
    ofLinked names: ArraySlice<String>, spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int)
}

extension TypedField: FilterLinkField where Value: RelationValue {
  var rows: (any FilterRows)? {
    guard Value.cardinality == .many else { return nil }
    return TypedRows(rows: expr.objects, link: { [expr] in expr.contains($0).filter })
  }

  func target(
    ofLinked names: ArraySlice<String>, spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int) {
    let (target, count) = try FilterRoot<Value.Target>.target(of: names, spreads: spreads)
    for definition in Value.Target.schema.definitions
    where definition.name == names.prefix(count).joined(separator: ".") {
      if let property = definition.typed { return (member(property), count) }
    }
    if names.prefix(count) == ["id"] { return (linked(Row<Value.Target>().rowID), count) }
    // What only several objects have, such as backlinks of the linked object.
    return (.joined(TypedRows(rows: expr.objects), target), count)
  }

  private func member<Property: TypedProperty>(_ property: Property) -> FilterTarget
  where Property.Element == Value.Target {
    typealias Member = Property.Value
    if let missing = (Member.self as? any OptionalValue.Type).flatMap({ nothing($0) as? Member }) {
      return field(expr.linked(property.keyPath, missing: missing))
    }
    return linked(Row<Value.Target>()[property.keyPath])
  }

  private func nothing<Optional: OptionalValue>(_: Optional.Type) -> Optional { Optional(wrapping: nil) }

  private func linked<Member: Equatable & Sendable>(_ member: Expr<Member>) -> FilterTarget {
    field(expr.linked(member))
  }

  private func field<Member: Equatable & Sendable>(_ expr: Expr<Member>) -> FilterTarget {
    let field = TypedField<Member>(expr: expr)
    return (field as? any FilterLinkField)?.rows.map { .rows($0) } ?? .field(field)
  }
}

/// A collection or a text.
protocol FilterCollectionField: Sendable {
  /// How many elements it has.
  var count: any FilterField { get }
  /// Whether it has none.
  var isEmpty: any FilterField { get }
}

extension TypedField: FilterCollectionField where Value: Collection {
  var count: any FilterField { TypedField<Int>(expr: expr.count) }
  var isEmpty: any FilterField { TypedField<Bool>(expr: expr.isEmpty) }
}

/// An optional collection, recognisable at run time.
protocol OptionalCollection {
  var elementCount: Int? { get }
  var hasNoElement: Bool? { get }
}

extension Optional: OptionalCollection where Wrapped: Collection {
  var elementCount: Int? { self?.count }
  var hasNoElement: Bool? { self?.isEmpty }
}

/// An optional collection or text. Its functions are nil where it is.
protocol FilterOptionalCollectionField: Sendable {
  var countIfAny: any FilterField { get }
  var isEmptyIfAny: any FilterField { get }
}

extension TypedField: FilterOptionalCollectionField where Value: OptionalCollection {
  var countIfAny: any FilterField { TypedField<Int?>(expr: expr.member("count") { $0.elementCount }) }
  var isEmptyIfAny: any FilterField { TypedField<Bool?>(expr: expr.member("isEmpty") { $0.hasNoElement }) }
}
