/// One line of a schema.
@_documentation(visibility: internal)
public struct PropertyDefinition<Element: Entity>: Sendable {
  let keyPath: any PartialKeyPath<Element> & Sendable
  /// The property with its type, for text filters; nil if the line has no property to read.
  private(set) var typed: (any TypedProperty<Element>)?
  /// The explicit or inferred name; nil if there is none.
  let name: String?
  /// The name of the stored property, if its key path gives it.
  private(set) var member: String?
  private(set) var isIgnored: Bool = false
  /// A value without size has no address, and its key path describes another property.
  private(set) var isEmptyValue: Bool = false
  /// The position of the value in an object; nil for a computed one.
  private(set) var extent: PropertyExtent?
  private(set) var options: Set<PropertyOption> = []
  private(set) var functions: PropertyFunctions?
  /// How two edits of the property are merged; nil if the line has no property.
  private(set) var merged: MergedProperty?
  /// The elements of the property's value, if they can be indexed.
  private(set) var elements: ElementFunctions?
  /// The words of the property's text, if it can be searched.
  private(set) var words: ElementFunctions?
  /// The links in the property's value.
  private(set) var links: [LinkDefinition] = []
  /// Links from other objects to this entity; such a line has no property.
  private(set) var inverse: InverseDefinition?
  /// The properties of an index over several; such a line has no property of its own.
  var indexed: [PropertyDefinition] = []

  /// - Parameter links: the links that the value holds; nil to infer them from its type.
  init<Value: Equatable & Sendable>(
    _ keyPath: SendableKeyPath<Element, Value>, name: String?, options: Set<PropertyOption>,
    links: [LinkDefinition]? = nil
  ) {
    self.links = links ?? LinkDefinition.inferred(keyPath, name: name)
    self.keyPath = keyPath
    typed = KeyPathProperty(keyPath: keyPath)
    member = memberName(of: keyPath)
    self.name = name ?? member
    self.options = options
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
    // A value without size has no address of its own: its key path has the name of another property.
    member = MemoryLayout<Value>.size == 0 ? nil : memberName(of: keyPath)
    self.name = name ?? member
    isIgnored = true
    extent = PropertyExtent(keyPath)
    merged = MergedProperty(ignoring: keyPath)
  }

  init(_ inverse: InverseDefinition) {
    (keyPath, name, self.inverse) = (\Element.id, inverse.name, inverse)
  }

  /// A line for an index over several properties.
  init(indexing properties: [PropertyDefinition], _ option: PropertyOption) {
    (keyPath, name, options, indexed) = (\Element.id, nil, [option], properties)
  }

  /// A property of an index, listed without options of its own.
  static func part<Value: Equatable & Sendable>(_ keyPath: SendableKeyPath<Element, Value>)
    -> PropertyDefinition
  {
    PropertyDefinition(keyPath, name: nil, options: [])
  }
}
