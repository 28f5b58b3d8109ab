import LiveStore
import TestSupport
import Testing

private struct Contact: Entity, Hashable {
  let id: Int
  static let schema = Schema<Contact> {}
}

private struct Shipping: Hashable, Sendable {
  var contact: Ref<Contact>
}

private struct Deal: Entity, Hashable {
  let id: Int
  var shipping: Shipping
  var billing: Shipping?
  static let schema = Schema<Deal> {
    Embedded(\.shipping) { Relation(\.contact) }
    Embedded(\.billing) { Relation(\.contact) }
  }
}

/// Equal whatever it links to.
private struct Remark: Equatable, Sendable {
  var text = ""
  var contact: Ref<Contact>?
  static func == (lhs: Remark, rhs: Remark) -> Bool { lhs.text == rhs.text }
}

private struct Letter: Entity {
  let id: Int
  var remark = Remark()
  static let schema = Schema<Letter> { Embedded(\.remark) { Relation(\.contact) } }
}

/// Mistakes that were made with links in embedded values.
@Suite struct EmbeddedRegressionTests {
  /// Bug: a filter found no object by a link of an embedded value, and a live query failed: it is no relation.
  /// Cause: the link was looked for by one key path, and is declared by one for each member. Mend: it is looked up in
  /// the schema, as `linking(to:by:)` does.
  @Test func `a filter finds the objects that link by an embedded value`() async throws {
    let store = try Store(Contact.self, Deal.self)
    try await store.write { tx in
      for id in 1...3 { try tx.insert(Contact(id: id)) }
      try tx.insert(Deal(id: 1, shipping: Shipping(contact: 1), billing: Shipping(contact: 2)))
    }
    let (shipped, billed) = (
      Contact.where { $0.linking(\Deal.shipping.contact).count >= 1 },
      Contact.where { !$0.linking(\Deal.billing?.contact).isEmpty }
    )
    #expect(store.snapshot().fetch(shipped).map(\.id) == [1])
    #expect(store.snapshot().fetch(billed).map(\.id) == [2])
    let observer = CheckedObserver<Contact>()
    let token = store.observe(shipped) { observer.receive($0) }
    try await store.settled()
    try await store.write { tx in try tx.update(Deal.self, 1) { $0.shipping.contact = 3 } }
    try await store.settled()
    #expect(observer.rows?.map(\.id) == [3] && observer.breaches == [] && observer.error == nil)
    token.invalidate()
  }

  /// Bug: of objects without a store, two counted as one value that differ in the links of an embedded value whose `==`
  /// leaves them out. Mend: a schema compares objects as a store does.
  @Test func `objects without a store are compared with the links of their embedded values`() throws {
    let (one, other) = (Letter(id: 1, remark: Remark(contact: 1)), Letter(id: 1, remark: Remark(contact: 2)))
    #expect(!Letter.schema.isSame(one, other) && Letter.schema.isSame(one, one))
  }

  /// Bug: an object could not be deleted while a link in an embedded value led to it whose `==` leaves the link out.
  /// Cause: the value without the link counted as the same, and was not kept. Mend: links in embedded values count,
  /// whatever the value's `==` says.
  @Test func `a link is removed from a value that does not compare it`() async throws {
    let store = try Store(Contact.self, Letter.self)
    try await store.write { tx in
      try tx.insert(Contact(id: 1))
      try tx.insert(Letter(id: 1, remark: Remark(contact: 1)))
    }
    try await store.write { tx in _ = try tx.delete(Contact.self, 1) }
    let letter = try #require(store.snapshot()[Letter.self, 1])
    #expect(letter.remark.contact == nil)
    #expect(try store.snapshot().breachOfTables() == nil)
  }
}
