import LiveStore
import SocialFeedCore

extension Demo {
  /// Observes a feed while its content changes.
  func tailFeed(_ fixture: Fixture) async throws {
    try await scene("What Ann sees: the posts of those she follows") {
      feed.store.observe(Post.feed(of: fixture.ann.id).limit(3)) { change in
        for line in ChangeLines.of(change, name: \.title) { say(line) }
      }
    } steps: {
      try await step("Ann follows Bea") { try await feed.users.follow(fixture.bea.id, by: fixture.ann.id) }
      try await step("Cem publishes, but Ann does not follow him") {
        try await feed.posts.publish(fixture.trains.id, at: Fixture.time(20))
      }
      try await step("Ann follows Cem") { try await feed.users.follow(fixture.cem.id, by: fixture.ann.id) }
      try await step("Bea publishes") { try await feed.posts.publish(fixture.tides.id, at: Fixture.time(30)) }
      try await step("a user likes a post") { try await feed.posts.like(fixture.tea.id) }
      try await step("Cem changes a headline") {
        try await feed.posts.update(fixture.trains.id) { $0.title = "Night Trains" }
      }
      try await step("Ann follows Bea no more") {
        try await feed.users.unfollow(fixture.bea.id, by: fixture.ann.id)
      }
    }
  }

  /// Sorts users by a sum over the posts that link to them.
  func rankAuthors(_ fixture: Fixture) async throws {
    try await scene("Popular authors: by the likes of all their posts") {
      feed.store.observe(User.popular(limit: 3)) { change in
        for line in ChangeLines.places(change, name: \.name) { say(line) }
        guard let authors = change.results else { return }
        let likes = authors.map { "\($0.name) \(authors.snapshot.value(of: Post.likes(of: $0.id)))" }
        say("    \(likes.joined(separator: ", "))")
      }
    } steps: {
      try await step("a user likes Cem's post") { try await feed.posts.like(fixture.trains.id) }
      try await step("another user does, too") { try await feed.posts.like(fixture.trains.id) }
      try await step("a friend of Bea likes both of hers") {
        try await feed.posts.update(contentsOf: [fixture.tea.id, fixture.tides.id]) { $0.likeCount += 1 }
      }
    }
  }

  /// Divides all posts into sections by their status.
  func sortDesk(_ fixture: Fixture) async throws {
    try await scene("The editor's desk: posts in sections by status") {
      feed.store.observe(Post.byStatus) { change in
        for line in ChangeLines.of(change, name: \.title) { say(line) }
      }
    } steps: {
      try await step("Bea archives a post") { try await feed.posts.archive(fixture.tea.id) }
      try await step("Cem publishes all his drafts") {
        try await feed.posts.publishDrafts(of: fixture.cem.id, at: Fixture.time(40))
      }
    }
  }

  /// Shows comments as a tree.
  func discuss(_ fixture: Fixture) async throws {
    let question = Comment(
      text: "Which line?", author: fixture.ann.ref, post: fixture.trains.ref, createdAt: Fixture.time(50))
    let answer = reply("The one to Vienna", by: fixture.cem, to: question, minute: 53)
    let spam = reply("Buy my tables!", by: fixture.bea, to: question, minute: 51)
    let complaint = reply("Not here, please", by: fixture.ann, to: spam, minute: 52)
    try await scene("A discussion, as a tree") {
      feed.store.observe(Comment.on(fixture.trains.id)) { change in
        guard let comments = change.results else { return }
        say("  \(comments.count) comments")
        for line in ChangeLines.tree(comments) { say(line) }
      }
    } steps: {
      try await step("Ann asks, and Cem answers") {
        try await feed.comments.create(contentsOf: [question, answer])
      }
      try await step("Bea advertises, and Ann minds") {
        try await feed.comments.create(contentsOf: [spam, complaint])
      }
      try await step("the advertisement is deleted with the reply to it") {
        try await feed.comments.deleteSubtree(spam.id)
      }
    }
  }

  private func reply(_ text: String, by author: User, to parent: Comment, minute: Int) -> Comment {
    Comment(
      text: text, author: author.ref, post: parent.post, parent: parent.ref, createdAt: Fixture.time(minute))
  }

  /// Runs queries once, without observing them.
  func sumUp(_ fixture: Fixture) async throws {
    say("\n== Questions asked once")
    let found = try feed.posts.search("creme TRAVEL")
    say("  search for creme TRAVEL: \(found.items.map(\.title).joined(separator: ", "))")
    let tags = feed.tags.mostUsed().map { "\($0.tag.name) \($0.count)" }
    say("  tags by use: \(tags.joined(separator: ", "))")
    let trending = feed.posts.trending(at: Fixture.time(60), halfLife: 15 * 60)
    say("  trending: \(trending.map(\.title).joined(separator: ", "))")
    let cem = feed.users.counts(of: fixture.cem.id)
    say("  Cem's posts: \(cem.published), likes: \(cem.likes), followers: \(cem.followers)")
    try await step("Cem's account is to be deleted; his comment restricts that, and is deleted first") {
      do {
        try await feed.users.delete(fixture.cem.id)
      } catch StoreError.deleteRestricted {
        try await feed.users.deleteWithComments(fixture.cem.id)
      }
    }
    let orphans = feed.posts.fetch(Post.recent.where { $0.author == nil })
    say("  posts without an author: \(orphans.map(\.title).joined(separator: ", "))")
    let (users, posts, comments) = (feed.users.count, feed.posts.count, feed.comments.count)
    say("\nIn the end, users: \(users), posts: \(posts), comments: \(comments)")
  }
}
