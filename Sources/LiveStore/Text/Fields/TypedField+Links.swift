/// A property that holds links.
protocol LinkField: TypedField where Value: RelationValue {}

extension ExpressionField: LinkField where Value: RelationValue {}

extension LinkField {
  /// The objects that it leads to, if it may lead to several.
  var rows: (any FilterRows)? {
    guard Value.cardinality == .many else { return nil }
    return TypedRows(rows: expr.objects, link: { [expr] in expr.contains($0).filter })
  }

  /// The target that names lead to from the object of a single link, and how many of the names it takes.
  func target(
    ofLinked names: ArraySlice<String>, spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int) {
    let (target, count) = try FilterRoot<Value.Target>.target(of: names, spreads: spreads)
    for definition in Value.Target.schema.definitions
    where definition.name == names.prefix(count).joined(separator: ".") {
      if let property = definition.typed { return (member(property), count) }
    }
    if names.prefix(count) == ["id"] { return (.property(expr.linked(Row<Value.Target>().rowID)), count) }
    // A target that only several objects have, such as backlinks of the linked object.
    return (.joined(TypedRows(rows: expr.objects), target), count)
  }

  private func member<Property: TypedProperty>(_ property: Property) -> FilterTarget
  where Property.Element == Value.Target {
    typealias Member = Property.Value
    if let missing = (Member.self as? any OptionalValue.Type).flatMap({ nothing($0) as? Member }) {
      return .property(expr.linked(property.keyPath, missing: missing))
    }
    return .property(expr.linked(Row<Value.Target>()[property.keyPath]))
  }

  private func nothing<Optional: OptionalValue>(_: Optional.Type) -> Optional { Optional(wrapping: nil) }
}

extension FilterTarget {
  /// The value of a property, or the objects that its links lead to if those may be several.
  static func property<Value: Equatable & Sendable>(_ expr: Expr<Value>) -> FilterTarget {
    let field = FilterField(expr)
    return (field.typed as? any LinkField)?.rows.map { .rows($0) } ?? .field(field)
  }
}

/// A collection or a text.
protocol CollectionField: TypedField where Value: Collection {}

extension ExpressionField: CollectionField where Value: Collection {}

extension CollectionField {
  /// How many elements it has, or whether it has none.
  func number(_ aggregate: CollectionFunction) -> FilterField {
    aggregate == .count ? FilterField(expr.count) : FilterField(expr.isEmpty)
  }
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

/// An optional collection or text.
protocol OptionalCollectionField: TypedField where Value: OptionalCollection {}

extension ExpressionField: OptionalCollectionField where Value: OptionalCollection {}

extension OptionalCollectionField {
  /// How many elements it has, or whether it has none; nil where it is nil.
  func number(_ aggregate: CollectionFunction) -> FilterField {
    aggregate == .count
      ? FilterField(expr.member(.count) { $0.elementCount })
      : FilterField(expr.member(.isEmpty) { $0.hasNoElement })
  }
}
