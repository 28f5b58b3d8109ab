import Foundation
import LiveStore
import LiveStoreObservation
import Observation
import SocialFeedCore
import TestSupport
import Testing

/// The view model, driven as a screen drives it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct `The model of a list of posts` {
  /// Counts how often what a frame reads is invalidated; each time the frame is read again.
  @MainActor private final class Frames {
    private let read: @MainActor () -> Void
    private(set) var invalidations = 0

    init(_ read: @escaping @MainActor () -> Void) {
      self.read = read
      draw()
    }

    private func draw() {
      withObservationTracking {
        read()
      } onChange: {
        MainActor.assumeIsolated { self.invalidations += 1 }
        Task { @MainActor in self.draw() }
      }
    }
  }

  private func filled() async throws -> (World, PostListModel) {
    let world = try await World()
    for number in 1...5 {
      _ = try await world.post("tea-\(number)", by: world.bea, likes: number, day: Double(number))
    }
    _ = try await world.draft("trains", by: world.cem, day: 6)
    return (world, PostListModel(world.feed, author: world.ann.id, pageSize: 4))
  }

  @Test func `the first frame of a model is complete`() async throws {
    let (_, model) = try await filled()
    #expect(model.posts.elements.map(\.slug) == ["trains", "tea-5", "tea-4", "tea-3"])
    #expect(model.sections.sections.map(\.key) == [.draft, .published])
    #expect(try #require(model.counts.values) == (5, 6))
    #expect(model.hasMore && model.problem == nil && model.draft == nil)
    model.posts.loadMore()
    #expect(model.posts.elements.count == 6 && !model.hasMore)
  }

  @Test func `a search narrows as one types, from results to results`() async throws {
    let (world, model) = try await filled()
    _ = (model.posts.elements, model.sections.sections)
    for text in ["t", "tr", "tra"] { model.searchText = text }
    #expect(model.posts.elements.count == 4)
    try await world.store.settled()
    #expect(model.posts.elements.map(\.slug) == ["trains"])
    #expect(model.sections.sections.map(\.key) == [.draft])
    #expect(model.posts.lastChange?.deletions == [1, 2, 3])
    model.searchText = "bea"
    try await world.store.settled()
    #expect(model.posts.elements.map(\.slug) == ["tea-5", "tea-4", "tea-3", "tea-2"])
    // An author's new name counts as well as a post's text.
    try await world.users.update(world.bea.id) { $0.name = "Béatrice" }
    try await world.users.update(world.cem.id) { $0.name = "Beat" }
    try await world.store.settled()
    #expect(model.posts.elements.map(\.slug) == ["trains", "tea-5", "tea-4", "tea-3"])
  }

  @Test func `a post is written, edited and deleted, and each change is shown at once`() async throws {
    let (world, model) = try await filled()
    let frames = Frames { _ = (model.posts.elements, model.counts.values?.1) }
    model.create(at: day(9))
    model.draft?.title = "New Things"
    model.save()
    #expect(model.draft == nil && model.problem == nil)
    #expect(model.posts.elements.first?.slug == "new-things")
    #expect(model.posts.elements.first?.author == world.ann.ref)
    #expect(model.counts.values?.1 == 7 && model.posts.lastChange == nil)
    #expect(frames.invalidations == 1)
    let id = try #require(model.posts.elements.first?.id)
    model.edit(id)
    model.draft?.title = "Newer Things"
    #expect(model.posts[id: id]?.title == "New Things")
    model.save()
    #expect(model.posts[id: id]?.title == "Newer Things")
    model.publish(id, at: day(9))
    model.like(id)
    #expect(model.posts[id: id]?.likeCount == 1)
    #expect(model.sections.sections[key: .published]?.first?.id == id)
    model.delete(id)
    #expect(model.posts[id: id] == nil && model.counts.values?.1 == 6 && model.problem == nil)
  }

  @Test func `a refused edit is a problem, and changes nothing`() async throws {
    let (world, model) = try await filled()
    let version = world.store.version
    model.create(at: day(9))
    model.save()
    #expect(model.problem == SocialError.empty(property: "title").errorDescription && model.draft != nil)
    model.draft?.title = "Tea 1"
    model.save()
    #expect(model.problem?.contains("tea-1") == true && model.draft?.isNew == true)
    model.cancel()
    #expect(model.problem == nil && model.draft == nil)
    model.like(model.posts.elements[0].id)
    #expect(model.problem == SocialError.notPublished(slug: "trains").errorDescription)
    model.delete(UUID())
    #expect(model.problem == SocialError.deleted.errorDescription)
    model.edit(UUID())
    #expect(model.problem == SocialError.deleted.errorDescription)
    #expect(world.store.version == version)
  }

  @Test func `another writer's edit of the same property is a conflict, and of another property is not`()
    async throws
  {
    let (world, model) = try await filled()
    let id = model.posts.elements[1].id
    model.edit(id)
    model.draft?.title = "Mine"
    try await world.posts.update(id) { $0.title = "Theirs" }
    model.save()
    #expect(model.problem?.contains("title") == true && model.draft?.title == "Mine")
    model.save(resolving: .keepDraft)
    #expect(model.posts[id: id]?.title == "Mine" && model.problem == nil)
    model.edit(id)
    model.draft?.title = "Mine again"
    try await world.posts.update(id) { $0.likeCount = 99 }
    model.save()
    #expect(model.posts[id: id]?.title == "Mine again" && model.posts[id: id]?.likeCount == 99)
  }

  @Test func `ten writes in one transaction invalidate a frame once, and a row by its own post alone`()
    async throws
  {
    let (world, model) = try await filled()
    let frame = Frames { _ = (model.posts.elements.map(\.title), model.counts.values?.0) }
    let id = model.posts.elements[2].id
    let row = Frames { _ = model.posts[id: id]?.title }
    let (author, date) = (world.ann.ref, day(0))
    try world.store.writeElsewhere { tx in
      for number in 10..<20 {
        try tx.insert(Post(slug: "p\(number)", title: "P", author: author, createdAt: date))
      }
      try tx.update(Post.where { $0.slug == "tea-5" }) { $0.title = "Other" }
    }
    try await world.store.settled()
    // The list and the counts are two observers of one commit; each is published once.
    #expect((1...2).contains(frame.invalidations) && row.invalidations == 0)
    #expect(model.posts.lastChange?.modifications.count == 1)
    #expect(model.counts.values?.1 == 16)
  }

  @Test func `a frame follows by itself, as an asynchronous sequence`() async throws {
    let (world, model) = try await filled()
    var titles = Observations { model.posts.elements.first?.title }.makeAsyncIterator()
    #expect(await titles.next() == "Trains")
    _ = try await world.draft("zebras", day: 8)
    #expect(await titles.next() == "Zebras")
  }
}
