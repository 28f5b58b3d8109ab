/// The row of an entity inside a filter or a sort: its only members are the entity's properties, computed ones
/// included.
///
/// ```swift
/// Post.where { $0.likeCount >= 10 && $0.address.city == "Berlin" }
/// ```
/// A computed property must be pure. It serves for what no operator says, such as text sorted without regard to case:
/// `var sortTitle: String { title.lowercased() }`, and `Post.sorted(by: \.sortTitle)`.
@dynamicMemberLookup
public struct Row<Element: Entity>: Sendable {
  @usableFromInline
  package init() {}

  /// The value of a property.
  public subscript<Value>(dynamicMember keyPath: SendableKeyPath<Element, Value>) -> Expr<Value> {
    self[keyPath]
  }

  /// The value of a property whose name is used by `Row` itself, as in `$0[\.max]`.
  public subscript<Value>(_ keyPath: SendableKeyPath<Element, Value>) -> Expr<Value> {
    let member = memberName(of: keyPath)
    // The name is that of `Identifiable`, so no other property can have it.
    let name = Element.schema.name(of: keyPath) ?? shownMember(of: keyPath)
    let path = member == "id" ? .id : PropertyPath(keyPath, name: name)
    let trail = LinkTrail(hops: [], entity: ObjectIdentifier(Element.self), path: path)
    return Expr(source: .path(path), accessor: Accessor(keyPath), trail: trail)
  }
}

extension Row {
  /// The id of the row. In generic code, its key path has no name by which it would be recognised.
  var rowID: Expr<Element.ID> {
    Expr(
      source: .path(.id), accessor: Accessor(\Element.id),
      trail: LinkTrail(hops: [], entity: ObjectIdentifier(Element.self), path: .id))
  }
}

/// Properties of an entity, for observers that only need changes of these: `[\.title, \.address.city]`.
public typealias RowPaths<Element: Entity> = [any PartialKeyPath<Row<Element>> & Sendable]
