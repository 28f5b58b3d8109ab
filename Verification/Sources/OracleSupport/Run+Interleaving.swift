import LiveStore

extension Run {
  /// An optimistic transaction, with a commit of others between what it reads and what it writes. All must be as if
  /// it had run alone after that commit.
  func interleave(_ random: inout Randomness) async throws {
    let before = timeline.newest
    let question = Post.menu.question(&random, palette, before)
    let user = before.users.any(&random)?.id ?? User.randomID(&random, palette)
    let post = before.posts.any(&random)?.id ?? Post.randomID(&random, palette)
    let other = Writer(before, random, palette)
    let count = 1 + random.below(3)
    note("optimistic: count \(question.text), read user \(user), then write post \(post); meanwhile {")
    var interfering: Writer?
    var attempts = 0
    let store = store
    do {
      try await store.transaction { tx in
        attempts += 1
        let count1 = tx.count(question.query)
        let name = tx[User.self, user]?.name ?? "none"
        if attempts == 1 {
          interfering = await Task { () -> Writer? in
            var writer = other
            return
              (try? await store.write { tx in
                try writer.run(tx, count: count)
                return writer
              })
          }.value
        }
        guard tx[Post.self, post] != nil else { return }
        try tx.update(Post.self, post) { object in
          object.likes = count1
          object.title = name
        }
      }
    } catch {
      throw Finding(description: "an optimistic transaction threw \(error)")
    }
    for line in interfering?.log ?? [] { note("  " + line) }
    note("} \(attempts) attempts")
    if attempts > 2 { throw Finding(description: "one commit of others made \(attempts) attempts") }
    if let interfering { advance(to: interfering.model, origin: nil) }
    let write: (Model) -> Model = { model in
      var model = model
      guard var object = model.posts[post] else { return model }
      object.likes = question.rows(model).count
      object.title = model.users[user]?.name ?? "none"
      model.put(object, edits: [])
      return model
    }
    // A transaction that writes nothing counts as one at its snapshot.
    if attempts > 1 || !write(before).isSame(as: before) { advance(to: write(timeline.newest), origin: nil) }
    try compareNewest()
  }
}
