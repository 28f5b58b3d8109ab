import LiveStore
import LiveStoreObservation
import Observation
import Testing

private struct Post: Entity {
  let id: Int
  var title: String
  var likeCount = 0
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
  }
}

@MainActor @Observable private final class PostListModel {
  let posts: LiveResults<Post>
  init(_ store: Store) {
    posts = LiveResults(store, Post.sorted(by: \.likeCount).limit(20), initial: .synchronous)
  }
  func search(_ text: String) {
    posts.query = Post.where { $0.title.contains(text, options: [.caseInsensitive]) }
  }
}

@MainActor @Suite struct ReadmeModelTests {
  @Test func `the README's models do what it says`() async throws {
    let store = try Store(Post.self)
    try await store.write { tx in
      try tx.insert(Post(id: 1, title: "Hello"))
      try tx.insert(Post(id: 2, title: "World", likeCount: 1))
    }
    let model = PostListModel(store)
    #expect(model.posts.elements.map(\.id) == [1, 2])
    let post = LiveObject(store, Post.self, 1)
    try post.update { $0.likeCount += 3 }
    #expect(post.likeCount == 3 && model.posts.elements.map(\.id) == [2, 1])
    #expect(model.posts.lastChange == nil)
    model.search("WOR")
    try await store.settled()
    #expect(model.posts.elements.map(\.title) == ["World"])
  }
}
