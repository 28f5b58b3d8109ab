// Writes of whole objects, and merges of a given object with the stored one.

extension WriteTransaction {
  /// ``insert(contentsOf:)`` adds objects.
  @available(*, unavailable, renamed: "insert(contentsOf:)")
  public func insert<Element: Entity>(_ objects: [Element]) throws(StoreError) {}

  /// ``upsert(contentsOf:)`` adds or replaces objects.
  @available(*, unavailable, renamed: "upsert(contentsOf:)")
  public func upsert<Element: Entity>(_ objects: [Element]) throws(StoreError) {}

  /// Replaces the object with the id of this one, in place.
  ///
  /// ```swift
  /// guard var user = tx[User.self, id] else { return }
  /// user.name = "Ann"
  /// try tx.update(user)
  /// ```
  /// The whole object is replaced. To change some properties of the stored object, use ``update(_:_:_:)``; to add the
  /// object if it does not exist, ``upsert(_:)-(Element)``.
  /// - Parameter object: the new value.
  /// - Throws: `notFound` if no object has its id; `unknownEntity`.
  /// - Complexity: O(log *n*) for each index whose property differs.
  public func update<Element: Entity>(_ object: Element) throws(StoreError) {
    let table = try state.writableTable(of: Element.self)
    guard let row = state.row(of: object.id, in: table, Element.self) else {
      state.trace?.read(Element.self, object.id, nil)
      throw StoreError.notFound(Element.self, shown(object.id))
    }
    let original = state.replaced(Element.self, object.id, in: table)
    state.replace(row, by: object, in: table)
    state.trace?.write(Element.self, object.id) { (state) throws(StoreError) in
      guard let row = state.row(of: object.id, in: table, Element.self) else {
        throw StoreError.notFound(Element.self, shown(object.id))
      }
      try state.replaceAgain(row, by: object, insteadOf: original, in: table)
    }
  }

  /// Deletes the object with the id of this one; false if there was none.
  ///
  /// ```swift
  /// try tx.delete(user)
  /// ```
  /// - Parameter object: the object to delete; only its id is used.
  /// - Throws: `unknownEntity`.
  /// - Complexity: O(log *n*) for each index, and for each object that is deleted with it or loses its link to it.
  @discardableResult
  public func delete<Element: Entity>(_ object: Element) throws(StoreError) -> Bool {
    try delete(Element.self, object.id)
  }
}

// MARK: Merging

extension WriteTransaction {
  /// Replaces the stored object with the id of this one, except for some properties, which keep their stored values;
  /// adds the object if none has its id.
  ///
  /// For objects from a server that must not overwrite local properties:
  /// ```swift
  /// for message in page.messages {
  ///   try tx.upsert(message, keeping: \.unread, \.draft)   // `unread` and `draft` stay as the store has them
  /// }
  /// ```
  /// The named properties keep their stored values. If no object has its id, the object is added as a whole. All other
  /// properties are written as given, including ignored ones, which can be named like any other. A key path may lead to
  /// a part of a property, such as `\.address.city`, or to a computed property with a setter; they are set in the order
  /// in which they are named.
  /// - Parameters:
  ///   - object: the new value.
  ///   - property: a property that keeps its stored value.
  ///   - others: further properties.
  /// - Throws: as ``upsert(_:)-(Element)``; `identifierChanged` if setting a computed property changes the id. Then
  ///   nothing is written.
  /// - Complexity: as ``upsert(_:)-(Element)``.
  public func upsert<Element: Entity, Value, each Other>(
    _ object: Element, keeping property: WritableKeyPath<Element, Value>,
    _ others: repeat WritableKeyPath<Element, each Other>
  ) throws {
    try upsert(object) { old, new in
      new[keyPath: property] = old[keyPath: property]
      for other in repeat each others { keep(other, of: old, in: &new) }
    }
  }

  /// Adds or replaces objects, in order, except for some properties, which keep their stored values.
  ///
  /// ```swift
  /// try tx.upsert(contentsOf: page.messages, keeping: \.unread)
  /// ```
  /// - Parameters:
  ///   - objects: the new values. Of several with one id the last counts.
  ///   - property: a property that keeps its stored value in each object that exists.
  ///   - others: further properties.
  /// - Throws: as ``upsert(_:keeping:_:)``; then nothing is written.
  /// - Complexity: as ``upsert(contentsOf:)``.
  public func upsert<Element: Entity, Value, each Other>(
    contentsOf objects: some Sequence<Element>, keeping property: WritableKeyPath<Element, Value>,
    _ others: repeat WritableKeyPath<Element, each Other>
  ) throws {
    try savepoint { tx in
      for object in objects { try tx.upsert(object, keeping: property, repeat each others) }
    }
  }

  /// Adds an object, or merges it with the one that has its id.
  ///
  /// ```swift
  /// try tx.upsert(message) { old, new in
  ///   new.unread = old.unread
  ///   new.tags = old.tags + new.tags.filter { !old.tags.contains($0) }
  /// }
  /// ```
  /// - Parameters:
  ///   - object: the new value.
  ///   - merge: called if an object has its id, with that object, and with the new value to edit before it is written.
  /// - Throws: as ``upsert(_:)-(Element)``; `identifierChanged` if the closure changes the id; `nestedWrite` if it
  ///   writes the same object by another call; whatever the closure throws. Then nothing is written.
  /// - Complexity: as ``upsert(_:)-(Element)``.
  public func upsert<Element: Entity>(
    _ object: Element, merging merge: (_ old: Element, _ new: inout Element) throws -> Void
  ) throws {
    let table = try state.table(for: object)
    guard let row = state.row(of: object.id, in: table, Element.self) else { return try insert(object) }
    try state.update(row, in: table) { current in
      var new = object
      try merge(current, &new)
      current = new
    }
  }
}

/// Copies the value of a property from one object to another.
private func keep<Element, Value>(
  _ property: WritableKeyPath<Element, Value>, of old: Element, in new: inout Element
) {
  new[keyPath: property] = old[keyPath: property]
}
