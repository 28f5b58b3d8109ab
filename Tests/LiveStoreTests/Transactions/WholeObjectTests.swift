import LiveStore
import TestSupport
import Testing

/// What a server sends, and what only this side knows.
private struct Message: Entity, Hashable {
  var id: Int
  var text = ""
  var unread = true
  var draft: String?
  var tags: [String] = []
  var scratch = 0
  var sender = Sender()
  static let schema = Schema<Message> {
    Property(\.text, .indexed)
    Property(\.unread, .indexed)
    \.draft
    \.tags
    \.sender
    Ignored(\.scratch)
  }

  struct Sender: Hashable, Sendable {
    var name = ""
    var color = ""
  }

  /// Computed from two properties.
  var state: (unread: Bool, draft: String?) {
    get { (unread, draft) }
    set { (unread, draft) = newValue }
  }
}

private struct Stop: Error {}

@Suite struct `Writes of whole objects` {
  private let store: Store
  private let local = Message(id: 1, text: "old", unread: false, draft: "re", tags: ["a"], scratch: 5)

  init() throws { store = try Store(Message.self) }

  private func fill() throws {
    try store.write { tx in try tx.insert(contentsOf: [local, Message(id: 2, text: "two")]) }
  }

  @Test func `update replaces the object of the same id, which keeps its place`() throws {
    try fill()
    try store.write { tx in try tx.update(Message(id: 1, text: "new")) }
    #expect(store.fetch(Message.all).map(\.text) == ["new", "two"])
    #expect(store[Message.self, 1] == Message(id: 1, text: "new"))
    #expect(store.version.number == 2)
    try store.write { tx in try tx.update(Message(id: 1, text: "new")) }
    #expect(store.version.number == 2, "the same value is no change")
  }

  @Test func `update of an object that is not there is notFound and changes nothing`() throws {
    try fill()
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.update(Message(id: 9)) }
    }
    #expect(error?.code == StoreError.notFound && error?.entity == "Message" && error?.id == "9")
    #expect(store.version.number == 1)
  }

  @Test func `delete of an object deletes the one of its id, whatever else differs`() throws {
    try fill()
    try store.write { tx in
      expectTrue(try tx.delete(Message(id: 1, text: "something else")))
      expectTrue(try !tx.delete(Message(id: 1)))
    }
    #expect(store.fetch(Message.all).map(\.id) == [2])
  }

  @Test func `insert and upsert take arrays, and of a failed one nothing is kept`() throws {
    try fill()
    try store.write { tx in
      let error = #expect(throws: StoreError.self) {
        try tx.insert(contentsOf: [Message(id: 3), Message(id: 2)])
      }
      #expect(error?.code == StoreError.duplicateID && error?.id == "2")
      #expect(tx.count(Message.all) == 2)
      try tx.insert(contentsOf: [Message(id: 3), Message(id: 4)])
      try tx.upsert(contentsOf: [Message(id: 4, text: "four"), Message(id: 5)])
    }
    #expect(store.fetch(Message.all).map(\.text) == ["old", "two", "", "four", ""])
  }

  @Test func `the store reads its newest version`() throws {
    try fill()
    #expect(store[Message.self, 1] == local && store[Message.self, 9] == nil)
    #expect(store.fetch(Message.where { $0.unread }).map(\.id) == [2])
    #expect(store.count(Message.where { $0.unread }) == 1)
    let before = store.fetch(Message.all)
    try store.write { tx in _ = try tx.deleteAll(Message.self) }
    #expect(before.count == 2 && store.fetch(Message.all).isEmpty && store.count(Message.all) == 0)
  }
}

@Suite struct `Upserts that keep or merge` {
  private let store: Store
  private let local = Message(id: 1, text: "old", unread: false, draft: "re", tags: ["a"], scratch: 5)

  init() throws {
    store = try Store(Message.self)
    let local = local
    try store.write { tx in try tx.insert(contentsOf: [local, Message(id: 2, text: "two")]) }
  }

  @Test func `an upsert that keeps properties leaves them as they are and replaces all else`() throws {
    let sent = Message(id: 1, text: "new", tags: ["b"])
    try store.write { tx in try tx.upsert(sent, keeping: \.unread) }
    #expect(store[Message.self, 1] == Message(id: 1, text: "new", unread: false, tags: ["b"]))
    try store.write { tx in
      try tx.update(local)
      try tx.upsert(sent, keeping: \.unread, \.draft, \.scratch)
    }
    #expect(
      store[Message.self, 1]
        == Message(id: 1, text: "new", unread: false, draft: "re", tags: ["b"], scratch: 5))
    #expect(store.fetch(Message.all).map(\.id) == [1, 2])
    #expect(store.fetch(Message.where { $0.text == "new" && !$0.unread }).map(\.id) == [1])
  }

  @Test func `an upsert may keep parts of a property and what is computed from properties`() throws {
    try store.write { tx in
      try tx.update(Message.self, 1) { $0.sender = Message.Sender(name: "Ann", color: "red") }
      try tx.upsert(
        Message(id: 1, text: "new", sender: Message.Sender(name: "Anna", color: "none")),
        keeping: \.sender.color, \.state)
    }
    let merged = Message(
      id: 1, text: "new", unread: false, draft: "re", sender: Message.Sender(name: "Anna", color: "red"))
    #expect(store[Message.self, 1] == merged)
    try store.write { tx in try tx.upsert(Message(id: 1), keeping: \.self) }
    #expect(store[Message.self, 1] == merged)
  }

  @Test func `an upsert may name the id among what it keeps`() throws {
    try store.write { tx in try tx.upsert(Message(id: 1, text: "new"), keeping: \.id, \.unread, \.unread) }
    #expect(store[Message.self, 1] == Message(id: 1, text: "new", unread: false))
  }

  @Test func `an upsert that keeps properties inserts a missing object as given`() throws {
    let sent = Message(id: 3, text: "three", unread: true, scratch: 7)
    try store.write { tx in
      try tx.upsert(sent, keeping: \.unread)
      try tx.upsert(Message(id: 4)) { _, _ in Issue.record("there is nothing to merge with") }
    }
    #expect(store[Message.self, 3] == sent && store[Message.self, 4] == Message(id: 4))
  }

  @Test func `an upsert of a sequence that keeps properties writes all or nothing`() throws {
    let sent = [Message(id: 1, text: "new"), Message(id: 3, text: "three")]
    try store.write { tx in try tx.upsert(contentsOf: sent, keeping: \.unread, \.draft) }
    #expect(store[Message.self, 1] == Message(id: 1, text: "new", unread: false, draft: "re"))
    #expect(store[Message.self, 3] == sent[1])
    try store.write { tx in
      #expect(throws: StoreError.self) {
        try tx.upsert(contentsOf: [Message(id: 5), local], keeping: \.badID)
      }
      #expect(tx[Message.self, 5] == nil)
    }
  }

  @Test func `the closure of an upsert merges the old object into the new`() throws {
    try store.write { tx in
      try tx.upsert(Message(id: 1, text: "new", tags: ["b", "a"])) { old, new in
        #expect(old == local)
        new.unread = old.unread
        new.tags = old.tags + new.tags.filter { !old.tags.contains($0) }
      }
    }
    #expect(store[Message.self, 1] == Message(id: 1, text: "new", unread: false, tags: ["a", "b"]))
  }

  @Test func `an error of an upsert's closure, or a changed id, leaves the object as it was`() throws {
    try store.write { tx in
      #expect(throws: Stop.self) { try tx.upsert(Message(id: 1)) { _, _ in throw Stop() } }
      let error = #expect(throws: StoreError.self) { try tx.upsert(Message(id: 1)) { $1.id = 2 } }
      #expect(error?.code == StoreError.identifierChanged)
    }
    #expect(store.version.number == 1 && store[Message.self, 1] == local)
  }

  /// ```
  /// an optimistic transaction        another writer
  /// merges with what is there
  ///                                  marks it as unread
  /// runs again, merges with that
  /// ```
  @Test func `properties that an upsert keeps in an optimistic transaction count as read`() async throws {
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      try tx.upsert(Message(id: 1, text: "new"), keeping: \.unread)
      if runs == 1 { try await store.write { tx in try tx.update(Message.self, 1) { $0.unread = true } } }
    }
    #expect(runs == 2)
    #expect(store[Message.self, 1] == Message(id: 1, text: "new", unread: true))
  }
}

extension Message {
  /// It has no way to be kept: what is set is another object's id.
  fileprivate var badID: Int {
    get { id }
    set { id = newValue + 1 }
  }
}
