import Foundation
import LiveStore
import Synchronization
import Testing

// The example of the README, as a user's module compiles it: by plain `import`.

private struct Post: Entity {
  let id: Int
  var title: String
  var likeCount = 0
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
  }
}

@Suite struct ReadmeTests {
  @Test func `the example of the README does what it says`() async throws {
    let lines = Mutex<[String]>([])
    let store = try Store(Post.self)
    let popular = Post.where { $0.likeCount >= 10 }.sorted(by: \.likeCount, .descending).limit(20)
    let token = store.observe(popular) { change in
      if case .update(let posts, let changes) = change {
        lines.withLock { $0.append("\(posts.count) \(changes)") }
      }
    }
    try await store.settled()
    try await store.write { tx in
      try tx.insert(Post(id: 1, title: "Hello", likeCount: 12))
    }
    try await store.settled()
    #expect(lines.withLock { $0 } == ["1 Post 0→1: inserted [0]"])
    token.invalidate()
  }
}
