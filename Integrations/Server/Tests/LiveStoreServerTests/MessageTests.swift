import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("Messages and offsets")
struct MessageTests {
  private func message(
    _ operation: StreamMessage.Operation, _ key: String, index: Int? = nil, from: Int? = nil,
    txid: String = "2",
    value: JSONValue? = [:]
  ) -> StreamMessage {
    var headers = StreamMessage.Headers()
    (headers.operation, headers.index, headers.from, headers.txid) = (operation, index, from, txid)
    return StreamMessage(type: "Post", key: key, value: operation == .delete ? nil : value, headers: headers)
  }

  private func rows(_ keys: String...) throws -> StreamRows {
    var rows = StreamRows()
    try rows.apply(keys.enumerated().map { message(.insert, $1, index: $0, txid: "1") })
    return rows
  }

  @Test("a step takes rows away, puts rows in, and replaces others")
  func step() throws {
    var rows = try rows("a", "b", "c", "d")
    try rows.apply([
      message(.delete, "b", from: 1), message(.update, "d", index: 0, from: 3),
      message(.insert, "e", index: 2),
      message(.update, "c", index: 3, value: ["x": 1]),
    ])
    #expect(rows.rows.map(\.key) == ["d", "a", "e", "c"])
    #expect(rows.rows[3].value == ["x": 1])
    #expect(rows.version == Version(2))
  }

  @Test("steps of several versions in one response are applied one after another")
  func steps() throws {
    var rows = try rows("a", "b")
    try rows.apply([
      message(.delete, "a", from: 0, txid: "2"), message(.delete, "b", from: 0, txid: "3"),
      message(.insert, "c", index: 0, txid: "4"),
    ])
    #expect(rows.rows.map(\.key) == ["c"])
  }

  @Test("messages that do not fit are an error, and leave the rows as they are")
  func mismatch() throws {
    let start = try rows("a", "b")
    for messages in [
      [message(.delete, "a", from: 1)], [message(.delete, "a", from: 2)], [message(.delete, "a", from: -1)],
      [message(.insert, "c", index: 3)], [message(.insert, "c", index: -1)], [message(.insert, "c")],
      [message(.update, "b", index: 0)], [message(.update, "c", index: 2)],
      [message(.insert, "c", index: 0, txid: "x")],
      [message(.insert, "c", index: 0, value: nil)],
      [message(.delete, "a", from: 0, txid: "2"), message(.delete, "a", from: 0, txid: "3")],
    ] {
      var rows = start
      #expect(throws: StreamError.self) { try rows.apply(messages) }
      #expect(rows == start)
    }
  }

  @Test("a message is encoded as it is decoded")
  func coding() throws {
    let messages = [message(.insert, "a", index: 0), message(.delete, "b", from: 7)]
    let text = String(decoding: try JSONEncoder().encode(messages), as: UTF8.self)
    #expect(try decode([StreamMessage].self, text) == messages)
  }

  @Test("offsets are ordered as their versions, and have no character that a URL gives a meaning")
  func offsets() {
    let identity = UUID()
    let versions: [UInt64] = [0, 1, 9, 10, 15, 16, 255, 256, .max - 1, .max]
    let offsets = versions.map { "\(StreamOffset(identity, 7, Version($0)))" }
    #expect(offsets == offsets.sorted())
    #expect(Set(offsets).count == versions.count)
    for (text, version) in zip(offsets, versions) {
      #expect(!text.contains { ",&=?/".contains($0) })
      #expect(StreamOffset(text) == StreamOffset(identity, 7, Version(version)))
    }
  }

  @Test("a cursor is the interval of now, and always later than what the client had")
  func cursors() throws {
    let date = Date(timeIntervalSince1970: 1_728_432_000 + 20_000)
    #expect(StreamCursor.now(after: nil, date) == "1000")
    #expect(StreamCursor.now(after: "999", date) == "1000")
    #expect(StreamCursor.now(after: "garbage", date) == "1000")
    for _ in 0..<20 { #expect(try #require(Int(StreamCursor.now(after: "1000", date))) > 1_000) }
    #expect(StreamCursor.now(after: "\(Int64.max)", date) == "1000")
  }
}
