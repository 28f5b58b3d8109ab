import LiveStore
import TestSupport
import Testing

/// An element that counts how often it is compared.
private struct Word: Hashable, Sendable {
  static let comparisons = Recorder<Int>()
  let text: String

  static func == (lhs: Word, rhs: Word) -> Bool {
    comparisons.append(1)
    return lhs.text == rhs.text
  }
}

private struct Letter: Entity {
  let id: Int
  var opened = 0
  var words: [Word] = []
  static let schema = Schema<Letter> {
    \.opened
    Property(\.words, .indexedElements)
  }
}

private struct Message: Entity {
  let id: Int
  var opened = 0
  var tags: [String] = []
  static let schema = Schema<Message> {
    Property(\.opened, .indexed)
    Property(\.tags, .indexedElements)
  }
}

private struct Plain: Entity {
  let id: Int
  var tags: [String] = []
  static let schema = Schema<Plain> { Property(\.tags, .indexed) }
}

private struct Sought: Entity {
  let id: Int
  var title = ""
  static let schema = Schema<Sought> { Property(\.title, .indexedElements) }
}

private struct Unhashable: Equatable, Sendable { var value = 0 }

private struct Opaque: Entity {
  let id: Int
  var values: [Unhashable] = []
  static let schema = Schema<Opaque> { Property(\.values, .indexedElements) }
}

private struct Linked: Entity {
  let id: Int
  var others = RefSet<Linked>()
  static let schema = Schema<Linked> { Property(\.others, .indexedElements) }
}

@Suite(.serialized) struct `Costs of an index of elements` {
  @Test func `only objects that hold the element are looked at`() async throws {
    let store = try Store(Letter.self)
    try await store.write { tx in
      for id in 0..<2_000 {
        try tx.insert(Letter(id: id, words: [Word(text: "\(id)"), Word(text: "\(id + 1)")]))
      }
    }
    let query = Letter.where { $0.words.contains(Word(text: "77")) }
    let snapshot = store.snapshot()
    func comparisons(_ body: () async throws -> Void) async rethrows -> Int {
      let before = Word.comparisons.count
      try await body()
      return Word.comparisons.count - before
    }
    let fetching = await comparisons { #expect(snapshot.fetch(query).map(\.id) == [76, 77]) }
    #expect(fetching <= 4)
    let counting = await comparisons { #expect(snapshot.count(query) == 2) }
    #expect(counting <= 4)
    let reading = try await comparisons {
      try await store.write { tx in #expect(tx.fetch(query).map(\.id) == [76, 77]) }
    }
    #expect(reading <= 4)
    let observing = try await comparisons {
      let token = store.observe(query) { _ in }
      try await store.settled()
      token.invalidate()
    }
    #expect(observing <= 10)
    // The same without the index asks them all.
    let scanning = await comparisons {
      _ = snapshot.count(Letter.where { !$0.words.contains(Word(text: "77")) })
    }
    #expect(scanning >= 2_000)
  }

  private func nodesMade<Element: Entity>(
    _: Element.Type, by store: Store, _ body: (borrowing WriteTransaction) throws -> Void
  ) throws -> [Int] {
    let before = store.snapshot()
    try store.write { tx in try body(tx) }
    let number = try #require(before.state.catalog.index(of: Element.self))
    let (old, new) = (before.state.tables[number], store.snapshot().state.tables[number])
    return zip(new.inverted, old.inverted).map { $0.nodesNotShared(with: $1) }
  }

  @Test func `another tag copies one path of an index of elements, and another edit none`() throws {
    let store = try Store(Message.self)
    try store.write { tx in
      for id in 0..<Environment.size(10_000, thorough: 50_000) {
        try tx.insert(Message(id: id, tags: ["\(id % 900)", "\(id % 901)"]))
      }
    }
    #expect(
      try nodesMade(Message.self, by: store) { try $0.update(Message.self, 7) { $0.tags.append("new") } }[0]
        <= 6)
    #expect(
      try nodesMade(Message.self, by: store) { try $0.update(Message.self, 7) { $0.opened += 1 } } == [0])
    #expect(
      try nodesMade(Message.self, by: store) { try $0.update(Message.self, 7) { $0.tags.reverse() } } == [0])
    #expect(
      try nodesMade(Message.self, by: store) { try $0.update(Message.self, 7) { $0.tags.append("new") } } == [
        0
      ])
  }

  @Test func `an entity that asks for no index of elements has none`() throws {
    let store = try Store(Plain.self, Message.self)
    #expect(store.snapshot().state.tables.map(\.inverted.count) == [0, 1])
    #expect(store.snapshot().state.tables.map(\.indexes.count) == [1, 1])
  }

  @Test func `a property that is no collection of hashable elements cannot have an index of elements`() throws
  {
    func isRefused<Element: Entity>(_: Element.Type, _ property: String) {
      let error = #expect(throws: StoreError.self) { try Store(Element.self) }
      #expect(error?.code == StoreError.invalidSchema && error?.property == property)
      #expect(error?.message.contains("cannot have an index of its elements") ?? false, "\(Element.self)")
    }
    isRefused(Sought.self, "title")
    isRefused(Opaque.self, "values")
    isRefused(Linked.self, "others")
  }
}
