import LiveStore
import TestSupport

/// A place with links of its own, where there is one.
struct Venue: Sendable, Hashable {
  var city = ""
  var host: Ref<Writer>?
  var guests = RefList<Writer>()
}

/// Holds its links in an optional nested value and in a map.
struct Meeting: Entity, Hashable {
  let id: Int
  var name = ""
  var venue: Venue?
  var board = RefMap<Writer>()

  static let plainSchema = Schema<Meeting> {
    \.name
    Embedded(\.venue) {
      Relation(\.host)
      Relation(\.guests)
    }
    Relation(\.board)
  }
}

extension ModelStore {
  /// An empty store of the entities of the random graphs.
  static func social(_ rules: ModelRules = ModelRules()) -> ModelStore {
    ModelStore(Writer.self, Topic.self, Article.self, Reply.self, Meeting.self, rules: rules)
  }

  /// What a snapshot holds.
  static func social(_ snapshot: Snapshot) -> ModelStore {
    var model = social()
    for writer in snapshot.fetch(Writer.all) { model.insert(writer) }
    for topic in snapshot.fetch(Topic.all) { model.insert(topic) }
    for article in snapshot.fetch(Article.all) { model.insert(article) }
    for reply in snapshot.fetch(Reply.all) { model.insert(reply) }
    for meeting in snapshot.fetch(Meeting.all) { model.insert(meeting) }
    return model
  }

  /// Whether the objects are the same, in the same order.
  func isSame(as other: ModelStore) -> Bool {
    writers == other.writers && topics == other.topics && articles == other.articles
      && replies == other.replies && meetings == other.meetings
  }

  var writers: [Writer] { rows() }
  var topics: [Topic] { rows() }
  var articles: [Article] { rows() }
  var replies: [Reply] { rows() }
  var meetings: [Meeting] { rows() }

  func writer(_ reference: Ref<Writer>?) -> Writer? {
    reference.flatMap { r in writers.first { $0.id == r.id } }
  }
  func topics(_ list: RefList<Topic>) -> [Topic] { list.compactMap { r in topics.first { $0.id == r.id } } }
}

/// An entity of the random graphs.
protocol Social: ModelEntity, Hashable {
  /// The values that filters and sorts use.
  static func operands(_ random: inout SplitMix64) -> [OperandCase<Self>]
  /// Conditions of other forms.
  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Self>]
  /// Paths that are tracked, and the values there.
  static var paths: [PathCase<Self>] { get }
  /// The paths that an observer of some properties gives, and what it is to receive.
  static var observed: ObservedPaths<Self> { get }
  /// An object, and what is in the names of linked values behind which are rows of its own table.
  static var sample: Self? { get }
  static var ownLinks: [String] { get }
  /// The listed properties that differ, by name.
  func differences(from other: Self) -> [String]
}

/// A store, and its tables at every version it had.
final class LinkedWorld {
  let store: Store
  private(set) var models: [Version: ModelStore] = [:]
  private(set) var versions: [Version] = []
  private(set) var origins: [Version: String] = [:]

  init(_ rules: ModelRules = ModelRules(), configuration: Store.Configuration = Store.Configuration()) throws
  {
    store = try Store(
      Writer.self, Topic.self, Article.self, Reply.self, Meeting.self, configuration: configuration)
    note(.social(rules), origin: nil)
  }

  var model: ModelStore { models[store.version] ?? .social() }
  var version: Version { store.version }

  func model(_ version: Version) throws -> ModelStore {
    guard let model = models[version] else { throw Mismatch("there is no version \(version)") }
    return model
  }

  /// Writes, and takes the tables of the version that this makes, if any.
  func run(origin: String? = nil, _ body: (borrowing WriteTransaction) throws -> Void) throws {
    let before = store.version
    do {
      try store.write(origin: origin) { tx in try body(tx) }
    } catch let error as StoreError where error.code == StoreError.uniqueViolation {
      try require(store.version == before, "a refused commit made a version")
      return
    }
    if store.version != before { note(.social(store.snapshot()), origin: origin) }
  }

  /// Takes note of the newest version.
  func note(_ model: ModelStore, origin: String?) {
    models[store.version] = model
    versions.append(store.version)
    origins[store.version] = origin
  }
}

/// Steps that random transactions are made of.
struct LinkedScript {
  static let names = ["ann", "Ben", "cyd", "dee", "éva", "aaaaaaaaé,", "aaaaaaaae\u{301}", "aaaaaaaaé"]
  static let texts = ["a", "b", "c", "aaaaaaaaé,", "aaaaaaaae\u{301}", "aaaaaaaaé"]
  static let topicNames = [
    "art", "bio", "code", "dance", "echo", "film", "gold", "hats", "aaaaaaaaé,", "aaaaaaaae\u{301}",
    "aaaaaaaaé",
  ]

  static func writer(_ id: Int, _ random: inout SplitMix64, _ writers: [Int]) -> Writer {
    Writer(
      id: id, name: random.pick(names), age: random.chance(1, in: 3) ? nil : random.int(1...4) * 10,
      follows: RefSet(random.some(of: writers + [id], upTo: 3).map { Ref($0) }))
  }

  static func article(_ id: Int, _ random: inout SplitMix64, _ writers: [Int], _ topics: [Int]) -> Article {
    Article(
      id: id, title: random.pick(texts), likes: random.int(0...4),
      author: writers.isEmpty || random.chance(1, in: 5) ? nil : Ref(random.pick(writers)),
      topics: RefList(ids: topics.isEmpty ? [] : random.some(of: topics, upTo: 3)))
  }

  static func meeting(_ id: Int, _ random: inout SplitMix64, _ writers: [Int]) -> Meeting {
    var meeting = Meeting(id: id, name: random.pick(texts))
    guard !writers.isEmpty else { return meeting }
    if random.chance(3, in: 4) {
      meeting.venue = Venue(
        city: random.pick(texts), host: random.chance(1, in: 3) ? nil : Ref(random.pick(writers)),
        guests: RefList(ids: random.some(of: writers, upTo: 2)))
    }
    for _ in 0..<random.int(0...2) { meeting.board[random.pick(texts)] = Ref(random.pick(writers)) }
    return meeting
  }

  static func fill(_ world: LinkedWorld, _ random: inout SplitMix64) throws {
    try world.run { tx in
      for id in 1...6 {
        try tx.insert(writer(id, &random, Array(1..<id)))
      }
      for id in 1...5 {
        try tx.insert(Topic(id: id, name: topicNames[id], weight: random.int(0...4)))
      }
      for id in 1...10 {
        try tx.insert(article(id, &random, Array(1...6), Array(1...5)))
      }
      for id in 1...12 {
        try tx.insert(reply(id, &random, Array(1...10), Array(1..<id)))
      }
      for id in 1...5 {
        try tx.insert(meeting(id, &random, Array(1...6)))
      }
    }
  }

  static func reply(_ id: Int, _ random: inout SplitMix64, _ articles: [Int], _ parents: [Int]) -> Reply {
    Reply(
      id: id, text: random.pick(texts), article: Ref(random.pick(articles)),
      parent: parents.isEmpty || random.chance(1, in: 3) ? nil : Ref(random.pick(parents)))
  }
}
