/// The row of an entity inside a filter or a sort: its only members are the entity's properties, computed ones
/// included.
///
/// ```swift
/// Post.where { $0.likeCount >= 10 && $0.address.city == "Berlin" }
/// ```
/// A computed property must be pure. Use one where no operator exists, as for text sorted without regard to
/// case: `var sortTitle: String { title.lowercased() }`, and `Post.sorted(by: \.sortTitle)`.
@dynamicMemberLookup
public struct Row<Element: Entity>: Sendable {
  /// How many rows are around it (B1).
  let level: Int

  @usableFromInline
  package init() { level = 0 }

  init(level: Int) { self.level = level }

  /// The value of a property.
  public subscript<Value>(dynamicMember keyPath: SendableKeyPath<Element, Value>) -> Expr<Value> {
    self[keyPath]
  }

  /// The value of a property whose name is used by `Row` itself, as in `$0[\.max]`.
  public subscript<Value>(_ keyPath: SendableKeyPath<Element, Value>) -> Expr<Value> {
    if let known = properties.value(of: keyPath) as? StoredProperty<Value> { return expression(of: known) }
    // The name is that of `Identifiable`, so no other property can have it.
    let path: Term =
      memberName(of: keyPath) == "id"
      ? .id(of: ObjectIdentifier(Element.self))
      : Term(keyPath, name: Element.schema.name(of: keyPath) ?? shownMember(of: keyPath))
    if let property = StoredProperty(keyPath, path) {
      properties.set(property, of: keyPath)
      return expression(of: property)
    }
    return Expr(source: .path(path), accessor: Accessor(keyPath), level: level)
  }

  private func expression<Value>(of property: StoredProperty<Value>) -> Expr<Value> {
    Expr(source: .path(property.path), accessor: property.accessor, level: level, property: property)
  }
}

/// The properties that key paths lead to.
private let properties = KeyPathTable()

extension Row {
  /// The id of the row. In generic code, its key path has no name by which it would be recognised.
  var rowID: Expr<Element.ID> {
    Expr(
      source: .path(.id(of: ObjectIdentifier(Element.self))), accessor: Accessor(\Element.id), level: level)
  }
}

extension Row {
  /// A link to the row itself.
  var link: Expr<Ref<Element>> { reference { $0 } }
  var optionalLink: Expr<Ref<Element>?> { reference { $0 } }

  private func reference<Value>(_ value: @escaping @Sendable (Ref<Element>) -> Value) -> Expr<Value> {
    let id = rowID.accessor
    return Expr(
      source: .path(.function(.link, .row(0))),
      accessor: .function { row, context in value(Ref(id.read(row, context))) }, level: level)
  }
}

/// Properties of an entity, for observers that only need changes of these: `[\.title, \.address.city]`.
public typealias RowPaths<Element: Entity> = [any PartialKeyPath<Row<Element>> & Sendable]
