/// The elements of a value, or the words of its text, for their index: by hash.
package struct ElementFunctions: Sendable {
  /// Calls a body with the hash of each element of a row.
  let forEachHash: @Sendable (UnsafeRawPointer, (UInt64) -> Void) -> Void
  /// Whether values that count as the same are known to have elements of the same hashes. The `==` of a type outside
  /// the standard library and Foundation may be inconsistent with its hash, and one NaN counts as the same as another
  /// even if their hashes differ.
  let areHashesEqualInSameValues: Bool

  /// Nil if elements have no hash.
  init?<Value: ElementCollection>(_ reader: ObjectReader<Value>) {
    guard let hash = ValueHash<Value.Member>() else { return nil }
    forEachHash = { object, body in
      reader.read(object).forEachMemberInFilter { body(hash($0)) }
    }
    areHashesEqualInSameValues = Self.haveConsistentHash(Value.Member.self) && isWithoutNaN(Value.Member.self)
  }

  /// The words of a text, by their keys (K2).
  init<Value: SearchableText>(wordsOf reader: ObjectReader<Value>) {
    forEachHash = { object, body in reader.read(object).forEachWordKey(body) }
    areHashesEqualInSameValues = haveConsistentTexts(Value.self)
  }

  /// Whether equality and hashes of elements are known to be consistent.
  static func haveConsistentHash<Member>(_: Member.Type) -> Bool {
    ValueOrder<Member>.ofType()?.isConsistent ?? false
  }

  /// Nil if the property is not an array or set, or its elements have no hash.
  static func ofType<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>) -> ElementFunctions? {
    func make<Elements: ElementCollection>(_: Elements.Type) -> ElementFunctions? {
      typedKeyPath(keyPath, Root.self, Elements.self).flatMap { ElementFunctions(ObjectReader($0)) }
    }
    return (Value.self as? any ElementCollection.Type).flatMap { make($0) }
  }

  /// Nil if the property has no text.
  static func ofWords<Root, Value>(_ keyPath: SendableKeyPath<Root, Value>) -> ElementFunctions? {
    func make<Text: SearchableText>(_: Text.Type) -> ElementFunctions? {
      typedKeyPath(keyPath, Root.self, Text.self).map { ElementFunctions(wordsOf: ObjectReader($0)) }
    }
    return (Value.self as? any SearchableText.Type).flatMap { make($0) }
  }
}
