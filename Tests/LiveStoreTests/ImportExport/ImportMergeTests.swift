import Foundation
import LiveStore
import Testing

@Suite struct `Imports that merge` {
  private let store: Store
  private var stored = Memo(1, "a", stars: 3)

  init() throws {
    store = try Store(Memo.self, Editor.self)
    stored.due = Date(timeIntervalSince1970: 0.123456789)
    stored.place = Memo.Place(city: "Rome", street: "Via")
    stored.labels = ["a": "1", "b": "2"]
    (stored.isUnread, stored.scratch) = (false, 7)
    let note = stored
    try store.write { tx in
      try tx.insert(Editor(id: 1, name: "Ann"))
      try tx.insert(note)
    }
  }

  /// The stored note after a merge.
  private func merged(_ patch: String, _ decoder: JSONDecoder = JSONDecoder()) throws -> Memo? {
    try store.importJSON(Memo.self, from: patch.data, mode: .merge, decoder: decoder)
    return store[Memo.self, 1]
  }

  @Test func `only members that the JSON has are changed`() throws {
    var expected = stored
    expected.title = "b"
    #expect(try merged(#"{"id":1,"title":"b"}"#) == expected)
    expected.author = Ref(1)
    #expect(try merged(#"{"author":1,"id":1}"#) == expected)
  }

  @Test func `null is nil`() throws {
    var expected = stored
    (expected.stars, expected.place, expected.due) = (nil, nil, nil)
    #expect(try merged(#"{"id":1,"stars":null,"place":null,"due":null,"author":null}"#) == expected)
  }

  @Test func `objects within the object are merged, too`() throws {
    var expected = stored
    expected.place = Memo.Place(city: "Bonn", street: "Via")
    expected.labels = ["b": "2", "c": "3"]
    #expect(try merged(#"{"id":1,"place":{"city":"Bonn"},"labels":{"a":null,"c":"3"}}"#) == expected)
    expected.place?.street = nil
    #expect(try merged(#"{"id":1,"place":{"street":null}}"#) == expected)
  }

  @Test func `a new object needs the members that decoding requires, and its nulls are left out`() throws {
    try store.importJSON(
      Memo.self, from: #"{"id":2,"title":"n","stars":null,"labels":{"a":null,"b":"2"}}"#.data, mode: .merge)
    var expected = Memo(2, "n")
    expected.labels = ["b": "2"]
    #expect(store[Memo.self, 2] == expected)
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(Memo.self, from: #"{"id":3}"#.data, mode: .merge)
    }
    #expect((error?.codingPath, error?.line, error?.index) == ("title", 1, 0))
  }

  @Test func `objects of one id are merged in order`() throws {
    let report = try store.importJSON(
      Memo.self, from: "{\"id\":5,\"title\":\"x\"}\n{\"id\":5,\"stars\":1}\n{\"id\":5,\"title\":\"y\"}".data,
      mode: .merge)
    #expect((report.inserted, report.changed) == (1, 2))
    #expect(store[Memo.self, 5] == Memo(5, "y", stars: 1))
  }

  @Test func `a value that coding rounds stays as it is where the JSON does not change it`() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var expected = stored
    expected.title = "b"
    #expect(try merged(#"{"id":1,"title":"b"}"#, decoder) == expected)
    expected.due = Date(timeIntervalSince1970: 60)
    #expect(try merged(#"{"id":1,"due":"1970-01-01T00:01:00Z"}"#, decoder) == expected)
  }

  @Test func `a let that decoding does not restore is an error, and the object stays`() throws {
    let store = try Store(Sealed.self)
    try store.write { tx in try tx.insert(Sealed(id: 1)) }
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(Sealed.self, from: #"{"id":1,"name":"b"}"#.data, mode: .merge)
    }
    #expect((error?.code, error?.property, error?.line) == (StoreError.invalidJSON, "secret", 1))
    #expect(store[Sealed.self, 1]?.name == "a")
  }

  @Test func `the member of the id may have another name`() throws {
    let store = try Store(Item.self)
    let patch = #"{"_id":1,"full_name":"a"}"#.data
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(Item.self, from: patch, mode: .merge, decoder: decoder)
    }
    #expect((error?.code, error?.codingPath) == (StoreError.invalidJSON, "id"))
    try store.importJSON(Item.self, from: patch, mode: .merge(id: "_id"), decoder: decoder)
    try store.importJSON(
      Item.self, from: #"{"_id":1,"full_name":"b"}"#.data, mode: .merge(id: "_id"), decoder: decoder)
    #expect(store[Item.self, 1]?.fullName == "b")
    let other = #expect(throws: StoreError.self) {
      try store.importJSON(
        Item.self, from: #"{"_id":1,"key":2,"full_name":"b"}"#.data, mode: .merge(id: "key"), decoder: decoder
      )
    }
    #expect(other?.message.contains("Name the member that has the id") == true)
  }

  @Test func `an encoder that does not match the decoder is an error`() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let error = #expect(throws: StoreError.self) {
      try store.importJSON(
        Memo.self, from: #"{"id":1,"title":"b","due":1}"#.data, mode: .merge(encoder: encoder))
    }
    #expect(error?.message.contains("Pass an encoder that matches the decoder") == true)
    #expect(store[Memo.self, 1] == stored)
  }
}

private struct Sealed: Entity, Codable {
  let id: Int
  var name = "a"
  let secret: String
  static let schema = Schema<Sealed> {
    \.name
    \.secret
  }

  init(id: Int) { (self.id, secret) = (id, "known here") }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    secret = ""
  }

  enum CodingKeys: CodingKey { case id, name }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
  }
}

private struct Item: Entity, Codable {
  let id: Int
  var fullName: String
  static let schema = Schema<Item> { \.fullName }

  enum CodingKeys: String, CodingKey {
    case id = "_id"
    case fullName
  }
}
