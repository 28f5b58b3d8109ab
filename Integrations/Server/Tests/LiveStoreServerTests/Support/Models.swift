import Foundation
import LiveStore
import LiveStoreServer

struct Author: Entity, Codable {
  let id: Int
  var name: String
  static let schema = Schema<Author> { \.name }
}

struct Post: Entity, Codable {
  let id: Int
  var title: String
  var likeCount = 0
  var secret = ""
  var author: Ref<Author>?
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
    \.secret
    Relation(\.author, onDelete: .nullify)
  }
}

extension Post {
  /// What a client gets of a post that is exposed with its title, likes and author's name.
  func shown(in snapshot: Snapshot) -> JSONValue {
    let name = author.flatMap { snapshot[Author.self, $0.id] }?.name
    return [
      "title": .string(title), "likeCount": JSONValue(Int64(likeCount)),
      "author.name": name.map(JSONValue.string) ?? .null,
    ]
  }
}

/// A store with authors and posts.
func makeStore(posts: Int = 0, history: Int = 1_000) throws -> Store {
  var configuration = Store.Configuration()
  configuration.historyCommits = history
  let store = try Store(Author.self, Post.self, configuration: configuration)
  guard posts > 0 else { return store }
  try store.write { tx in
    for id in 1...3 { try tx.insert(Author(id: id, name: "Author \(id)")) }
    for id in 1...posts {
      try tx.insert(
        Post(id: id, title: "Post \(id)", likeCount: id * 10, secret: "hidden \(id)", author: Ref(id % 3 + 1))
      )
    }
  }
  return store
}
