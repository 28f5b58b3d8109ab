import LiveStore
import SocialFeedCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Comments` {
  @Test func `comments are created, read, updated, upserted and deleted`() async throws {
    let world = try await World()
    let post = try await world.post("tea")
    let comment = try await world.comment("Well", on: post, day: 1)
    #expect(world.comments.find(comment.id) == comment)
    var edited = try await world.comments.update(comment.id) { $0.text = "Very well" }
    #expect(world.comments.find(comment.id)?.text == "Very well")
    edited.text = "Ill"
    #expect(try await world.comments.upsert(edited) == false)
    #expect(world.comments.on(post.id).map(\.text) == ["Ill"])
    #expect(try await world.comments.delete(comment.id))
    #expect(world.comments.find(comment.id) == nil)
  }

  @Test func `comments are created, updated and deleted in batches`() async throws {
    let world = try await World()
    let post = try await world.post("tea")
    let comments = (1...3).map {
      Comment(text: "\($0)", author: world.ann.ref, post: post.ref, createdAt: day(Double($0)))
    }
    try await world.comments.create(contentsOf: comments)
    try await world.comments.update(contentsOf: comments.map(\.id)) { $0.text += "!" }
    #expect(world.comments.on(post.id).map(\.text) == ["1!", "2!", "3!"])
    #expect(try await world.comments.delete(contentsOf: comments.prefix(2).map(\.id)) == 2)
    #expect(world.comments.count(on: post.id) == 1)
  }

  @Test func `a comment has a text and a post that exists`() async throws {
    let world = try await World()
    let post = try await world.post("tea")
    await expect(SocialError.empty(property: "text"), in: world.store) {
      _ = try await world.comment("", on: post, day: 1)
    }
    try await world.posts.delete(post.id)
    await expect(StoreError.missingLinkTarget, in: world.store) {
      _ = try await world.comment("Well", on: post, day: 1)
    }
  }

  @Test func `a reply is on the post of its comment`() async throws {
    let world = try await World()
    let (tea, trains) = (try await world.post("tea"), try await world.post("trains"))
    let comment = try await world.comment("Well", on: tea, day: 1)
    await expect(SocialError.replyToAnotherPost, in: world.store) {
      _ = try await world.comment("No", on: trains, parent: comment, day: 2)
    }
    let reply = try await world.comment("Yes", on: tea, parent: comment, day: 2)
    await expect(SocialError.replyToAnotherPost, in: world.store) {
      _ = try await world.comments.update(reply.id) { $0.post = trains.ref }
    }
  }

  @Test func `comments are deleted with their post`() async throws {
    let world = try await World()
    let (tea, trains) = (try await world.post("tea"), try await world.post("trains"))
    let comment = try await world.comment("Well", on: tea, day: 1)
    _ = try await world.comment("Yes", on: tea, parent: comment, day: 2)
    _ = try await world.comment("Other", on: trains, day: 2)
    try await world.posts.delete(tea.id)
    #expect(world.comments.all.map(\.text) == ["Other"])
  }

  /// Two threads, written out of order:
  /// ```
  /// first, then second
  ///   b
  ///     deep
  ///   a
  /// ```
  private func discussion(_ world: World) async throws -> (post: Post, first: Comment, b: Comment) {
    let post = try await world.post("tea")
    _ = try await world.comment("second", on: post, day: 9)
    let first = try await world.comment("first", on: post, day: 1)
    _ = try await world.comment("a", on: post, parent: first, day: 5)
    let b = try await world.comment("b", on: post, parent: first, day: 3)
    _ = try await world.comment("deep", on: post, parent: b, day: 10)
    return (post, first, b)
  }

  @Test func `comments form a tree with siblings by date`() async throws {
    let world = try await World()
    let post = try await discussion(world).post
    let tree = world.comments.tree(of: post.id)
    #expect(tree.map(\.comment.text) == ["first", "b", "deep", "a", "second"])
    #expect(tree.map(\.depth) == [0, 1, 2, 1, 0])
    #expect(world.comments.tree(of: World.user("Dag").id).isEmpty)
  }

  @Test func `comments form a tree of any depth`() async throws {
    let world = try await World()
    let post = try await world.post("tea")
    var thread: [Comment] = []
    for number in 0..<5_000 {
      thread.append(
        Comment(
          text: "\(number)", author: world.ann.ref, post: post.ref, parent: thread.last?.ref,
          createdAt: day(Double(number))))
    }
    try await world.comments.create(contentsOf: thread)
    #expect(world.comments.tree(of: post.id).map(\.depth) == Array(0..<5_000))
    #expect(try await world.comments.deleteSubtree(thread[1].id) == 4_999)
  }

  @Test func `a reply without its comment begins a branch`() async throws {
    let world = try await World()
    let (post, first, _) = try await discussion(world)
    let rest = world.comments.fetch(Comment.on(post.id).where { $0.id != first.id })
    #expect(CommentTree(rest).map(\.comment.text) == ["b", "deep", "a", "second"])
    #expect(CommentTree(rest).map(\.depth) == [0, 1, 0, 0])
  }

  @Test func `a comment is deleted with all replies below it`() async throws {
    let world = try await World()
    let (post, first, b) = try await discussion(world)
    #expect(try await world.comments.deleteSubtree(b.id) == 2)
    #expect(world.comments.tree(of: post.id).map(\.comment.text) == ["first", "a", "second"])
    #expect(try await world.comments.deleteSubtree(b.id) == 0)
    #expect(try await world.comments.deleteSubtree(first.id) == 2)
    #expect(world.comments.tree(of: post.id).map(\.comment.text) == ["second"])
  }

  @Test func `comments are counted for each post`() async throws {
    let world = try await World()
    let post = try await discussion(world).post
    let (trains, silent) = (try await world.post("trains"), try await world.post("silent"))
    _ = try await world.comment("Well", on: trains, day: 1)
    #expect(world.comments.count(on: post.id) == 5)
    #expect(world.comments.count(on: silent.id) == 0)
    #expect(world.comments.countByPost() == [post.ref: 5, trains.ref: 1])
  }
}
