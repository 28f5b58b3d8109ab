/// One relation of an entity without its types: functions over objects, given as pointers to them.
///
/// Objects are rows of the entity, or copies of such; targets are rows of the entity linked to.
public struct LinkDefinition: Sendable {
  /// The names from the object to the links, several where they are in a nested value.
  var names: [String?]
  var keyPaths: [any AnyKeyPath & Sendable]
  package let target: any Entity.Type
  package let rule: DeleteRule
  package let isRequired: Bool
  /// Whether links can be taken away.
  private(set) var isWritable: Bool
  let cardinality: RelationCardinality

  /// Calls a body with the hash of each id linked to.
  package private(set) var forEachHash: @Sendable (UnsafeRawPointer, (UInt64) -> Void) -> Void
  /// Whether the object links to a target.
  package private(set) var isLinked: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Whether two objects hold the same links in the same order.
  package private(set) var isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Takes the links to a target out of an object.
  package private(set) var unlink: @Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void
  /// Aligns what a new object holds with an older one; see `RelationValue.aligned(with:)`.
  package private(set) var align: (@Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void)?
  /// The first id of some hashes, all if those are nil, that names no object in the tables; as text.
  package private(set) var missing: @Sendable (UnsafeRawPointer, Set<UInt64>?, ReadContext) -> String?

  init<Root, Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, name: String?, rule: DeleteRule?, isRequired: Bool
  ) {
    typealias Target = Value.Target
    let accessor = Accessor<Value>(keyPath)
    let writable = writableKeyPath(keyPath)
    names = [name ?? memberName(of: keyPath)]
    keyPaths = [keyPath]
    target = Target.self
    self.rule = rule ?? (Value.cardinality == .one || isRequired ? .restrict : .nullify)
    self.isRequired = isRequired
    isWritable = writable != nil
    cardinality = Value.cardinality
    let read: @Sendable (UnsafeRawPointer) -> Value = { accessor.read($0, .none) }
    forEachHash = { object, body in read(object).forEachReference { body(idHash($0.id)) } }
    isLinked = { object, target in
      // Targets are rows of the table of `Target`.
      let id = target.assumingMemoryBound(to: Target.self).pointee.id
      var isLinked = false
      read(object).forEachReference { isLinked = isLinked || $0.id == id }
      return isLinked
    }
    isSame = { read($0) == read($1) }
    unlink = { object, target in
      guard let writable else { return }
      // As above; objects are of the type the key path starts from.
      let reference = Ref(to: target.assumingMemoryBound(to: Target.self).pointee)
      let root = object.assumingMemoryBound(to: Root.self)
      root.pointee[keyPath: writable] = read(object).removing(reference)
    }
    align = { object, older in
      guard let writable else { return }
      // As above.
      let root = object.assumingMemoryBound(to: Root.self)
      root.pointee[keyPath: writable] = read(object).aligned(with: read(older))
    }
    missing = { object, hashes, context in
      guard let table = context.catalog.index(of: Target.self) else { return nil }
      var missing: String?
      read(object).forEachReference { reference in
        guard missing == nil, hashes?.contains(idHash(reference.id)) ?? true else { return }
        if context.row(of: reference.id, in: table, Target.self) == nil { missing = shown(reference.id) }
      }
      return missing
    }
  }

  /// What a property holds by its type alone.
  static func inferred<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>, name: String?)
    -> [LinkDefinition]
  {
    func make<Linking: RelationValue>(_: Linking.Type) -> [LinkDefinition] {
      guard let keyPath = typedKeyPath(keyPath, Root.self, Linking.self) else { return [] }
      return [LinkDefinition(keyPath, name: name, rule: nil, isRequired: false)]
    }
    guard let type = Value.self as? any RelationValue.Type else { return [] }
    return make(type)
  }

  /// The same links of an object in which theirs is a nested value.
  ///
  /// - Parameters:
  ///   - edit: applies an edit to every nested object in the value.
  ///   - each: hands over every nested object in the value.
  func embedded<Root, Value, Nested>(
    in base: LinkBase<Root, Value>,
    edit: @escaping @Sendable (inout Value, (inout Nested) -> Void) -> Void,
    each: @escaping @Sendable (Value, (Nested) -> Void) -> Void
  ) -> LinkDefinition {
    let inner = self
    let accessor = Accessor<Value>(base.keyPath)
    let writable = writableKeyPath(base.keyPath)
    let read: @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void = { object, body in
      each(accessor.read(object, .none)) { nested in
        withUnsafePointer(to: nested) { body(UnsafeRawPointer($0)) }
      }
    }
    var link = self
    link.names.insert(base.name ?? memberName(of: base.keyPath), at: 0)
    link.keyPaths.insert(base.keyPath, at: 0)
    link.isWritable = isWritable && writable != nil
    link.forEachHash = { object, body in read(object) { inner.forEachHash($0, body) } }
    link.isLinked = { object, target in
      var isLinked = false
      read(object) { isLinked = isLinked || inner.isLinked($0, target) }
      return isLinked
    }
    link.isSame = { lhs, rhs in
      var (left, right): ([Nested], [Nested]) = ([], [])
      each(accessor.read(lhs, .none)) { left.append($0) }
      each(accessor.read(rhs, .none)) { right.append($0) }
      // Those beyond the other's last hold no links, or they differ.
      let common = min(left.count, right.count)
      for nested in left[common...] + right[common...] {
        var isLinking = false
        withUnsafePointer(to: nested) { inner.forEachHash($0) { _ in isLinking = true } }
        if isLinking { return false }
      }
      return zip(left, right).allSatisfy { left, right in
        withUnsafePointer(to: left) { left in
          withUnsafePointer(to: right) { inner.isSame(UnsafeRawPointer(left), UnsafeRawPointer($0)) }
        }
      }
    }
    link.unlink = { object, target in
      guard let writable else { return }
      // Objects are of the type the key path starts from.
      edit(&object.assumingMemoryBound(to: Root.self).pointee[keyPath: writable]) { nested in
        withUnsafeMutablePointer(to: &nested) { inner.unlink(UnsafeMutableRawPointer($0), target) }
      }
    }
    // Nested lists are not collections to observe, so their entries need no identity.
    link.align = nil
    link.missing = { object, hashes, context in
      var missing: String?
      read(object) { if missing == nil { missing = inner.missing($0, hashes, context) } }
      return missing
    }
    return link
  }
}

/// A relation as an entity has it.
package struct LinkInfo: Sendable {
  /// As it is shown: `author`, `address.owner`.
  package let name: String
  package let path: PropertyPath
  package let definition: LinkDefinition

  package var target: any Entity.Type { definition.target }
  package var rule: DeleteRule { definition.rule }

  package func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    definition.isSame(lhs, rhs)
  }

  init(_ definition: LinkDefinition, entity: String) throws(StoreError) {
    func invalid(_ message: String) -> StoreError {
      StoreError(
        StoreError.invalidSchema, "The schema of \(entity) \(message)", entity: entity,
        property: definition.names.compactMap(\.self).joined(separator: "."))
    }
    var names: [String] = []
    for (name, keyPath) in zip(definition.names, definition.keyPaths) {
      guard let name, !name.isEmpty else {
        throw invalid("cannot tell the name of \(keyPath). Give it one: Relation(\\.…, \"name\").")
      }
      names.append(name)
    }
    self.definition = definition
    name = names.joined(separator: ".")
    var path = PropertyPath(definition.keyPaths[0], name: names[0])
    for keyPath in definition.keyPaths.dropFirst() { path = path.appending(keyPath) }
    self.path = path
    if definition.rule == .nullify && definition.cardinality == .one {
      throw invalid(
        "cannot nullify \(name), which always holds a link. Make it optional, or choose .cascade or .restrict."
      )
    }
    if definition.rule == .nullify && definition.isRequired {
      throw invalid("cannot nullify \(name), which is required. Choose .cascade or .restrict.")
    }
    if definition.rule == .nullify && !definition.isWritable {
      throw invalid("cannot take links out of \(name): make it a var, or choose .cascade or .restrict.")
    }
  }

  /// The different hashes of the ids an object links to, ascending; of one that links to nothing, that of
  /// nil where it could hold a single reference.
  package func hashes(_ object: UnsafeRawPointer) -> [UInt64] {
    var hashes: [UInt64] = []
    definition.forEachHash(object) { hashes.append($0) }
    if hashes.isEmpty && definition.cardinality == .noneOrOne { return [noReferenceHash] }
    if hashes.count < 2 { return hashes }
    hashes.sort()
    var last: UInt64?
    hashes.removeAll { hash in
      defer { last = hash }
      return hash == last
    }
    return hashes
  }
}

/// Stands for the missing reference of an optional one, so that those without are found, too.
package let noReferenceHash: UInt64 = 0
