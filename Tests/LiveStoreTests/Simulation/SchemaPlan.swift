import LiveStore
import TestSupport

/// What the schemas of a simulated store say: which properties have indexes, and the rules of deletion.
struct SchemaPlan: Sendable, CustomStringConvertible {
  /// What the store that is being made is to have; nil for the schemas as they are written.
  @TaskLocal static var current: SchemaPlan?

  var indexed: Set<String> = []
  var unique: Set<String> = ["Topic.name"]
  /// By where the links are; what is not listed takes links away.
  var rules: [String: DeleteRule] = [:]
  /// Where the links are whose targets go with the object that holds them.
  var owned: Set<String> = []

  static let links = [
    "Writer.follows", "Article.author", "Article.topics", "Reply.article", "Reply.parent",
    "Meeting.venue.host",
    "Meeting.venue.guests", "Meeting.board",
  ]

  /// Those of lists, sets and maps.
  static let listing: Set = ["Writer.follows", "Article.topics", "Meeting.venue.guests", "Meeting.board"]

  init(_ random: inout SplitMix64) {
    let properties = [
      "Writer.name", "Writer.age", "Topic.weight", "Article.title", "Article.likes", "Reply.text",
      "Meeting.name",
    ]
    indexed = Set(properties.filter { _ in random.chance(1, in: 2) })
    unique = random.chance(1, in: 3) ? [] : ["Topic.name"]
    for link in Self.links {
      rules[link] = random.pick(
        Self.listing.contains(link)
          ? [.nullify, .nullify, .restrict] : [.nullify, .nullify, .cascade, .cascade, .restrict])
      if random.chance(1, in: 6) { owned.insert(link) }
    }
    // An article that must be there cannot be taken away.
    if rules["Reply.article"] == .nullify { rules["Reply.article"] = .cascade }
  }

  /// The same for the naive store.
  var modelRules: ModelRules { ModelRules(onDelete: rules, owned: owned, unique: unique) }

  func rule(_ link: String) -> DeleteRule { rules[link] ?? .nullify }

  func relation<Root, V: RelationValue>(
    _ keyPath: any WritableKeyPath<Root, V> & Sendable, _ link: String
  ) -> Relation<Root> {
    owned.contains(link)
      ? Relation(keyPath, .owned, onDelete: rule(link)) : Relation(keyPath, onDelete: rule(link))
  }

  func property<E: Entity, V: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<E, V> & Sendable, _ name: String
  ) -> Property<E> {
    unique.contains(name)
      ? Property(keyPath, .unique) : indexed.contains(name) ? Property(keyPath, .indexed) : Property(keyPath)
  }

  var description: String {
    let rules = rules.filter { $0.value != .nullify }.map { "\($0.key): \($0.value)" }.sorted()
    return "indexed \(indexed.sorted()), unique \(unique.sorted()), rules \(rules), owned \(owned.sorted())"
  }
}

extension Writer {
  static var schema: Schema<Writer> { SchemaPlan.current.map(schema) ?? plainSchema }

  private static func schema(_ plan: SchemaPlan) -> Schema<Writer> {
    Schema {
      plan.property(\.name, "Writer.name")
      plan.property(\.age, "Writer.age")
      plan.relation(\.follows, "Writer.follows")
      Inverse("articles", of: \Article.author)
    }
  }
}

extension Topic {
  static var schema: Schema<Topic> { SchemaPlan.current.map(schema) ?? plainSchema }

  private static func schema(_ plan: SchemaPlan) -> Schema<Topic> {
    Schema {
      plan.property(\.name, "Topic.name")
      plan.property(\.weight, "Topic.weight")
    }
  }
}

extension Article {
  static var schema: Schema<Article> { SchemaPlan.current.map(schema) ?? plainSchema }

  private static func schema(_ plan: SchemaPlan) -> Schema<Article> {
    Schema {
      plan.property(\.title, "Article.title")
      plan.property(\.likes, "Article.likes")
      plan.relation(\.author, "Article.author")
      plan.relation(\.topics, "Article.topics")
    }
  }
}

extension Reply {
  static var schema: Schema<Reply> { SchemaPlan.current.map(schema) ?? plainSchema }

  private static func schema(_ plan: SchemaPlan) -> Schema<Reply> {
    Schema {
      plan.property(\.text, "Reply.text")
      plan.relation(\.article, "Reply.article")
      plan.relation(\.parent, "Reply.parent")
    }
  }
}

extension Meeting {
  static var schema: Schema<Meeting> { SchemaPlan.current.map(schema) ?? plainSchema }

  private static func schema(_ plan: SchemaPlan) -> Schema<Meeting> {
    Schema {
      plan.property(\.name, "Meeting.name")
      Embedded(\.venue) {
        plan.relation(\.host, "Meeting.venue.host")
        plan.relation(\.guests, "Meeting.venue.guests")
      }
      plan.relation(\.board, "Meeting.board")
    }
  }
}
