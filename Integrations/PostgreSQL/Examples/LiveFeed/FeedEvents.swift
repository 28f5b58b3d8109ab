import FlyingSocks
import Foundation
import LiveStore

/// The body of `GET /events`: the feed as server-sent events, for one client.
///
/// The server asks for the next bytes when the client's socket has taken the ones before. Only then is the next change
/// made, from what the client has to what is newest. So a slow client gets fewer and larger change sets, and nothing is
/// queued for it.
///
/// The subscription is the iterator's. It ends when the server drops it, which it does when writing fails: the regular
/// beat of ``ServiceStatus`` is what finds clients that went away without a word.
struct FeedEvents: AsyncBufferedSequence {
  typealias Element = UInt8
  typealias Changes = LiveChanges<
    SourcesChange<
      (Results<Post>, Results<ServiceStatus>), (CollectionChange<Post>, CollectionChange<ServiceStatus>)
    >
  >

  let store: Store
  let place: StreamLimit.Place

  func makeAsyncIterator() -> Iterator {
    Iterator(place: place, changes: store.changes(of: Post.feed, ServiceStatus.all).makeAsyncIterator())
  }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let place: StreamLimit.Place
    var changes: Changes.AsyncIterator
    /// What is left of the event that is being sent.
    var rest: ArraySlice<UInt8> = []

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      while rest.isEmpty {
        // Nil when the store is closed: the stream ends in order, and the browser connects again.
        guard let change = await changes.next() else { return nil }
        rest = Array(try Self.text(of: change).utf8)[...]
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private static func text(of change: Changes.Element) throws -> String {
      switch change {
      case .initial((let posts, let status)):
        // The first line says how soon to connect again, in milliseconds.
        return try "retry: 1000\n\n" + event("initial", Array(posts)) + statusEvent(status)
      case .update((let posts, let status)):
        var text = ""
        if let changes = posts.changes, !changes.isEmpty {
          text += try event("change", ChangeMessage(changes))
        }
        if let results = status.results, status.changes?.hasNewState == true {
          text += try statusEvent(results)
        }
        // A comment, which the browser passes over.
        return text.isEmpty ? ": ping\n\n" : text
      case .error(let error):
        throw error
      }
    }

    private static func statusEvent(_ status: Results<ServiceStatus>) throws -> String {
      try status.first.map { try event("status", ["state": $0.state]) } ?? ""
    }

    /// JSON is one line: line breaks within strings are escaped.
    private static func event(_ name: String, _ data: some Encodable) throws -> String {
      "event: \(name)\ndata: \(String(decoding: try JSON.encode(data), as: UTF8.self))\n\n"
    }
  }
}

extension ChangeSet<ServiceStatus> {
  /// Whether there is more than another beat.
  fileprivate var hasNewState: Bool {
    !insertions.isEmpty || modifications.contains { $0.old.state != $0.new.state }
  }
}
