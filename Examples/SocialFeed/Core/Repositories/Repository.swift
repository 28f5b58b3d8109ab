public import LiveStore

/// The operations on the objects of every entity; each repository adds those of its own entity.
///
/// Reading is synchronous, as it never waits. Each function that writes is one transaction: when it throws, nothing
/// is written.
public protocol Repository<Element>: Sendable {
  /// The type of its objects.
  associatedtype Element: Entity

  /// The store of its objects.
  var store: Store { get }

  /// Throws when the domain's rules forbid an object in the given state.
  func validate(_ object: Element, in tx: borrowing WriteTransaction) throws
}

extension Repository {
  /// Everything is allowed, unless a repository says otherwise.
  public func validate(_ object: Element, in tx: borrowing WriteTransaction) throws {}
}

// MARK: Reading

extension Repository {
  /// The object with an id, or nil.
  public func find(_ id: Element.ID) -> Element? { store.snapshot()[Element.self, id] }

  /// All objects, in the order of their creation.
  public var all: Results<Element> { fetch(Element.all) }

  /// How many objects there are.
  public var count: Int { all.count }

  /// The objects of a query as they are now.
  public func fetch(_ query: Query<Element>) -> Results<Element> { store.snapshot().fetch(query) }
}

// MARK: Writing one object

extension Repository {
  /// Adds an object and returns it.
  ///
  /// - Throws: `duplicateID`, `uniqueViolation`, `missingLinkTarget`, and what the domain forbids.
  @discardableResult
  public func create(_ object: Element) async throws -> Element {
    try await store.write { tx in
      try tx.insert(object)
      try validate(object, in: tx)
    }
    return object
  }

  /// Edits an object and returns it as it is now.
  ///
  /// - Throws: `notFound`, `uniqueViolation`, `missingLinkTarget`, and what the domain forbids.
  @discardableResult
  public func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) async throws -> Element {
    try await store.write { tx in try update(id, in: tx, edit) }
  }

  /// Adds an object, or replaces the one with its id; true if it was added.
  ///
  /// - Throws: `uniqueViolation`, `missingLinkTarget`, and what the domain forbids.
  @discardableResult
  public func upsert(_ object: Element) async throws -> Bool {
    try await store.write { tx in
      let isNew = tx[Element.self, object.id] == nil
      try tx.upsert(object)
      try validate(object, in: tx)
      return isNew
    }
  }

  /// Deletes an object, with the consequences of the schema's rules; false if it did not exist.
  ///
  /// - Throws: `deleteRestricted` when an object prevents it.
  @discardableResult
  public func delete(_ id: Element.ID) async throws -> Bool {
    try await store.write { try $0.delete(Element.self, id) }
  }
}

// MARK: Writing many objects

extension Repository {
  /// Adds objects, all or none of them.
  public func create(contentsOf objects: [Element]) async throws {
    try await store.write { tx in
      try tx.insert(contentsOf: objects)
      for object in objects { try validate(object, in: tx) }
    }
  }

  /// Edits objects, all or none of them.
  ///
  /// - Throws: as ``update(_:_:)``; if one does not exist, `notFound`, and none is changed.
  public func update(contentsOf ids: [Element.ID], _ edit: (inout Element) throws -> Void) async throws {
    try await store.write { tx in
      for id in ids { _ = try update(id, in: tx, edit) }
    }
  }

  /// Deletes objects, all or none of them, and returns how many of them existed.
  @discardableResult
  public func delete(contentsOf ids: [Element.ID]) async throws -> Int {
    try await store.write { tx in
      try ids.reduce(0) { count, id in try tx.delete(Element.self, id) ? count + 1 : count }
    }
  }

  /// The edit of one object as a part of a transaction.
  func update(
    _ id: Element.ID, in tx: borrowing WriteTransaction, _ edit: (inout Element) throws -> Void
  ) throws -> Element {
    let object = try tx.update(Element.self, id) { object in
      try edit(&object)
      return object
    }
    try validate(object, in: tx)
    return object
  }
}
