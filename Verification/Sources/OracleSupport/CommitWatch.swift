import LiveStore

/// A reader of every commit.
final class CommitWatch: Watching {
  private let timeline: Timeline
  private var version: UInt64
  private var commits: LiveValues<Commit>.Iterator
  let text: String

  init(_ store: Store, _ timeline: Timeline) {
    self.timeline = timeline
    version = timeline.version
    commits = store.commits(after: store.version).makeAsyncIterator()
    text = "commits(after: \(version))"
  }

  func pause() {}
  func resume() {}
  func end() { version = .max }

  func verify() async throws {
    guard version != .max else { return }
    while version < timeline.version {
      guard let commit = try await commits.next() else { throw Finding(description: "\(text) ended") }
      version += 1
      if commit.version.number != version {
        throw Finding(description: "\(text) gives version \(commit.version), not \(version)")
      }
      if commit.origin != timeline.origin(of: version) {
        throw Finding(description: "\(text): the origin of version \(version) is \(commit.origin ?? "nil")")
      }
      if commit.before.version.number != version - 1 || commit.after.version.number != version {
        throw Finding(
          description:
            "\(text): version \(version) is from \(commit.before.version) to \(commit.after.version)")
      }
      var count = try check(commit, Team.self)
      count += try check(commit, Tag.self)
      count += try check(commit, User.self)
      count += try check(commit, Post.self)
      count += try check(commit, Comment.self)
      if count != commit.changeCount {
        throw Finding(
          description:
            "\(text): version \(version) has \(count) changes, changeCount is \(commit.changeCount)")
      }
    }
  }

  /// Compares a commit's changes of an entity with the model's, and returns how many it gives.
  private func check<Element: ModelEntity>(_ commit: Commit, _: Element.Type) throws -> Int {
    guard let before = timeline[version - 1], let after = timeline[version] else { return 0 }
    let (old, new) = (before[keyPath: Element.table], after[keyPath: Element.table])
    let changes = commit.changes(of: Element.self)
    var received: Set<Canon> = []
    for change in changes {
      guard let id = (change.new ?? change.old)?.id.canon else {
        throw Finding(description: "\(text): an empty change")
      }
      if !received.insert(id).inserted {
        throw Finding(description: "\(text): version \(version) gives \(Element.name) \(id) twice")
      }
      if change.old?.values != old[id]?.values || change.new?.values != new[id]?.values {
        throw Finding(
          description: "\(text): version \(version) gives \(change), which is not what was written")
      }
    }
    let ids = Set(old.rows.map(\.id.canon)).union(new.rows.map(\.id.canon))
    for id in ids where old[id]?.values != new[id]?.values && !received.contains(id) {
      throw Finding(description: "\(text): version \(version) omits \(Element.name) \(id)")
    }
    return changes.count
  }
}
