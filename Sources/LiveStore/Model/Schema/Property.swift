/// What a property is used for beyond being stored.
public enum PropertyOption: Sendable, Hashable {
  /// An index on the property serves equality, `in`, and for `Comparable` values ranges, prefixes and order.
  case indexed
  /// No two objects may have the same value, judged at commit; nil is not compared. Includes an index.
  case unique
  /// An index on the elements of an array or a set serves `contains`, where the elements are `Hashable`.
  ///
  /// ```swift
  /// Property(\.tags, .indexedElements)
  /// Post.where { $0.tags.contains("swift") }      // looks at the posts that have the tag, and at no other
  /// ```
  /// Choose it where most elements are in few of the objects: an object takes one entry for each of its different
  /// elements, and a write of the property compares them with those before. The collection may be optional. On any
  /// other type it is `invalidSchema`. ``indexed`` is of use for the collection as a whole, as in `$0.tags == []`.
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

  /// A property under the name its key path tells.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: nil, options: Set(options))
  }

  /// A property under a name of its own.
  public init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, _ name: String, _ options: PropertyOption...
  ) {
    definition = PropertyDefinition(keyPath, name: name, options: Set(options))
  }
}

/// A stored property that does not count: it is kept as given, and writing it alone is no change.
///
/// No observer gets an event for it, and what reads it can be fetched, but not followed. What others write to it is not
/// lost: an optimistic transaction and an undo that did not set it keep it.
public struct Ignored<Element: Entity>: Sendable {
  let definition: PropertyDefinition<Element>

  /// Leaves a property out of the schema.
  /// - Parameters:
  ///   - keyPath: the property.
  ///   - name: its name in the struct, where the key path does not tell it.
  public init<Value>(_ keyPath: SendableKeyPath<Element, Value>, _ name: String? = nil) {
    definition = PropertyDefinition(ignoring: keyPath, name: name)
  }
}

/// One line of a schema.
public struct PropertyDefinition<Element: Entity>: Sendable {
  let keyPath: any PartialKeyPath<Element> & Sendable
  /// The name given or found; nil asks for one.
  let name: String?
  /// The name of the stored property, if its key path tells it.
  let member: String?
  let isIgnored: Bool
  /// A value of no size has no address, and its key path describes another property.
  let isEmptyValue: Bool
  /// Where the value lies in an object; nil where it is computed.
  let extent: PropertyExtent?
  let options: Set<PropertyOption>
  let functions: PropertyFunctions?
  /// How two edits of it are merged; nil where there is no property.
  let merged: MergedProperty?
  /// The elements of its value, where they are to be indexed and can be.
  let elements: ElementFunctions?
  /// The links in the property's value.
  let links: [LinkDefinition]
  /// Links of others to this entity; such a line has no property.
  let inverse: InverseDefinition?

  /// - Parameter links: what links the value holds; nil for what its type tells.
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
    // A value of no size has no address of its own: its key path tells the name of another property.
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

/// What the store does with one property's values, given rows.
package struct PropertyFunctions: Sendable {
  package let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  package let value: @Sendable (UnsafeRawPointer) -> any Sendable
  package let isNil: @Sendable (UnsafeRawPointer) -> Bool
  package let abbreviate: (@Sendable (UnsafeRawPointer) -> UInt64)?
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  /// Whether that is known to keep its laws.
  package let isLawful: Bool
  package let hash: (@Sendable (UnsafeRawPointer) -> UInt64)?

  init<Value: Equatable & Sendable>(_ reader: ObjectReader<Value>) {
    let read: @Sendable (UnsafeRawPointer) -> Value = { reader.read($0) }
    isSame = { isSameValue(read($0), read($1)) }
    value = { read($0) }
    isNil = { (read($0) as? any OptionalValue)?.isNil ?? false }
    let order = ValueOrder<Value>.ofType()
    isLawful = order?.isLawful ?? false
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
