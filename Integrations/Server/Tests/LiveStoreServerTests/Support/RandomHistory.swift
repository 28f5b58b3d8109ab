import Foundation
import LiveStore
import LiveStoreServer
import Synchronization

/// Random commits, and what the streams of some queries must be at each version.
///
/// State: the generator, and the snapshots of all versions, guarded by its mutex.
final class RandomHistory: Sendable {
  struct Case: Sendable {
    let target: String
    /// Nil for a stream of several entities.
    let query: Query<Post>?
    let rows: @Sendable (Snapshot) -> [StreamRows.Row]

    init(_ parameters: String, _ query: Query<Post>) {
      target = "/streams/Post?" + parameters
      self.query = query
      rows = { Self.rows(of: query, in: $0) }
    }

    /// Both entities.
    init() {
      target = "/streams/Post,Author"
      query = nil
      rows = { snapshot in
        snapshot.fetch(Author.all).map {
          StreamRows.Row(key: "\($0.id)", value: ["name": .string($0.name)])
        } + Self.rows(of: Post.all, in: snapshot)
      }
    }

    private static func rows(of query: Query<Post>, in snapshot: Snapshot) -> [StreamRows.Row] {
      snapshot.fetch(query).map { StreamRows.Row(key: "\($0.id)", value: $0.shown(in: snapshot)) }
    }
  }

  static let queries = [
    Case("", Post.all),
    Case("sort=likeCount:desc", Post.sorted(by: \.likeCount, .descending)),
    Case(
      "sort=likeCount:desc,title&limit=4",
      Post.sorted(by: \.likeCount, .descending).sorted(by: \.title).limit(4)),
    Case("where=likeCount%20%3E%2030", Post.where { $0.likeCount > 30 }),
    Case(
      "where=author.name%20!%3D%20nil&sort=author.name,id:desc",
      Post.where { $0.author.name != nil }.sorted(by: \.author.name).sorted(by: \.id, .descending)),
    Case("where=title+CONTAINS+'1'&limit=3", Post.where { $0.title.contains("1") }.limit(3)),
    Case("limit=2", Post.all.limit(2)),
  ]
  /// The queries, and all entities as one stream.
  static let streams = queries + [Case()]

  private let store: Store
  private let state: Mutex<(generator: SeededGenerator, snapshots: [Version: Snapshot])>

  init(_ store: Store, _ generator: SeededGenerator) {
    self.store = store
    state = Mutex((generator, [store.version: store.snapshot()]))
  }

  private func random(_ range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// How a stream is followed.
  func stream(_ number: Int, _ target: String) -> PythonFollower.Stream {
    let mode = ["sse", "sse", "long-poll", "catch-up", "any", "any"][random(0...5)]
    return PythonFollower.Stream(
      target: target, mode: mode, cuts: random(0...2) > 0,
      pause: mode == "catch-up" ? 0.05 : random(0...3) == 0 ? 0.1 : nil)
  }

  /// Makes commits in bursts, and waits between some until the streams have come so far.
  ///
  /// - Parameter streams: how many are followed, from the first.
  func run(_ follower: PythonFollower, bursts: Int, streams: Int = streams.count) async throws {
    let streams = 0..<streams
    for _ in 0..<bursts {
      for _ in 0..<random(1...6) {
        try commit()
        state.withLock { $0.snapshots[store.version] = store.snapshot() }
      }
      if random(0...3) > 0 { try await follower.reach(store.version, [random(0...streams.count - 1)]) }
    }
    try await follower.reach(store.version, streams)
  }

  /// - Throws: where a stream was not the query's result.
  func check(_ reports: [PythonFollower.Report]) throws {
    let snapshots = state.withLock { $0.snapshots }
    for report in reports {
      guard let snapshot = snapshots[report.version] else {
        throw Failure("there was no version \(report.version)")
      }
      let expected = Self.streams[report.stream].rows(snapshot)
      if report.rows != expected {
        throw Failure(
          "\(Self.streams[report.stream].target) at version \(report.version) is \(report.rows), not \(expected)"
        )
      }
    }
  }

  /// Makes one commit.
  func commit() throws {
    let (count, id, author) = (random(1...3), random(1...12), random(1...4))
    try store.write(origin: random(0...1) == 0 ? "ui" : nil) { tx in
      for offset in 0..<count {
        let id = (id + offset * 5) % 12 + 1
        switch random(0...10) {
        case 0, 1:
          let post = Post(
            id: id, title: "Title \(random(0...20))", likeCount: random(0...8) * 10,
            author: tx[Author.self, author] == nil ? nil : Ref(author))
          try tx.upsert(post)
        case 2: try tx.delete(Post.self, id)
        case 3:
          guard let post = tx[Post.self, id] else { continue }
          try tx.delete(Post.self, id)
          try tx.insert(post)
        case 4 where tx[Post.self, id] != nil: try tx.update(Post.self, id) { $0.secret += "x" }
        case 5 where tx[Post.self, id] != nil:
          try tx.update(Post.self, id) { $0.title = "Title \(random(0...20))\n\"é" }
        case 6 where tx[Author.self, author] != nil:
          try tx.update(Author.self, author) { $0.name = "Name \(random(0...5))" }
        case 7: try tx.delete(Author.self, author)
        case 8: try tx.upsert(Author(id: author, name: "Name \(random(0...5))"))
        case 9: try tx.update(Post.where { $0.likeCount > 40 }) { $0.likeCount -= 30 }
        default:
          if tx[Post.self, id] != nil { try tx.update(Post.self, id) { $0.likeCount = random(0...8) * 10 } }
        }
      }
    }
  }
}
