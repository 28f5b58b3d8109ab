extension StoreState {
  /// The object with an id; the pointer is valid while this state lives.
  ///
  /// Type-dependent code is inlined into the caller. The search is one call without closures, so the path counts no
  /// references and allocates nothing.
  @inlinable
  package func object<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID
  ) -> UnsafePointer<Element>? {
    let entity = ObjectIdentifier(type)
    let found =
      if let word = idWord(id) { candidate(entity, word: word) } else { candidate(entity, hash: idHash(id)) }
    guard let found else {
      context.catalog.assertKnows(type)
      return nil
    }
    // Rows of this table hold Elements.
    let object = found.object(as: type)
    return isEqualValue(object.pointee.id, id) ? object : context.object(type, id)
  }

  /// An object whose id has this hash.
  @usableFromInline
  func candidate(_ type: ObjectIdentifier, hash: UInt64) -> UnsafeRawPointer? { found(type, hash) }

  @inline(__always)
  private func found(_ type: ObjectIdentifier, _ hash: UInt64) -> UnsafeRawPointer? {
    if context.catalog.isFirst(type), let table = context.tables.first { return table.candidate(hash: hash) }
    return foundLater(type, hash)
  }

  @inline(never)
  private func foundLater(_ type: ObjectIdentifier, _ hash: UInt64) -> UnsafeRawPointer? {
    guard let table = context.catalog.laterIndex(of: type) else { return nil }
    return context.tables[table].candidate(hash: hash)
  }

  /// The same for an id of one word.
  @usableFromInline
  func candidate(_ type: ObjectIdentifier, word: UInt64) -> UnsafeRawPointer? {
    found(type, context.catalog.seeds.hash(word))
  }
}

extension ReadContext {
  /// The object with an id; the pointer is valid while this context lives.
  @inlinable
  package func object<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID
  ) -> UnsafePointer<Element>? {
    guard let table = catalog.index(of: type) else {
      catalog.assertKnows(type)
      return nil
    }
    return row(of: id, in: table, type)?.object.object(as: type)
  }

  /// The row of the object with an id.
  @inlinable
  package func row<Element: Entity>(
    of id: Element.ID, in table: Int, _: Element.Type
  ) -> FoundRow? {
    tables[table].find(
      hash: idHash(id),
      // Rows of this table hold Elements.
      isMatch: { isEqualValue($0.object(as: Element.self).pointee.id, id) },
      compare: idComparison(id, Element.self))
  }
}

/// Compares the id with the id of a row's object, if ids have an order; needed only for equal hashes.
@usableFromInline
package func idComparison<Element: Entity>(
  _ id: Element.ID, _: Element.Type
) -> ((UnsafeRawPointer) -> Int)? {
  guard let order = ValueOrder<Element.ID>.ofType() else { return nil }
  return { order.compare(id, $0.object(as: Element.self).pointee.id) }  // as above
}
