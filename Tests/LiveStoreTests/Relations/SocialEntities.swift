import LiveStore

/// The domain of the relation tests: users write posts, posts have tags and comments, comments form trees.
struct Writer: Entity, Hashable {
  let id: Int
  var name: String
  var age: Int? = nil
  var follows = RefSet<Writer>()

  static let plainSchema = Schema<Writer> {
    \.name
    \.age
    Relation(\.follows)
    Inverse("articles", of: \Article.author)
  }
}

struct Topic: Entity, Hashable {
  let id: Int
  var name: String
  var weight = 0

  static let plainSchema = Schema<Topic> {
    Property(\.name, .unique)
    \.weight
  }
}

struct Article: Entity, Hashable {
  let id: Int
  var title: String
  var likes = 0
  var author: Ref<Writer>?
  var topics = RefList<Topic>()

  static let plainSchema = Schema<Article> {
    \.title
    Property(\.likes, .indexed)
    Relation(\.author)
    Relation(\.topics)
  }
}

struct Reply: Entity, Hashable {
  let id: Int
  var text = ""
  var article: Ref<Article>
  var parent: Ref<Reply>?

  static let plainSchema = Schema<Reply> {
    \.text
    Relation(\.article, onDelete: .cascade)
    Relation(\.parent, onDelete: .cascade)
  }
}

func makeSocialStore() throws -> Store { try Store(Writer.self, Topic.self, Article.self, Reply.self) }
