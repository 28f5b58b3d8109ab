/// How the store hashes, compares and shows ids.
package struct IDFunctions: Sendable {
  package let hash: @Sendable (UnsafeRawPointer) -> UInt64
  package let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  /// Orders ids of equal hashes, by `<` where they have it.
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  package let text: @Sendable (UnsafeRawPointer) -> String
  /// The hash of an id, perhaps wrapped in an optional; nil for a constant of another type.
  package let hashOfConstant: @Sendable (Constant) -> UInt64?

  init<Element: Entity>(_: Element.Type) {
    // Rows of the entity's table hold Elements.
    let id: @Sendable (UnsafeRawPointer) -> Element.ID = { $0.object(as: Element.self).pointee.id }
    hash = { idHash(id($0)) }
    isSame = { isEqualValue(id($0), id($1)) }
    let order = ValueOrder<Element.ID>.ofType()
    if let order { compare = { order.compare(id($0), id($1)) } } else { compare = nil }
    text = { shown(id($0)) }
    hashOfConstant = { constant in constant.value(as: Element.ID.self).map { idHash($0) } }
  }
}
