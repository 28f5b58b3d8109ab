/// One line of a schema.
@_documentation(visibility: internal)
public struct PropertyDefinition<Element: Entity>: Sendable {
  let keyPath: any PartialKeyPath<Element> & Sendable
  /// The property with its type, for text filters; nil if the line has no property to read.
  let typed: (any TypedProperty<Element>)?
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
  /// The words of its text, if it can be searched.
  let words: ElementFunctions?
  /// The links in the property's value.
  let links: [LinkDefinition]
  /// Links from other objects to this entity; such a line has no property.
  let inverse: InverseDefinition?
  /// The properties of an index over several; such a line has no property of its own.
  var indexed: [PropertyDefinition] = []

  /// - Parameter links: the links that the value holds; nil to infer them from its type.
  init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, name: String?, options: Set<PropertyOption>,
    links: [LinkDefinition]? = nil
  ) {
    inverse = nil
    self.links = links ?? LinkDefinition.inferred(keyPath, name: name)
    self.keyPath = keyPath
    typed = KeyPathProperty(keyPath: keyPath)
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
    words = options.contains(.searchable) ? .ofWords(keyPath) : nil
  }

  init<Value>(ignoring keyPath: SendableKeyPath<Element, Value>, name: String?) {
    self.keyPath = keyPath
    typed = nil
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
    words = nil
    links = []
    inverse = nil
  }

  init(_ inverse: InverseDefinition) {
    self.init(listing: inverse, name: inverse.name, options: [])
  }

  /// A line without a property.
  private init(listing inverse: InverseDefinition?, name: String?, options: Set<PropertyOption>) {
    keyPath = \Element.id
    typed = nil
    member = nil
    self.name = name
    self.options = options
    isIgnored = false
    isEmptyValue = false
    extent = nil
    functions = nil
    merged = nil
    elements = nil
    words = nil
    links = []
    self.inverse = inverse
  }

  /// A line for an index over several properties.
  init(indexing properties: [PropertyDefinition], _ option: PropertyOption) {
    self.init(listing: nil, name: nil, options: [option])
    indexed = properties
  }

  /// A property of an index, listed without options of its own.
  static func part<Value: Equatable & Sendable>(_ keyPath: SendableKeyPath<Element, Value>)
    -> PropertyDefinition
  {
    PropertyDefinition(keyPath, name: nil, options: [])
  }
}
