import Foundation
import LiveStore
import TestSupport
import Testing

private struct Page: Entity, Hashable, Codable {
  let id: URL
  static let schema = Schema<Page> {}
}

private struct Day: Entity, Hashable, Codable {
  let id: Date
  static let schema = Schema<Day> {}
}

private struct Label: Entity, Hashable, Codable {
  let id: String
  static let schema = Schema<Label> {}
}

private struct Item: Entity, Hashable, Codable {
  let id: UUID
  static let schema = Schema<Item> {}
}

private struct Note: Entity, Hashable, Codable {
  struct Place: Hashable, Codable { var page: Ref<Page>? }
  let id: Int
  var first: Ref<Note>?
  var page: Ref<Page>?
  var day: Ref<Day>?
  var label: Ref<Label>?
  var item: Ref<Item>?
  var labels = RefList<Label>()
  var days = RefList<Day>()
  var notes = RefSet<Note>()
  var pages = RefSet<Page>()
  var named = RefMap<Label>()
  var place: Place?
  var places: [Place] = []
  static let schema = Schema<Note> {
    \.first
    \.page
    \.day
    \.label
    \.item
    \.labels
    \.days
    \.notes
    \.pages
    \.named
    Embedded(\.place) { Relation(\.page) }
    Embedded(each: \.places) { Relation(\.page) }
  }
}

@Suite struct `References` {
  @Test func `references are Sendable, Hashable and equal by their ids`() {
    func demand<Value: Sendable & Hashable>(_: Value.Type) {}
    demand(Ref<Note>.self)
    demand(RefList<Note>.self)
    demand(RefSet<Note>.self)
    demand(RefMap<Note>.self)
    #expect(Ref<Note>(1) == 1 && Ref(to: Note(id: 2)) == Note(id: 2).ref)
    #expect(Set([Ref<Note>(1), 1, 2]).count == 2)
    #expect(Ref<Label>("a").description == "\"a\"" && Ref<Note>(3).description == "3")
    let edited = {
      var list: RefList<Note> = [9, 1, 2]
      list.removeFirst()
      return list
    }()
    #expect(edited == [1, 2] && edited.hashValue == RefList<Note>([1, 2]).hashValue)
    #expect(RefList<Note>([1, 2]) != [2, 1])
    #expect(RefSet<Note>([1, 2, 2]) == RefSet([2, 1]))
    #expect(RefMap<Note>(["a": 1]) != ["a": 2])
    #expect(RefMap<Note>(dictionaryLiteral: ("a", 1), ("a", 2)) == ["a": 2])
  }

  private func text(_ value: some Encodable, _ adjust: (JSONEncoder) -> Void = { _ in }) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    adjust(encoder)
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func `references are encoded as bare ids, as the coder writes such ids`() throws {
    let url = try #require(URL(string: "https://example.org/a"))
    let id = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
    #expect(try text(Ref<Note>(7)) == "7")
    #expect(try text([Ref<Label>("x")]) == "[\"x\"]")
    #expect(try text([Ref<Item>(id)]) == "[\"\(id.uuidString)\"]")
    #expect(try text([Ref<Page>(url)]) == text([url]))
    #expect(try text(Ref<Page>(url)) == "\"https://example.org/a\"")
    let date = Date(timeIntervalSince1970: 0)
    #expect(try text(Ref<Day>(date)) { $0.dateEncodingStrategy = .iso8601 } == "\"1970-01-01T00:00:00Z\"")
    #expect(try text(RefList<Note>([3, 1, 3])) == "[3,1,3]")
    #expect(try text(RefSet<Note>([4])) == "[4]")
    #expect(
      try text(RefMap<Note>(["firstName": 1, "b_c": 2])) { $0.keyEncodingStrategy = .convertToSnakeCase }
        == "{\"b_c\":2,\"firstName\":1}")
  }

  @Test func `references are decoded as they were encoded, with any strategies`() throws {
    let url = try #require(URL(string: "https://example.org/b"))
    let date = Date(timeIntervalSince1970: 86_400)
    let note = Note(
      id: 1, first: 2, page: Ref(url), day: Ref(date), label: "l", item: Ref(UUID()),
      labels: ["a", "b", "a"],
      days: [Ref(date)], notes: [1, 2, 3], pages: [Ref(url)], named: ["someName": "x", "other_name": "y"],
      place: Note.Place(page: Ref(url)), places: [Note.Place(), Note.Place(page: Ref(url))])
    for adjusted in [false, true] {
      let encoder = JSONEncoder()
      let decoder = JSONDecoder()
      if adjusted {
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
      }
      #expect(try decoder.decode(Note.self, from: encoder.encode(note)) == note)
    }
    let plain = PropertyListEncoder()
    #expect(try PropertyListDecoder().decode(Note.self, from: plain.encode(note)) == note)
    let empty = Note(id: 2)
    #expect(try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(empty)) == empty)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Ref<Note>.self, from: Data("\"a\"".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(RefList<Note>.self, from: Data("3".utf8)) }
  }

  @Test func `references resolve in snapshots and transactions, lists in order and without deleted objects`()
    throws
  {
    let store = try Store(Note.self, Page.self, Day.self, Label.self, Item.self)
    let note = Note(
      id: 1, first: 1, label: nil, labels: ["c", "a", "b", "a"], notes: [1], named: ["k": "b", "l": "c"])
    try store.write { tx in
      for id in ["a", "b", "c"] { try tx.insert(Label(id: id)) }
      try tx.insert(note)
      #expect(tx[note.first]?.id == 1)
      #expect(tx[note.labels].map(\.id) == ["c", "a", "b", "a"])
      #expect(tx[note.notes].map(\.id) == [1])
    }
    let full = store.snapshot()
    let labels = full[note.labels]
    #expect(labels.map(\.id) == ["c", "a", "b", "a"])
    #expect(labels.reversed().map(\.id) == ["a", "b", "a", "c"])
    #expect(labels.first?.id == "c" && labels.last?.id == "a" && labels.count == 4 && !labels.isEmpty)
    #expect(full[note.named].mapValues(\.id) == ["k": "b", "l": "c"])
    #expect(full[Ref<Label>("zz")] == nil && full[note.label] == nil && full[Ref<Note>(1)]?.id == 1)
    #expect(full[RefList<Label>()].isEmpty && full[RefList<Label>(["zz"])].isEmpty)
    try store.write { tx in
      try tx.delete(Label.self, "c")
      try tx.delete(Label.self, "b")
    }
    let after = store.snapshot()
    #expect(
      after[note.labels].map(\.id) == ["a", "a"] && after[note.labels].reversed().map(\.id) == ["a", "a"])
    #expect(after[note.named].isEmpty)
    #expect(full[note.labels].count == 4)
  }
}
