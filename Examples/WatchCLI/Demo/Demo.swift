import LiveStore

/// The example that `--demo` shows: a small social feed that several tasks write at once, while the list of its
/// most popular posts is watched.
enum Demo {
  /// Runs the example, which ends by itself after about three seconds.
  ///
  /// - Parameter linger: called at the end, when everything has been shown.
  static func run(_ reporter: Reporter, linger: () throws(Exit) -> Void) async -> Exit {
    let store: Store
    do throws(StoreError) {
      store = try Store(Document.self)
    } catch {
      return Exit(error)
    }
    do {
      reporter.follow(Feed.popular, of: store, mode: .everyCommit)
      let token = store.observe(Feed.popular) { _ in reporter.update() }
      try await withThrowingTaskGroup { group in
        for user in Feed.users.indices { group.addTask { try await Feed.writePosts(as: user, in: store) } }
        for reader in 1...3 { group.addTask { try await Feed.likePosts(reader, in: store) } }
        group.addTask { try await Feed.moderate(store) }
        group.addTask { try await stopEarly(reporter) }
        // The check for an early end runs for ever; the others end by themselves.
        for _ in 1...Feed.users.count + 4 { try await group.next() }
        group.cancelAll()
      }
      try await store.settled()
      token.invalidate()
      try reporter.printTable()
      try linger()
      return reporter.failure ?? Exit(.success, summary(store.snapshot()))
    } catch let exit as Exit {
      return exit.summarized(summary(store.snapshot()))
    } catch {
      return Exit(.software, "\(error)")
    }
  }

  /// Throws after an interrupt, or when the output has no reader any more.
  private static func stopEarly(_ reporter: Reporter) async throws {
    while !Task.isCancelled {
      if Interrupts.isInterrupted { throw Interrupts.exit }
      if let failure = reporter.failure { throw failure }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func summary(_ snapshot: Snapshot) -> String {
    let posts = snapshot.fetch(Document.all)
    let likes = posts.reduce(0) { $0 + Feed.likes($1) }
    return """
      \(Feed.users.count) users wrote \(posts.count) posts, which got \(likes) likes, \
      in \(snapshot.version) transactions
      """
  }
}
