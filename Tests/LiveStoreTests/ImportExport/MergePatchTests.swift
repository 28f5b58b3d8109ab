import Foundation
import LiveStore
import Testing

@Suite struct `Merge patches in a transaction` {
  private let store: Store
  private var stored = Memo(1, "a", stars: 3)

  init() throws {
    store = try Store(Memo.self, Editor.self)
    stored.due = Date(timeIntervalSince1970: 0.123456789)
    stored.place = Memo.Place(city: "Rome", street: "Via")
    stored.labels = ["a": "1", "b": "2"]
    (stored.isUnread, stored.scratch) = (false, 7)
    let memo = stored
    try store.write { tx in try tx.insert(memo) }
  }

  private func merge(_ patch: String, _ id: Int = 1, _ decoder: JSONDecoder = JSONDecoder()) throws -> Memo {
    try store.write { tx in try tx.merge(Memo.self, id, JSONValue(parsing: patch), decoder: decoder) }
  }

  @Test func `a patch changes the members that it has, and the object after it is returned`() throws {
    var expected = stored
    (expected.title, expected.stars) = ("b", nil)
    expected.place = Memo.Place(city: "Bonn", street: "Via")
    expected.labels = ["b": "2", "c": "3"]
    let patch = #"{"title":"b","stars":null,"place":{"city":"Bonn"},"labels":{"a":null,"c":"3"}}"#
    #expect(try merge(patch) == expected)
    #expect(store[Memo.self, 1] == expected)
  }

  @Test func `what the coding leaves out or rounds is kept`() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var expected = stored
    expected.title = "b"
    #expect(try merge(#"{"title":"b"}"#, 1, decoder) == expected)
  }

  @Test func `a patch that changes nothing makes no version`() throws {
    #expect(try merge(#"{"id":1,"title":"a","author":null}"#) == stored)
    #expect(try merge("{}") == stored)
    #expect(store.version == Version(1))
  }

  @Test func `a patch of an object that does not exist is notFound`() throws {
    let error = #expect(throws: StoreError.self) { try merge(#"{"title":"b"}"#, 9) }
    #expect(error?.code == StoreError.notFound && error?.id == "9" && store.count(Memo.all) == 1)
  }

  @Test func `a patch cannot change the id`() throws {
    let error = #expect(throws: StoreError.self) { try merge(#"{"id":2,"title":"b"}"#) }
    #expect(error?.code == StoreError.identifierChanged && store[Memo.self, 1] == stored)
  }

  @Test(arguments: [
    (#"{"title":null}"#, "title"), (#"{"title":[1]}"#, "title"), (#"{"place":{"city":4}}"#, "place.city"),
  ])
  func `a patch that leaves no valid object names the member`(patch: String, path: String) throws {
    let error = #expect(throws: StoreError.self) { try merge(patch) }
    #expect(error?.code == StoreError.invalidJSON && error?.codingPath == path && error?.id == "1")
    #expect(store[Memo.self, 1] == stored && store.version == Version(1))
  }

  @Test(arguments: ["[]", "1", "null", #""title""#])
  func `a patch that is no object is invalid`(patch: String) throws {
    #expect(throws: StoreError.self) { try merge(patch) }
    #expect(store[Memo.self, 1] == stored)
  }

  @Test func `a patch is a write like others: rules are checked, and a savepoint undoes it`() throws {
    let error = #expect(throws: StoreError.self) { try merge(#"{"author":9}"#) }
    #expect(error?.code == StoreError.missingLinkTarget && store[Memo.self, 1] == stored)
    struct Undo: Error {}
    try store.write { tx in
      do {
        try tx.savepoint { tx in
          try tx.merge(Memo.self, 1, ["title": "b"])
          throw Undo()
        }
      } catch is Undo {}
      #expect(tx[Memo.self, 1] == stored)
    }
  }

  @Test func `a patch in an optimistic transaction reads the object that it changes`() async throws {
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      try tx.merge(Memo.self, 1, ["title": "b"])
      if runs == 1 { try await store.write { other in try other.update(Memo.self, 1) { $0.stars = 9 } } }
    }
    #expect(runs == 2 && store[Memo.self, 1]?.title == "b" && store[Memo.self, 1]?.stars == 9)
  }
}
