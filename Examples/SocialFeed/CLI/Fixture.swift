import Foundation
import LiveStore
import SocialFeedCore

/// The users and posts with which the scenario starts.
struct Fixture {
  let ann: User
  let bea: User
  let cem: User
  let tea: Post
  let trains: Post
  let tides: Post
  let trees: Post

  /// Inserts everything into a store.
  init(_ feed: SocialFeed) async throws {
    let begin = Fixture.time(0)
    ann = User(name: "Ann", email: "ann@example.org", bio: "Reads more than she writes", joined: begin)
    bea = User(name: "Bea", email: "bea@example.org", joined: begin)
    cem = User(name: "Cem", email: "cem@example.org", joined: begin)
    try await feed.users.create(contentsOf: [ann, bea, cem])
    let tags = try await feed.tags.findOrCreate(["food", "travel"])
    tea = Fixture.post("Tea for Two", by: bea, minute: 1, tags: [tags[0].ref])
    trains = Fixture.post("Trains at Night", by: cem, minute: 2, tags: [tags[1].ref])
    tides = Fixture.post("Tides and Tables", by: bea, minute: 3, tags: [tags[1].ref])
    trees = Fixture.post("Crème of the Trees", by: cem, minute: 4, tags: [tags[0].ref, tags[1].ref])
    try await feed.posts.create(contentsOf: [tea, trains, tides, trees])
    try await feed.posts.publish(tea.id, at: Fixture.time(10))
  }

  /// A minute of the scenario, which starts at nine in the morning of a fixed day.
  static func time(_ minute: Int) -> Date { Date(timeIntervalSince1970: 1_767_603_600 + Double(minute) * 60) }

  private static func post(_ title: String, by author: User, minute: Int, tags: RefList<Tag>) -> Post {
    Post(
      slug: title.lowercased().replacingOccurrences(of: " ", with: "-"), title: title, author: author.ref,
      tags: tags, createdAt: time(minute))
  }
}
