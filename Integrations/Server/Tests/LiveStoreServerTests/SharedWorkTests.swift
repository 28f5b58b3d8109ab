import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("What many clients of one query need")
struct SharedWorkTests {
  @Test("of a commit is encoded once for a hundred of them")
  func step() async throws {
    let (store, count) = try makeNotes(1...3)
    try await TestServer.with(notes: store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Note").nextOffset
      var streams: [RawConnection] = []
      for _ in 0..<80 { streams.append(try await server.open("/streams/Note?offset=now&live=sse")) }
      for stream in streams { _ = try await stream.event("control") }
      async let polls = withThrowingTaskGroup(of: Reply.self) { group in
        for _ in 0..<20 {
          group.addTask { try await server.request("/streams/Note?offset=\(start)&live=long-poll") }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(await eventually { server.state.streamCount == 100 })
      let before = count.value
      try await store.write { tx in try tx.update(Note.self, 2) { $0.text.text = "new" } }
      for stream in streams {
        #expect(try await stream.event("data").messages.map(\.value) == [["text": "new"]])
      }
      for poll in try await polls { #expect(try poll.messages.map(\.value) == [["text": "new"]]) }
      // The new value, and the old one to see whether it is another.
      #expect(count.value - before == 2)
    }
  }

  @Test("after a restart is one difference, also while there are writes, with the steps behind it")
  func difference() async throws {
    let (store, count) = try makeNotes(1...20)
    try await TestServer.with(notes: store) { server in
      let start = try await server.request("/streams/Note")
      var rows = StreamRows()
      try rows.apply(start.messages)
      try await store.write { tx in
        for id in 1...10 { try tx.update(Note.self, id) { $0.text.text = "changed" } }
      }
      let keeper = try await server.open("/streams/Note?offset=now&live=sse")
      _ = try await keeper.event("control")
      let (before, target) = (count.value, "/streams/Note?offset=\(start.nextOffset)&live=sse")
      var clients: [RawConnection] = []
      for _ in 0..<50 { clients.append(try await server.open(target)) }
      for client in clients {
        #expect(try await client.event("data").messages.map(\.key) == (1...10).map { "\($0)" })
      }
      for round in 1...50 {
        try await store.write { tx in try tx.update(Note.self, 20) { $0.text.text = "round \(round)" } }
        _ = try await keeper.event("data")
        let client = try await server.open(target)
        var own = rows
        while own.version != store.version { try own.apply(try await client.event("data").messages) }
        #expect(own.rows.map(\.value) == store.fetch(Note.all).map { ["text": .string($0.text.text)] })
      }
      // Ten rows that differ, in one difference for a hundred clients; and a row in each of fifty steps.
      #expect(count.value - before == 2 * 10 + 2 * 50)
    }
  }

  @Test("after a step that is too large is a snapshot for each, and no difference is tried")
  func largeStep() async throws {
    let (store, count) = try makeNotes(1...3)
    try await TestServer.with(notes: store, limits: .ofTests.polling(.seconds(20))) { server in
      let start = try await server.request("/streams/Note").nextOffset
      var clients: [RawConnection] = []
      for _ in 0..<4 { clients.append(try await server.open("/streams/Note?offset=\(start)&live=sse")) }
      for client in clients { _ = try await client.event("control") }
      let (before, text) = (count.value, String(repeating: "x", count: 1_500_000))
      try await store.write { tx in
        for id in 1...3 { try tx.update(Note.self, id) { $0.text.text = text } }
      }
      for client in clients {
        let data = try await client.event("data").data
        #expect(data.hasPrefix(#"[{"headers":{"control":"reset""#) && data.hasSuffix(#""rowCount":3}}]"#))
      }
      // The step is tried once, with the new values and the old.
      #expect(count.value - before == 6 + 4 * 3)
      let late = try await server.request("/streams/Note?offset=\(start)&live=long-poll")
      #expect(late.body.hasPrefix(#"[{"headers":{"control":"reset""#))
      #expect(count.value - before == 6 + 5 * 3)
      try await store.write { tx in try tx.update(Note.self, 2) { $0.text.text = "small" } }
      for client in clients {
        #expect(try await client.event("data").messages.map(\.value) == [["text": "small"]])
      }
      #expect(await eventually { server.state.readerCount == 0 })
    }
  }
}
