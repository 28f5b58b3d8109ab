/// A relation of an entity as functions over pointers to rows, or to copies of rows, for the library's own use.
@_documentation(visibility: internal)
public struct LinkDefinition: Sendable {
  /// The names of the members from the object to the links; several if the links are in a nested value.
  private(set) var names: [String?]
  private(set) var keyPaths: [any AnyKeyPath & Sendable]
  package let target: any Entity.Type
  package let rule: DeleteRule
  /// Whether the linked objects are deleted with the object.
  package let isOwned: Bool
  package let isRequired: Bool
  /// Whether links can be removed.
  private(set) var isWritable: Bool
  let cardinality: RelationCardinality
  /// Whether an object without a link is listed under `noReferenceHash`, because filters may ask for nil.
  private(set) var listsMissing: Bool

  private(set) var reader: any LinkReading
  /// Whether the object, or a nested value in it, has a property for a link and no link.
  private(set) var isLeftEmpty: @Sendable (UnsafeRawPointer) -> Bool
  /// Whether two objects hold the same links: lists in the same order, maps with the same keys.
  private(set) var isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Removes the links to deleted objects from an object.
  private(set) var unlink: @Sendable (UnsafeMutableRawPointer, any DeletedIDs) -> Void
  /// Gives entries of a new object's list the identity that they have in an older one's.
  private(set) var align: (@Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void)?

  init<Root, Value: RelationValue>(
    _ keyPath: SendableKeyPath<Root, Value>, name: String?, rule: DeleteRule?, isOwned: Bool, isRequired: Bool
  ) {
    typealias Target = Value.Target
    let reader = ObjectReader<Value>(keyPath)
    let writable = writableKeyPath(keyPath)
    names = [name ?? memberName(of: keyPath)]
    keyPaths = [keyPath]
    target = Target.self
    self.rule = rule ?? (Value.cardinality == .one || isRequired ? .restrict : .nullify)
    self.isOwned = isOwned
    self.isRequired = isRequired
    isWritable = writable != nil
    cardinality = Value.cardinality
    listsMissing = Value.cardinality == .noneOrOne
    let read: @Sendable (UnsafeRawPointer) -> Value = { reader.read($0) }
    self.reader = LinkReader<Target> { object, body in read(object).forEachReference(body) }
    isLeftEmpty = { object in
      var isEmpty = true
      read(object).forEachReference { _ in isEmpty = false }
      return isEmpty
    }
    isSame = { read($0) == read($1) }
    unlink = { object, deleted in
      guard let writable, let deleted = deleted as? DeletedIDsOf<Target> else { return }
      // Objects are of the key path's root type.
      let root = object.object(as: Root.self)
      root.pointee[keyPath: writable] = read(object).removing { deleted.contains($0) }
    }
    if let type = Value.self as? any EntryKeeping.Type {
      align = alignment(type, keyPath)
    } else {
      align = nil
    }
  }

  /// The links of a property, inferred from its type.
  static func inferred<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>, name: String?)
    -> [LinkDefinition]
  {
    func make<Linking: RelationValue>(_: Linking.Type) -> [LinkDefinition] {
      guard let keyPath = typedKeyPath(keyPath, Root.self, Linking.self) else { return [] }
      return [LinkDefinition(keyPath, name: name, rule: nil, isOwned: false, isRequired: false)]
    }
    guard let type = Value.self as? any RelationValue.Type else { return [] }
    return make(type)
  }

  /// The same links for an object that has them in a nested value.
  ///
  /// - Parameters:
  ///   - listsMissing: whether an object without a link is listed.
  ///   - edit: applies an edit to every nested object in the value.
  ///   - each: calls a closure with every nested object in the value.
  func embedded<Root, Value, Nested>(
    in base: LinkBase<Root, Value>, listsMissing: Bool,
    edit: @escaping @Sendable (inout Value, (inout Nested) -> Void) -> Void,
    each: @escaping @Sendable (Value, (Nested) -> Void) -> Void
  ) -> LinkDefinition {
    let inner = self
    let reader = ObjectReader<Value>(base.keyPath)
    let writable = writableKeyPath(base.keyPath)
    let read: @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void = { object, body in
      each(reader.read(object)) { nested in
        withObject(nested, body)
      }
    }
    var link = self
    link.names.insert(base.name ?? memberName(of: base.keyPath), at: 0)
    link.keyPaths.insert(base.keyPath, at: 0)
    link.isWritable = isWritable && writable != nil
    link.listsMissing = listsMissing
    link.reader = self.reader.nested(read)
    link.isLeftEmpty = { object in
      var isEmpty = false
      read(object) { isEmpty = isEmpty || inner.isLeftEmpty($0) }
      return isEmpty
    }
    // Not by the `==` of nested values, which is user code and may leave links out.
    link.isSame = { lhs, rhs in
      // A nested value without a link is the same as no value.
      func linking(_ object: UnsafeRawPointer) -> [Nested] {
        var result: [Nested] = []
        each(reader.read(object)) { nested in
          var isLinking = false
          withObject(nested) { inner.reader.forEachHash($0) { _ in isLinking = true } }
          if isLinking { result.append(nested) }
        }
        return result
      }
      let (left, right) = (linking(lhs), linking(rhs))
      return left.count == right.count
        && zip(left, right).allSatisfy { one, other in withObjects(one, other, inner.isSame) }
    }
    link.unlink = { object, deleted in
      guard let writable else { return }
      // Objects are of the key path's root type.
      edit(&object.object(as: Root.self).pointee[keyPath: writable]) { nested in
        withMutableObject(&nested) { inner.unlink($0, deleted) }
      }
    }
    // Nested lists are not observable collections, so their entries need no identity.
    link.align = nil
    return link
  }
}

/// Aligns a list of a new object with the list of an older one.
private func alignment<Root, Value, List: EntryKeeping>(
  _: List.Type, _ keyPath: SendableKeyPath<Root, Value>
) -> (@Sendable (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void)? {
  guard let typed = typedKeyPath(keyPath, Root.self, List.self), let writable = writableKeyPath(typed)
  else { return nil }
  let reader = ObjectReader<List>(typed)
  return { object, older in
    guard let aligned = reader.read(object).aligned(with: reader.read(older)) else {
      return
    }
    // Objects are of the key path's root type.
    object.object(as: Root.self).pointee[keyPath: writable] = aligned
  }
}

extension LinkDefinition {
  /// Whether the links are in an embedded value.
  var isNested: Bool { keyPaths.count > 1 }

  /// Where the links are, member by member.
  var path: Term {
    var path = Term(keyPaths[0], name: names[0] ?? "?")
    for keyPath in keyPaths.dropFirst() { path = path.appending(PropertyPath(members: keyPath)) }
    return path
  }

  /// Whether key paths, one after the other, lead to these links: `\.address?.owner` leads to the links declared as
  /// `owner` of the embedded `address`.
  func isReached(by others: [any AnyKeyPath & Sendable]) -> Bool {
    if keyPaths.map(MemberKey.init) == others.map(MemberKey.init) { return true }
    guard keyPaths.count > 1, type(of: keyPaths[0]).rootType == type(of: others[0]).rootType else {
      return false
    }
    func members(_ keyPaths: [any AnyKeyPath & Sendable]) -> String? {
      let names = keyPaths.compactMap { memberName(of: $0) }
      guard names.count == keyPaths.count else { return nil }
      return String(names.joined(separator: ".").unicodeScalars.filter { $0 != "?" })
    }
    return members(keyPaths).map { $0 == members(others) } ?? false
  }
}
