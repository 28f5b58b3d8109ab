import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A stream of several entities")
struct SeveralEntitiesTests {
  @Test("is one snapshot, and a commit that changes both is one step with places in each")
  func step() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let first = try await server.request("/streams/Post,Author")
      #expect(first.headers["stream-row-count"] == "5")
      let messages = try first.messages
      #expect(messages.compactMap(\.type) == ["Post", "Post", "Author", "Author", "Author"])
      #expect(messages.compactMap(\.headers.index) == [0, 1, 0, 1, 2])
      #expect(messages.last?.headers.rowCount == 5)
      var rows = StreamRows()
      try rows.apply(messages)
      #expect(rows.rows(of: "Post").map(\.key) == ["1", "2"])
      try await store.write { tx in
        try tx.delete(Author.self, 1)
        try tx.insert(Post(id: 3, title: "Third"))
      }
      let second = try await server.request("/streams/Post,Author?offset=\(first.nextOffset)")
      let step = try second.messages
      #expect(step.map(\.type) == ["Post", "Author"])
      #expect(step.map(\.headers.operation) == [.insert, .delete])
      #expect(Set(step.map(\.headers.txid)) == ["2"])
      try rows.apply(step)
      #expect(rows.rows(of: "Author").map(\.key) == ["2", "3"])
      #expect(rows.rows(of: "Post").map(\.key) == ["1", "2", "3"])
    }
  }

  @Test("as events has one event for a commit that changes both, whichever clients it has")
  func events() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let connections = [
        try await server.open("/streams/Post,Author?offset=-1&live=sse"),
        try await server.open("/streams/Post,Author?offset=-1&live=sse"),
      ]
      for connection in connections { _ = try await connection.event("control") }
      #expect(server.state.hubCount == 1)
      for round in 1...3 {
        try await store.write { tx in
          try tx.update(Post.self, 1) { $0.title = "Round \(round)" }
          try tx.update(Author.self, 1) { $0.name = "Round \(round)" }
        }
        for connection in connections {
          let messages = try await connection.event("data").messages
          #expect(messages.map(\.type) == ["Post", "Author"])
          #expect(messages.allSatisfy { $0.headers.txid == "\(store.version)" })
        }
      }
    }
  }

  @Test(
    "is whole: filters, sorts and limits are refused, and so are entities that are named twice",
    arguments: ["Post,Author?where=id%20%3E%201", "Post,Author?sort=id", "Post,Author?limit=1", "Post,Post"])
  func refusals(target: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/" + target)
      #expect(reply.status == 400)
      #expect(try reply.error["code"] == "invalidParameter")
    }
  }

  @Test(
    "with one that is not exposed is not there",
    arguments: ["Post,Secret", "Post,", "Secret,Author"])
  func hidden(target: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/" + target)
      #expect(reply.status == 404)
    }
  }

  @Test(
    "may be named with the escapes of URLs",
    arguments: ["Post", "%50o%73t", "Post,%41uthor"])
  func escapedNames(name: String) async throws {
    try await TestServer.with(try makeStore(posts: 1)) { server in
      let reply = try await server.request("/streams/" + name)
      #expect(reply.status == 200)
    }
  }

  private struct Pair<First: Codable & Equatable & Sendable, Second: Sendable>: Entity {
    let id: Int
    var first: First
    static var schema: Schema<Self> { Schema { \.first } }
  }

  @Test(
    "may have one of a generic type, whose comma is escaped or not",
    arguments: [
      ("Pair%3CInt%2C%20String%3E", 1), ("Pair%3CInt,%20String%3E", 1),
      ("Author,Pair%3CInt%2c%20String%3E", 4),
    ])
  func genericType(name: String, rows: Int) async throws {
    let store = try Store(Author.self, Pair<Int, String>.self)
    try await store.write { tx in
      for id in 1...3 { try tx.insert(Author(id: id, name: "Author \(id)")) }
      try tx.insert(Pair<Int, String>(id: 1, first: 7))
    }
    let server = try StoreServer(store, logger: .silent) {
      Expose(Author.self, fields: [\.name])
      Expose(Pair<Int, String>.self, fields: [\.first])
    }
    try await TestServer.with(server) { server in
      let reply = try await server.request("/streams/" + name)
      #expect(reply.headers["stream-row-count"] == "\(rows)")
      #expect(try reply.messages.dropLast().last?.type == "Pair<Int, String>")
    }
  }

  @Test("is a snapshot in parts where the difference would be too large")
  func largeDifference() async throws {
    let store = try makeStore(posts: 2)
    try await TestServer.with(store) { server in
      let offset = try #require(try await server.request("/streams/Post").headers["stream-next-offset"])
      let text = String(repeating: "x", count: 9_000_000)
      try await store.write { tx in
        for id in 1...2 { try tx.update(Post.self, id) { $0.title = text } }
      }
      let reply = try await server.request("/streams/Post?offset=" + offset)
      #expect(try reply.messages.first?.headers.control == .reset)
      let live = try await server.request("/streams/Post?live=long-poll&offset=" + offset)
      #expect(try live.messages.first?.headers.control == .reset)
      #expect(try live.messages.count == 5)
    }
  }
}

@Suite("Whole objects")
struct WholeObjectStreamTests {
  @Test("are what decoding gives back, with the id under its own name")
  func values() async throws {
    let store = try Store(Item.self, Person.self)
    let item = Item(
      id: "a\"", text: "text", measure: Measure(value: .nan), price: Decimal(string: "0.1") ?? 0,
      date: Date(timeIntervalSinceReferenceDate: 0.1), data: Data([0, 255]), mood: .noted("x", times: 2),
      spot: Spot(city: "Rome", seen: .distantPast, heights: [nil, 0.1]), owner: Ref(1),
      list: [Ref(1), Ref(1)],
      set: [Ref(1)], map: ["k": Ref(1)])
    try await store.write { tx in
      try tx.insert(Person(id: 1, name: "Ann"))
      try tx.insert(item)
    }
    let server = RunningServer()
    try await server.start(store)
    let test = TestServer(port: server.port, state: try server.serverState)
    let message = try #require(try await test.request("/streams/Item").messages.dropFirst().first)
    #expect(message.key == item.id)
    let value = try #require(message.value)
    #expect(value["id"] == .string(item.id))
    #expect(value["date"] == "2001-01-01T00:00:00.1Z")
    #expect(value["measure"] == ["value": "NaN"])
    #expect(value["list"] == [1, 1])
    #expect(try JSONFields<Item>.decoder().decode(Item.self, from: value) == item)
    let own = try await test.request("/streams/Item?where=text%20%3D%20'text'&sort=count")
    #expect(own.status == 200)
    for parameters in ["where=owner.name%20%3D%20'Ann'", "where=price%20%3D%200", "sort=price"] {
      let refused = try await test.request("/streams/Item?" + parameters)
      #expect(refused.status == 400)
    }
    let unlisted = try await test.request("/streams/Person?where=name%20%3D%20'Ann'")
    #expect(unlisted.status == 400)
    await server.stop()
  }
}
