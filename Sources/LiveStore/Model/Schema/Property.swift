/// The uses of a property beyond being stored.
public enum PropertyOption: Sendable, Hashable {
  /// An index on the property serves equality, `in`, and for `Comparable` values ranges, prefixes and order.
  case indexed
  /// No two objects may have the same value, checked at commit; nil is not compared. Includes an index.
  case unique
  /// An index on the elements of an array or a set serves `contains`, where the elements are `Hashable`.
  ///
  /// ```swift
  /// Property(\.tags, .indexedElements)
  /// Post.where { $0.tags.contains("swift") }      // looks at the posts that have the tag, and at no other
  /// ```
  /// Use it where most elements are in few of the objects: an object takes one entry for each of its different
  /// elements, and a write of the property compares them with the previous ones. The collection may be optional. On
  /// any other type it is `invalidSchema`. ``indexed`` serves the collection as a whole, as in `$0.tags == []`.
  case indexedElements
}

/// A stored property in a schema, where it needs a name or options.
///
/// ```swift
/// Property(\.likeCount, .indexed)
/// Property(\.slug, "permalink", .unique)
/// ```
public struct Property<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// A property with the name of its key path.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: nil, options: Set(options))
  }

  /// A property with another name.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ name: String, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: name, options: Set(options))
  }
}

/// A stored property that the store ignores: its value is stored, but writing it alone is no change.
///
/// It causes no events, and a query that reads it can be fetched but not observed. Writes to it are not lost: an
/// optimistic transaction or an undo that did not set it keeps it.
public struct Ignored<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// Leaves a property out of the schema.
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - name: its name in the struct, if the key path does not give it.
  public init<Value>(_ keyPath: SendableKeyPath<Element, Value>, _ name: String? = nil) {
    definition = PropertyDefinition(ignoring: keyPath, name: name)
  }
}

/// One line of a schema.
@_documentation(visibility: internal)
public struct PropertyDefinition<Element: Entity>: Sendable {
  let keyPath: any PartialKeyPath<Element> & Sendable
  /// The explicit or inferred name; nil if there is none.
  let name: String?
  /// The name of the stored property, if its key path gives it.
  let member: String?
  let isIgnored: Bool
  /// A value without size has no address, and its key path describes another property.
  let isEmptyValue: Bool
  /// The position of the value in an object; nil for a computed one.
  let extent: PropertyExtent?
  let options: Set<PropertyOption>
  let functions: PropertyFunctions?
  /// How two edits of it are merged; nil if the line has no property.
  let merged: MergedProperty?
  /// The elements of its value, if they can be indexed.
  let elements: ElementFunctions?
  /// The links in the property's value.
  let links: [LinkDefinition]
  /// Links from other objects to this entity; such a line has no property.
  let inverse: InverseDefinition?

  /// - Parameter links: the links that the value holds; nil to infer them from its type.
  init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, name: String?, options: Set<PropertyOption>,
    links: [LinkDefinition]? = nil
  ) {
    inverse = nil
    self.links = links ?? LinkDefinition.inferred(keyPath, name: name)
    self.keyPath = keyPath
    member = memberName(of: keyPath)
    self.name = name ?? member
    self.options = options
    isIgnored = false
    isEmptyValue = MemoryLayout<Value>.size == 0
    extent = PropertyExtent(keyPath)
    let functions = PropertyFunctions(ObjectReader(keyPath))
    self.functions = functions
    merged = MergedProperty(keyPath, isSame: functions.isSame)
    elements = options.contains(.indexedElements) ? .ofType(keyPath) : nil
  }

  init<Value>(ignoring keyPath: SendableKeyPath<Element, Value>, name: String?) {
    self.keyPath = keyPath
    // A value without size has no address of its own: its key path has the name of another property.
    member = MemoryLayout<Value>.size == 0 ? nil : memberName(of: keyPath)
    self.name = name ?? member
    options = []
    isIgnored = true
    isEmptyValue = false
    extent = PropertyExtent(keyPath)
    functions = nil
    merged = MergedProperty(ignoring: keyPath)
    elements = nil
    links = []
    inverse = nil
  }

  init(_ inverse: InverseDefinition) {
    keyPath = \Element.id
    member = nil
    name = inverse.name
    options = []
    isIgnored = false
    isEmptyValue = false
    extent = nil
    functions = nil
    merged = nil
    elements = nil
    links = []
    self.inverse = inverse
  }
}

/// The store's operations on the values of one property, given rows.
package struct PropertyFunctions: Sendable {
  package let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  package let value: @Sendable (UnsafeRawPointer) -> any Sendable
  package let isNil: @Sendable (UnsafeRawPointer) -> Bool
  package let abbreviate: (@Sendable (UnsafeRawPointer) -> UInt64)?
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  /// Whether the type is known to have a consistent ordering.
  package let isConsistent: Bool
  package let hash: (@Sendable (UnsafeRawPointer) -> UInt64)?

  init<Value: Equatable & Sendable>(_ reader: ObjectReader<Value>) {
    let read: @Sendable (UnsafeRawPointer) -> Value = { reader.read($0) }
    isSame = { isSameValue(read($0), read($1)) }
    value = { read($0) }
    isNil = { (read($0) as? any OptionalValue)?.isNil ?? false }
    let order = ValueOrder<Value>.ofType()
    isConsistent = order?.isConsistent ?? false
    if let order {
      abbreviate = { order.abbreviate(read($0)) }
      compare = { order.compare(read($0), read($1)) }
    } else {
      abbreviate = nil
      compare = nil
    }
    let valueHash = ValueHash<Value>(hashesLists: true)
    if let valueHash { hash = { valueHash(read($0)) } } else { hash = nil }
  }
}

extension OptionalValue {
  var isNil: Bool { wrapped == nil }
}
