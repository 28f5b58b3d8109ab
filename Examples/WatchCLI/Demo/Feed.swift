import LiveStore

/// The tasks that write the feed of the demo.
///
/// Each sleeps between its writes, so that there is something to watch; nothing depends on how long.
package enum Feed {
  /// The users who write.
  package static let users = ["Ann", "Bea", "Cem", "Dag"].enumerated().map {
    User(id: $0.offset, name: $0.element)
  }

  private static let postsPerUser = 5
  private static let subjects = ["tea", "trees", "tables", "trains", "tides"]
  private static let pace = Duration.milliseconds(500)

  /// Writes a post, with its author's count of posts in the same transaction, every half a second.
  static func writePosts(as user: User, in store: Store) async throws {
    for number in 0..<postsPerUser {
      try await store.write { tx in
        let title = "\(user.name) on \(subjects[(user.id + number) % subjects.count])"
        try tx.insert(Post(id: user.id * 100 + number, author: user.name, title: title))
        try tx.update(User.self, user.id) { $0.postCount += 1 }
      }
      try await Task.sleep(for: pace + .milliseconds(13 * user.id))
    }
  }

  /// Likes posts, some better than others.
  static func likePosts(_ reader: Int, in store: Store) async throws {
    for step in 0..<24 {
      try await store.write { tx in
        let posts = tx.fetch(Post.where { $0.status == .open })
        guard !posts.isEmpty else { return }
        try tx.update(Post.self, posts[(step * reader * 7) % posts.count].id) {
          $0.likeCount += 1 + step % reader
        }
      }
      try await Task.sleep(for: pace / 4)
    }
  }

  /// Hides a popular post now and then, and at the end deletes what was hidden.
  static func moderate(_ store: Store) async throws {
    for _ in 0..<3 {
      try await Task.sleep(for: pace * 1.5)
      try await store.write { tx in
        guard let post = tx.fetch(Post.popular).last else { return }
        try tx.update(Post.self, post.id) { $0.status = .hidden }
      }
    }
    try await store.write { _ = try $0.delete(Post.where { $0.status == .hidden }) }
  }
}
