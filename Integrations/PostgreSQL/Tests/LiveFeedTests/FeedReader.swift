import Foundation
import Synchronization
import PostgreSQLTestSupport

/// A client of the stream of events that reads when it is asked to, and applies what it gets as the page does.
final class FeedReader: Sendable {
  struct Row: Decodable, Equatable {
    var id: Int
    var title: String
    var likeCount: Int
  }

  private struct Change: Decodable {
    struct Insertion: Decodable {
      var index: Int
      var post: Row
    }
    struct Move: Decodable {
      var from: Int
      var to: Int
    }
    var deletions: [Int]
    var insertions: [Insertion]
    var modifications: [Insertion]
    var moves: [Move]
  }

  private struct State {
    var connection: RawConnection?
    /// What was received of an event that has not ended.
    var text: [UInt8] = []
    var rows: [Row] = []
    var events = 0
    var bytes = 0
  }

  // Held while a thread waits for bytes.
  private let state: Mutex<State>

  /// Asks for the events, and reads none.
  init(_ feed: FeedProcess) throws {
    state = Mutex(State())
    try state.withLock { state in
      let connection = try RawConnection(to: feed.url)
      try connection.send("GET", "/events")
      state.connection = connection
    }
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
        guard let connection = state.connection else { throw Mismatch("the connection is closed") }
        if state.bytes == 0 { _ = try connection.read(through: "\r\n\r\n") }
        while !isReached(state.rows) {
          guard let size = try connection.read(through: "\r\n").flatMap({ Int($0, radix: 16) }), size > 0,
            let chunk = try connection.read(size), try connection.read(2) != nil
          else { throw Mismatch("the stream ended") }
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

  private static func apply(_ event: [UInt8], to state: inout State) throws {
    // Others are comments, or say how soon to connect again.
    let separator = Array("\ndata: ".utf8)
    guard let end = event.firstIndex(of: separator, from: 0) else { return }
    state.events += 1
    let data = Data(event[(end + separator.count)...])
    let decoder = JSONDecoder()
    switch String(decoding: event[..<end], as: UTF8.self) {
    case "event: initial": state.rows = try decoder.decode([Row].self, from: data)
    case "event: change":
      let change = try decoder.decode(Change.self, from: data)
      let before = state.rows
      let leaving = Set(change.deletions + change.moves.map(\.from))
      let coming =
        change.insertions.map { ($0.index, $0.post) } + change.moves.map { ($0.to, before[$0.from]) }
      state.rows = before.indices.filter { !leaving.contains($0) }.map { before[$0] }
      for (index, row) in coming.sorted(by: { $0.0 < $1.0 }) { state.rows.insert(row, at: index) }
      for modification in change.modifications { state.rows[modification.index] = modification.post }
    default: break
    }
  }
}
