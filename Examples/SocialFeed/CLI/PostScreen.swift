import Foundation
import LiveStore
import LiveStoreObservation
import Observation
import SocialFeedCore

/// A terminal view of a list of posts: lines that are drawn again when the model invalidates them.
@MainActor
package final class PostScreen {
  private let model: PostListModel
  private let others: SocialFeed
  private let fixture: Fixture
  private var minute = 20
  private var isStale = true
  private var message: String?

  /// A view of a model.
  ///
  /// - Parameter others: the feed to which another user writes at the same time, for the command `others`.
  init(_ model: PostListModel, others: SocialFeed, _ fixture: Fixture) {
    self.model = model
    self.others = others
    self.fixture = fixture
  }

  /// Prints the lines of the screen if anything in them has changed since they were drawn.
  package func draw(_ say: (String) -> Void) {
    guard isStale else { return }
    isStale = false
    let lines = withObservationTracking {
      self.lines
    } onChange: { [weak self] in
      // Models publish on the main actor.
      MainActor.assumeIsolated { self?.isStale = true }
    }
    for line in lines { say(line) }
  }

  private var lines: [String] {
    let elements = model.posts.elements
    let (published, all) = model.counts.values ?? (0, 0)
    var lines = ["", "Posts: \(all), published: \(published)"]
    if !model.searchText.isEmpty { lines[1] += ", searched for \"\(model.searchText)\"" }
    for (number, post) in elements.enumerated() {
      let author = elements.snapshot[post.author]?.name ?? "an unknown author"
      let mark =
        post.status == .published
        ? "\(post.likeCount) \(post.likeCount == 1 ? "like" : "likes")" : "\(post.status)"
      lines.append("  \(number + 1)  \(post.title), by \(author) (\(mark))")
    }
    if model.hasMore { lines.append("  …") }
    for section in model.sections.sections { lines.append("  \(section.key): \(section.count)") }
    if let problem = model.problem { lines.append("! \(problem)") }
    if let message { lines.append(message) }
    return lines
  }
}

// MARK: Commands

extension PostScreen {
  /// Performs the command in a line; false at the end.
  package func perform(_ line: String) -> Bool {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    message = nil
    isStale = true
    switch words.first {
    case "quit": return false
    case "search": model.searchText = rest
    case "more": model.posts.loadMore()
    case "new":
      model.create(at: now())
      save(title: rest)
    case "edit":
      let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
      withPost(parts.first) { model.edit($0) }
      if parts.count == 2 { save(title: parts[1]) }
    case "publish": withPost(rest) { model.publish($0, at: now()) }
    case "like": withPost(rest) { model.like($0) }
    case "delete": withPost(rest) { model.delete($0) }
    case "others": workBeside()
    default: message = Self.help
    }
    return true
  }

  private func save(title: String) {
    model.draft?.title = title
    model.save()
    if model.problem != nil {
      let problem = model.problem
      model.cancel()
      message = problem.map { "! \($0)" }
    }
  }

  private func withPost(_ number: String?, _ action: (Post.ID) -> Void) {
    let elements = model.posts.elements
    guard let number = number.flatMap({ Int($0) }), elements.indices.contains(number - 1) else {
      message = "! Say which post, by the number before it."
      return
    }
    action(elements[number - 1].id)
  }

  /// A write by another user, outside any model.
  private func workBeside() {
    do {
      try others.store.write(origin: "network") { tx in
        try tx.update(Post.published) { $0.likeCount += 10 }
        if let post = tx[Post.self, fixture.trains.id] {
          try tx.update(Post.self, post.id) { $0.publish(at: now()) }
        }
      }
    } catch {
      message = "! \(error.localizedDescription)"
    }
  }

  private func now() -> Date {
    minute += 1
    return Fixture.time(minute)
  }

  private static let help =
    "search WORDS, more, new TITLE, edit NUMBER TITLE, publish NUMBER, like NUMBER, delete NUMBER, others, quit"
}
