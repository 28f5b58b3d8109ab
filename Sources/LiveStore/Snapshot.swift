/// The store at one version: frozen, consistent over all tables, shared freely between tasks and threads.
///
/// ```swift
/// let snapshot = store.snapshot()
/// let post = snapshot[Post.self, id]
/// let drafts = snapshot.fetch(Post.where { $0.status == .draft })
/// ```
/// Taking one costs O(1) and never waits for a writer. Its version lives as long as something holds it and
/// shares all that has not changed with the versions after it.
public struct Snapshot: Sendable {
  @usableFromInline package let state: StoreState

  @usableFromInline
  package init(_ state: StoreState) { self.state = state }

  /// Which version this is.
  public var version: Version { state.version }

  /// The object with an id, or nil.
  ///
  /// Of an entity that the store was not made with there are no objects: asking for one fails in debug builds.
  /// - Complexity: O(log *n*), in practice one to three times a dictionary's lookup, and up to
  ///   about five where most rows were deleted or replaced at random.
  @inlinable
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    // The pointer leads into the state, whose last use this may be.
    withExtendedLifetime(state) { $0.object(type, id)?.pointee }
  }

  /// The rows of a query at this version.
  ///
  /// Of an entity that the store was not made with there are none, and ``Results/error`` says so.
  /// - Complexity: O(1) for a whole table; otherwise what ``Query/explain(in:)`` tells.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    Results(state: state, window: state.context.evaluate(query))
  }

  /// How many rows a query has at this version; those that a predicate throws for do not count.
  ///
  /// Of an entity that the store was not made with there are none: counting them fails in debug builds.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int {
    state.catalog.assertKnows(Element.self)
    return state.context.count(query)
  }

  /// The same, where a predicate that throws is an error.
  ///
  /// - Throws: `filterFailed`.
  package func tryToCount<Element: Entity>(_ query: Query<Element>) throws(StoreError) -> Int {
    guard query.stages.mayThrow else { return count(query) }
    let window = state.context.evaluate(query)
    if let error = window.failures?.error { throw error }
    return window.count
  }
}

extension StoreState {
  /// The object with an id; the pointer is valid while this state lives.
  ///
  /// What depends on the type is compiled where it is known, in the caller; the search is one call without
  /// closures, so that nothing is counted or allocated on the way.
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
    return object.pointee.id == id ? object : context.object(type, id)
  }

  /// The object whose id has this hash, one of them when there are several.
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

  /// The same for an id that is one word.
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

  /// The row of the object with an id in a table of its entity.
  @inlinable
  package func row<Element: Entity>(
    of id: Element.ID, in table: Int, _: Element.Type
  ) -> FoundRow? {
    tables[table].find(
      hash: idHash(id),
      // Rows of this table hold Elements.
      isMatch: { $0.object(as: Element.self).pointee.id == id },
      compare: idComparison(id, Element.self))
  }
}

/// The id compared with that of a row's object, if ids have an order; only collisions ask for it.
@usableFromInline
package func idComparison<Element: Entity>(
  _ id: Element.ID, _: Element.Type
) -> ((UnsafeRawPointer) -> Int)? {
  guard let order = ValueOrder<Element.ID>.ofType() else { return nil }
  return { order.compare(id, $0.object(as: Element.self).pointee.id) }  // as above
}
