import Foundation
import LiveStoreFollower
import Testing

@Suite("The parser of server-sent events")
struct EventParserTests {
  /// What a text has, given in two parts.
  private func events(_ text: String, cutAt cut: Int = 0, limit: Int = 1_000) throws -> [String] {
    let bytes = Array(text.utf8)
    var parser = EventParser(streaming: "data", limit: limit)
    var (events, streamed): ([String], [UInt8]) = ([], [])
    for part in [bytes[..<cut], bytes[cut...]] {
      try parser.read(Array(part)) { piece in
        switch piece {
        case .bytes(let bytes): streamed += bytes
        case .end:
          events.append("data=" + String(decoding: streamed, as: UTF8.self))
          streamed = []
        case .event(let name, let data): events.append(name + "=" + String(decoding: data, as: UTF8.self))
        }
      }
    }
    return events
  }

  @Test(
    "gives the same events wherever their bytes are cut",
    arguments: [
      ("event: data\ndata: [1,\ndata: 2]\n\nevent: control\ndata: {}\n\n", ["data=[1,\n2]", "control={}"]),
      ("event: data\r\ndata:é\r\n\r\nevent:x\r\ndata:  y\r\n\r\n", ["data=é", "x= y"]),
      ("event: data\rdata: a\r\revent: data\rdata: b\r\r", ["data=a", "data=b"]),
      (": comment\n\nid: 7\nretry: 5\nunknown\ndata: a\n: b\ndata\ndata: c\n\n", ["=a\n\nc"]),
      ("data: late\nevent: data\n\n", ["data=late"]),
      ("\u{FEFF}event: x\ndata: y\n\n", ["x=y"]),
      ("event: lost\n\nevent: x\nevent: y\ndata:\n\ndata: not complete\n", ["y="]),
    ])
  func cuts(text: String, expected: [String]) throws {
    for cut in 0...text.utf8.count { #expect(try events(text, cutAt: cut) == expected) }
  }

  @Test("refuses an event that is longer than it may be, but not one whose data is used as it comes")
  func limits() throws {
    let long = String(repeating: "x", count: 2_000)
    #expect(throws: FollowerError.self) { try events("event: x\ndata: \(long)\n\n") }
    #expect(throws: FollowerError.self) { try events("event: \(long)\n\n") }
    #expect(try events("event: data\ndata: \(long)\n\n") == ["data=\(long)"])
    #expect(try events("\(long): y\ndata: z\n\n") == ["=z"])
  }

  @Test("refuses an event that gets another name after its data has begun")
  func twoNames() {
    #expect(throws: FollowerError.self) { try events("event: data\ndata: x\nevent: y\n\n") }
  }
}

@Suite("The splitter of an array of messages")
struct MessageSplitterTests {
  private func messages(_ text: String, cutAt cut: Int = 0, limit: Int = 100) throws -> [String] {
    let bytes = Array(text.utf8)
    var splitter = MessageSplitter(limit: limit)
    var messages: [String] = []
    for part in [bytes[..<cut], bytes[cut...]] { try splitter.read(part) { messages.append($0) } }
    return splitter.isAtEnd ? messages : messages + ["…"]
  }

  @Test("gives the objects of an array wherever it is cut")
  func cuts() throws {
    let text = " [ {\"a\":\"]}\\\"\\\\\"} ,\n{\"b\":[{},{\"é\":\"{\"}]}\n] "
    for cut in 0...text.utf8.count {
      #expect(try messages(text, cutAt: cut) == ["{\"a\":\"]}\\\"\\\\\"}", "{\"b\":[{},{\"é\":\"{\"}]}"])
    }
    #expect(try messages("[]") == [])
    #expect(try messages("[{},") == ["{}", "…"])
  }

  @Test(
    "refuses what is no array of objects", arguments: ["{}", "[1]", "[{},]", "[{}{}]", "[]]", "[\"x\"]", "x"])
  func otherTexts(text: String) {
    #expect(throws: FollowerError.self) { try messages(text) }
  }

  @Test("refuses an object that is longer than it may be, before its end has come")
  func limit() {
    #expect(throws: FollowerError.self) { try messages("[{\"a\":\"" + String(repeating: "x", count: 200)) }
  }
}
