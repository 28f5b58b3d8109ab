/// A property that holds links, in a schema, with the rules for deleting the objects at either end.
///
/// ```swift
/// Relation(\.author, onDelete: .nullify)      // when the author is deleted, the post stays
/// Relation(\.blog, onDelete: .cascade)        // when the blog is deleted, the post is, too
/// Relation(\.subtasks, .owned)                // when the task is deleted, its subtasks are, too
/// ```
/// `onDelete:` says what happens to the object that holds the link when its target is deleted; `.owned` says that
/// targets are deleted with the object that holds the link. Without a rule an optional reference becomes nil, a
/// required one restricts, and lists, sets and maps lose the entry. A property of such a type that the schema lists
/// without `Relation` has these rules, too.
public struct Relation<Root>: Sendable {
  let base: any LinkBearing & Sendable
  let definition: LinkDefinition

  /// Declares a property that holds links.
  ///
  /// - Parameters:
  ///   - keyPath: the property; a `var`, unless no link is ever removed from it.
  ///   - options: further properties of the links.
  ///   - onDelete: what happens when a linked object is deleted.
  ///   - isRequired: whether it must hold a link by the end of each transaction.
  public init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, _ options: RelationOption..., onDelete: DeleteRule? = nil,
    isRequired: Bool = false
  ) {
    self.init(keyPath, name: nil, Set(options), onDelete, isRequired)
  }

  /// Declares a property that holds links, with an explicit name, for a key path that does not give one.
  ///
  /// - Parameters:
  ///   - keyPath: the property; a `var`, unless no link is ever removed from it.
  ///   - name: its name.
  ///   - options: further properties of the links.
  ///   - onDelete: what happens when a linked object is deleted.
  ///   - isRequired: whether it must hold a link by the end of each transaction.
  public init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, _ name: String, _ options: RelationOption...,
    onDelete: DeleteRule? = nil, isRequired: Bool = false
  ) {
    self.init(keyPath, name: name, Set(options), onDelete, isRequired)
  }

  private init<Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, name: String?, _ options: Set<RelationOption>,
    _ rule: DeleteRule?,
    _ isRequired: Bool
  ) {
    base = LinkBase(keyPath: keyPath, name: name)
    definition = LinkDefinition(
      keyPath, name: name, rule: rule, isOwned: options.contains(.owned), isRequired: isRequired)
  }
}

/// A nested value, or an array of them, that holds links of its own.
///
/// ```swift
/// Embedded(\.address) { Relation(\.owner) }
/// Embedded(each: \.items) { Relation(\.product, onDelete: .restrict) }
/// ```
public struct Embedded<Root>: Sendable {
  /// The value as an ordinary property.
  let base: any LinkBearing & Sendable
  let links: [LinkDefinition]

  /// Declares the links inside a nested value.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Root, Value>, _ name: String? = nil,
    @RelationBuilder<Value> _ relations: () -> [LinkDefinition]
  ) {
    let base = LinkBase(keyPath: keyPath, name: name)
    self.base = base
    links = relations().map {
      $0.embedded(in: base, listsMissing: $0.listsMissing) {
        $1(&$0)
      } each: {
        $1($0)
      }
    }
  }

  /// Declares the links inside an optional nested value.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Root, Value?>, _ name: String? = nil,
    @RelationBuilder<Value> _ relations: () -> [LinkDefinition]
  ) {
    let base = LinkBase(keyPath: keyPath, name: name)
    self.base = base
    links = relations().map { link in
      link.embedded(in: base, listsMissing: link.cardinality != .many) { value, edit in
        if var some = value {
          edit(&some)
          value = some
        }
      } each: { value, body in
        if let value { body(value) }
      }
    }
  }

  /// Declares the links inside each of an array of nested values.
  ///
  /// A rule applies to the whole object: with `.cascade` it is deleted with any one of the objects that a value in
  /// the array links to.
  public init<Value: Equatable & Sendable>(
    each keyPath: SendableKeyPath<Root, [Value]>, _ name: String? = nil,
    @RelationBuilder<Value> _ relations: () -> [LinkDefinition]
  ) {
    let base = LinkBase(keyPath: keyPath, name: name)
    self.base = base
    links = relations().map { link in
      link.embedded(in: base, listsMissing: false) { values, edit in
        for index in values.indices { edit(&values[index]) }
      } each: { values, body in
        for value in values { body(value) }
      }
    }
  }
}

/// A property that holds links, of any object type.
protocol LinkBearing {
  /// The property, for an entity that is the key path's root type.
  func property<Element: Entity>(of _: Element.Type, links: [LinkDefinition]) -> PropertyDefinition<Element>
}

struct LinkBase<Root, Value: Equatable & Sendable>: LinkBearing {
  let keyPath: SendableKeyPath<Root, Value>
  let name: String?

  func property<Element: Entity>(of _: Element.Type, links: [LinkDefinition]) -> PropertyDefinition<Element> {
    guard let keyPath = typedKeyPath(keyPath, Element.self, Value.self) else {
      preconditionFailure("a line of the schema of \(Element.self) starts from \(Root.self)")
    }
    return PropertyDefinition(keyPath, name: name, options: [], links: links)
  }
}

/// Collects the relations of an ``Embedded`` value.
@resultBuilder
public enum RelationBuilder<Root> {
  /// A relation.
  public static func buildExpression(_ relation: Relation<Root>) -> [LinkDefinition] { [relation.definition] }

  /// A value nested in the nested value.
  public static func buildExpression(_ embedded: Embedded<Root>) -> [LinkDefinition] { embedded.links }

  /// All lines, in order.
  public static func buildBlock(_ lines: [LinkDefinition]...) -> [LinkDefinition] { lines.flatMap(\.self) }
}

/// A name for the objects that link to an object, for printing and for text filters.
///
/// ```swift
/// static let schema = Schema<User> {
///   \.name
///   Inverse("posts", of: \Post.author)
/// }
/// ```
public struct Inverse<Target: Entity>: Sendable {
  package let definition: InverseDefinition

  /// Names the objects that link to this one by a property, which may be in an embedded value.
  public init<Source: Entity, Value: RelationValue>(
    _ name: String, of keyPath: SendableKeyPath<Source, Value>
  ) where Value.Target == Target {
    definition = InverseDefinition(name: name, source: Source.self, keyPaths: [keyPath])
  }

  /// Names the objects that link to this one by a property of any of an array of embedded values.
  public init<Source: Entity, Nested, Value: RelationValue>(
    _ name: String, of keyPath: SendableKeyPath<Source, [Nested]>, each link: SendableKeyPath<Nested, Value>
  ) where Value.Target == Target {
    definition = InverseDefinition(name: name, source: Source.self, keyPaths: [keyPath, link])
  }
}

/// An ``Inverse`` without its types.
///
/// It does not read its source's schema, which may have an inverse of this entity and be in
/// initialisation (R7).
package struct InverseDefinition: Sendable {
  package let name: String
  package let source: any Entity.Type
  let keyPaths: [any AnyKeyPath & Sendable]

  /// The property's name in Swift.
  var property: String { keyPaths.map { shownMember(of: $0) }.joined(separator: ".") }
}
