import LiveStore

/// The posts of the demo, and the tasks that write them.
///
/// Each task sleeps between its writes, so that there is something to watch; nothing depends on how long.
enum Feed {
  /// The users who write.
  static let users = ["Ann", "Bea", "Cem", "Dag"]
  /// What is watched: the five most liked posts.
  static let popular = Document.where { $0[path: ["likes"]] > 0 }.sorted(byPath: ["likes"], .descending)
    .limit(5)

  private static let postsPerUser = 5
  private static let subjects = ["tea", "trees", "tables", "trains", "tides"]
  private static let pace = Duration.milliseconds(500)

  /// How often a post is liked.
  static func likes(_ post: Document) -> Int64 {
    if case .number(let number)? = post.value(at: ["likes"]) { number.integer ?? 0 } else { 0 }
  }

  private static func post(_ id: JSONValue, author: JSONValue, title: JSONValue, likes: Int64) -> Document {
    Document(id: id, body: ["id": id, "likes": JSONValue(likes), "author": author, "title": title])
  }

  /// Writes a post every half a second.
  static func writePosts(as user: Int, in store: Store) async throws {
    for number in 0..<postsPerUser {
      let title = "\(users[user]) on \(subjects[(user + number) % subjects.count])"
      let post = post(
        JSONValue(user * 100 + number), author: .string(users[user]), title: .string(title), likes: 0)
      try await store.write { try $0.insert(post) }
      try await Task.sleep(for: pace + .milliseconds(13 * user))
    }
  }

  /// Likes posts, some better than others.
  static func likePosts(_ reader: Int, in store: Store) async throws {
    for step in 0..<24 {
      try await store.write { tx in
        let posts = tx.fetch(Document.all)
        guard !posts.isEmpty else { return }
        let old = posts[(step * reader * 7) % posts.count]
        let likes = likes(old) + Int64(1 + step % reader)
        try tx.upsert(post(old.id, author: old.body["author"], title: old.body["title"], likes: likes))
      }
      try await Task.sleep(for: pace / 4)
    }
  }

  /// Removes a popular post now and then.
  static func moderate(_ store: Store) async throws {
    for _ in 0..<3 {
      try await Task.sleep(for: pace * 1.5)
      try await store.write { tx in
        if let post = tx.fetch(popular).last { _ = try tx.delete(Document.self, post.id) }
      }
    }
  }
}
