import Foundation
import LiveStore
import LiveStoreServer
import PostgreSQLTestSupport
import Synchronization

/// A client of the stream of posts that reads when it is asked to, and goes on behind the last mark when the stream ends.
final class FeedReader: Sendable {
  struct Row: Decodable, Equatable {
    var id: Int
    var title: String
    var likeCount: Int
  }

  private struct State {
    var connection: RawConnection?
    /// What was received of an event that has not ended.
    var text: [UInt8] = []
    var offset = "-1"
    /// Messages that no mark has confirmed.
    var messages: [StreamMessage] = []
    var stream = StreamRows()
    var rows: [Row] = []
    var events = 0
    var bytes = 0
  }

  /// The stream that the page follows.
  static let path = "/streams/Post?sort=likeCount:desc,createdAt:desc,id:desc&limit=100&live=sse&offset="

  private let url: URL
  // Held while a thread waits for bytes.
  private let state: Mutex<State>

  /// Asks for the events, and reads none.
  init(_ feed: FeedProcess) throws {
    url = feed.url
    state = Mutex(State())
    try state.withLock { try connect(&$0) }
  }

  private func connect(_ state: inout State) throws {
    let connection = try RawConnection(to: url)
    try connection.send("GET", Self.path + state.offset)
    (state.connection, state.text, state.messages) = (connection, [], [])
  }

  /// How many events were read that have a name.
  var events: Int { state.withLock { $0.events } }
  /// How many bytes were read.
  var bytes: Int { state.withLock { $0.bytes } }
  var rows: [Row] { state.withLock { $0.rows } }

  /// Reads events until the rows are those that are waited for.
  func read(until isReached: @escaping @Sendable ([Row]) -> Bool) async throws {
    try await Worker { [self] in
      try state.withLock { state in
        guard var connection = state.connection else { throw Mismatch("the connection is closed") }
        var before: String?
        while !isReached(state.rows) {
          guard let chunk = try Self.chunk(of: connection) else {
            if before == state.offset { throw Mismatch("the stream ended without a mark") }
            before = state.offset
            try connect(&state)
            guard let next = state.connection else { return }
            connection = next
            continue
          }
          state.bytes += chunk.count
          state.text += chunk
          while let end = state.text.firstIndex(of: Array("\n\n".utf8), from: 0) {
            try Self.apply(Array(state.text[..<end]), to: &state)
            state.text.removeFirst(end + 2)
          }
        }
      }
    }.value()
  }

  /// Ends the connection.
  func disconnect() { state.withLock { $0.connection = nil } }

  /// A chunk of the body, whose head is skipped; nil at the end.
  private static func chunk(of connection: RawConnection) throws -> ArraySlice<UInt8>? {
    guard var line = try connection.read(through: "\r\n") else { return nil }
    if line.hasPrefix("HTTP/") {
      guard try connection.read(through: "\r\n\r\n") != nil, let next = try connection.read(through: "\r\n")
      else { return nil }
      line = next
    }
    guard let size = Int(line, radix: 16), size > 0, let chunk = try connection.read(size),
      try connection.read(2) != nil
    else { return nil }
    return chunk
  }

  private static func apply(_ event: [UInt8], to state: inout State) throws {
    let lines = event.split(separator: UInt8(ascii: "\n"))
    let prefix = Array("data: ".utf8)
    let data = Data(lines.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count) }.joined())
    let decoder = JSONDecoder()
    switch lines.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "event: data":
      state.events += 1
      state.messages += try decoder.decode([StreamMessage].self, from: data)
    case "event: control":
      struct Mark: Decodable { var streamNextOffset: String }
      state.offset = try decoder.decode(Mark.self, from: data).streamNextOffset
      try state.stream.apply(state.messages)
      state.messages = []
      state.rows = try state.stream.rows.map { row in
        guard case .string(let title) = row.value["title"], case .number(let likes) = row.value["likeCount"],
          let id = Int(row.key), let count = likes.integer
        else { throw Mismatch("this is no post: \(row)") }
        return Row(id: id, title: title, likeCount: Int(count))
      }
    default: break
    }
  }
}
