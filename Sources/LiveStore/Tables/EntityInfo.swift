/// An entity without its static type: functions over rows.
///
/// A row is a pointer to an object of the entity in a leaf of its table. All functions here require that.
@usableFromInline
package final class EntityInfo: Sendable {
  package let name: String
  package let type: any Entity.Type
  /// What a leaf of the table stores.
  package let layout: TreeLayout
  package let properties: [PropertyInfo]
  package let indexes: [IndexInfo]
  /// Whether some index is unique.
  let hasUnique: Bool
  /// The links that objects hold. Each has an index by the hash of the target's id.
  package let links: [LinkInfo]
  /// All indexes with several entries per row: the indexes of `links` first, in the same order, then of
  /// elements, then of words.
  package let inverted: [any InvertedIndex]
  /// Whether there is any of either kind.
  var hasIndexes: Bool { !indexes.isEmpty || !inverted.isEmpty }
  package let inverses: [InverseDefinition]
  /// Gives entries of lists their identity when an object is replaced; see `LinkDefinition`.
  let alignments: [@Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void]
  /// An empty set of ids of this entity.
  let makeDeletedIDs: @Sendable () -> any DeletedIDs
  /// Whether there are ignored properties, in which equal objects may differ.
  package var hasIgnored: Bool { !ignored.isEmpty }
  private let ignored: [PropertyPath]
  /// How two edits of ignored properties are merged.
  let ignoredProperties: [MergedProperty]
  /// Whether two rows are equal in all listed properties, and in the links that these hold.
  package let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  package let ids: IDFunctions
  /// A copy of an object, with its type.
  let copy: @Sendable (UnsafeRawPointer) -> any Entity
  /// Calls a closure with a copy of an object to edit.
  package let withCopy: @Sendable (UnsafeRawPointer, (UnsafeMutableRawPointer) -> Void) -> Void
  /// Throws `invalidSchema` when an object has a stored property that the schema does not mention.
  package let check: @Sendable (UnsafeRawPointer) throws(StoreError) -> Void

  /// - Parameter ids: how to compare and hash ids; nil for their own `==` and `hash(into:)`.
  init<Element: Entity>(_: Element.Type, ids: IDFunctions? = nil) throws(StoreError) {
    guard !(Element.self is AnyObject.Type) else {
      throw StoreError(
        StoreError.invalidSchema,
        "The entity \(Element.self) is a class. Make it a struct: a shared object would also change in snapshots that were taken before.",
        entity: "\(Element.self)")
    }
    let schema = Element.schema
    name = "\(Element.self)"
    if Element.self is any DynamicEntity.Type, schema.resolver == nil {
      throw StoreError(
        StoreError.invalidSchema,
        "The schema of \(name) lists properties, but \(name) is a DynamicEntity. Use Schema(dynamic:), or make it an Entity.",
        entity: name)
    }
    type = Element.self
    layout = .values(of: Element.self, schema.transfer)
    properties = try propertyInfos(schema)
    ignored = schema.definitions.filter(\.isIgnored).map { PropertyPath($0.keyPath, name: $0.name ?? "?") }
    indexes = try indexInfos(properties, schema.compounds, ignored: ignored, entity: name)
    hasUnique = indexes.contains { $0.isUnique }
    links = try linkInfos(schema.definitions.flatMap(\.links), entity: name)
    inverted =
      try links + elementIndexInfos(properties, entity: name) + wordIndexInfos(properties, entity: name)
    // The rows of a grouped result, which have ids of their own, are no objects of users.
    if ids == nil { try schema.checkNestedLinks() }
    alignments = links.compactMap(\.definition.align)
    inverses = schema.definitions.compactMap(\.inverse)
    ignoredProperties = schema.definitions.filter(\.isIgnored).compactMap(\.merged)
    self.ids = ids ?? IDFunctions(Element.self)
    copy = { object($0) as Element }
    withCopy = { row, body in
      var copy: Element = object(row)
      withMutableObject(&copy, body)
    }
    makeDeletedIDs = { DeletedIDsOf<Element>() }
    let sameness = properties.map(\.functions.sameness)
    // An embedded value's `==` is user code and may leave links out.
    let nested = links.filter(\.definition.isNested)
    if let isSameObject = schema.isSameObject {
      isSame = { isSameObject(object($0), object($1)) }
      check = { (_) throws(StoreError) in }
    } else {
      isSame = { lhs, rhs in
        sameness.allSatisfy { $0.isSame(lhs, rhs) } && nested.allSatisfy { $0.isSame(lhs, rhs) }
      }
      let known = Set(schema.definitions.lazy.filter { $0.inverse == nil }.compactMap(\.name))
      let members = Set(schema.definitions.compactMap(\.member))
      check = { (row) throws(StoreError) in
        try checkStoredProperties(of: object(row) as Element, known: known.union(members))
      }
    }
  }
}

extension EntityInfo {
  /// Whether a path begins with an ignored property.
  func isIgnored(_ path: PropertyPath) -> Bool { ignored.contains { path.begins(with: $0) } }

  /// A test whether a member is known to be the same in two rows that differ.
  func sameTest(of path: PropertyPath) -> @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
    if path.steps.first == .id { return { _, _ in true } }
    // Of a computed member, the properties that it is computed from are not known.
    guard let property = properties.first(where: { $0.path.ownPath.map(path.begins) ?? false }) else {
      return { _, _ in false }
    }
    let sameness = property.functions.sameness
    if property.path.ownPath == path { return { sameness.isSame($0, $1) } }
    // The `==` of the whole is its author's, and may leave out the member.
    return { sameness.hasSameBytes($0, $1) }
  }
}

private func object<Element>(_ row: UnsafeRawPointer) -> Element {
  row.object(as: Element.self).pointee  // the row holds an Element, see `EntityInfo`
}

private func propertyInfos<Element>(_ schema: Schema<Element>) throws(StoreError) -> [PropertyInfo] {
  func invalid(_ message: String, _ property: String?) -> StoreError {
    StoreError(
      StoreError.invalidSchema, "The schema of \(Element.self) \(message)",
      entity: "\(Element.self)", property: property)
  }
  var names: Set<String> = []
  var infos: [PropertyInfo] = []
  for (number, definition) in schema.definitions.enumerated() {
    let line =
      "property \(number + 1) of the schema, of type \(type(of: definition.keyPath as AnyKeyPath).valueType)"
    if definition.isEmptyValue {
      throw invalid(
        "lists a property whose type has no size (\(line)); leave it out of the schema.",
        definition.name)
    }
    guard let name = definition.name, !name.isEmpty else {
      throw invalid(
        "cannot infer the name of a computed property (\(line)). Give it one: Property(\\.…, \"name\"); or leave it out, since the properties that it is computed from are listed.",
        nil)
    }
    guard names.insert(name).inserted else {
      throw invalid("has two properties named \(name). Rename one of them.", name)
    }
    if definition.inverse == nil,
      schema.definitions.count(where: { $0.inverse == nil && $0.keyPath == definition.keyPath }) > 1
    {
      throw invalid("lists the property \(name) twice.", name)
    }
    guard let functions = definition.functions, let merged = definition.merged else { continue }
    infos.append(PropertyInfo(definition, name: name, functions, merged))
  }
  return infos
}

private func size<Value>(of _: Value) -> Int { MemoryLayout<Value>.size }

/// Checks by reflection that the schema mentions all stored properties of an object.
private func checkStoredProperties<Element: Entity>(
  of object: Element, known: Set<String>
) throws(StoreError) {
  let mirror = Mirror(reflecting: object)
  guard mirror.displayStyle == .struct else { return }
  // A value without size never differs, so it need not be mentioned.
  let stored = mirror.children.filter { _openExistential($0.value, do: size(of:)) > 0 }
  let missing = stored.compactMap(\.label).filter { label in
    // A lazy or wrapped property is reflected under its storage's name.
    !known.contains(label) && label != "id"
      && !known.contains(String(label.unicodeScalars.drop { $0 == "_" || $0 == "$" }))
  }
  guard missing.isEmpty else {
    let list = missing.joined(separator: ", ")
    throw StoreError(
      StoreError.invalidSchema,
      "The schema of \(Element.self) does not mention \(list). List each stored property, or add Ignored(\\.\(missing[0])).",
      entity: "\(Element.self)", property: missing[0])
  }
}
