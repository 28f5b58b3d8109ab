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
