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

/// All tables at one version as plain arrays in insertion order, and when each object was inserted.
struct Sheet {
  struct Key: Hashable {
    let type: ObjectIdentifier
    let id: Int
  }

  var writers: [Writer] = []
  var topics: [Topic] = []
  var articles: [Article] = []
  var replies: [Reply] = []
  var meetings: [Meeting] = []
  /// Grows with each insertion.
  var places: [Key: Int] = [:]

  init() {}

  init(_ snapshot: Snapshot) {
    writers = Array(snapshot.fetch(Writer.all))
    topics = Array(snapshot.fetch(Topic.all))
    articles = Array(snapshot.fetch(Article.all))
    replies = Array(snapshot.fetch(Reply.all))
    meetings = Array(snapshot.fetch(Meeting.all))
    place(writers, snapshot)
    place(topics, snapshot)
    place(articles, snapshot)
    place(replies, snapshot)
    place(meetings, snapshot)
  }

  /// Rows are numbered in the order of insertion.
  private mutating func place<E: Social>(_ objects: [E], _ snapshot: Snapshot) {
    let context = snapshot.state.context
    guard let table = context.catalog.index(of: E.self) else { return }
    for object in objects {
      places[E.key(object.id)] = (context.row(of: object.id, in: table, E.self)?.row).map { Int($0) }
    }
  }

  func writer(_ reference: Ref<Writer>?) -> Writer? {
    reference.flatMap { r in writers.first { $0.id == r.id } }
  }
  func article(_ reference: Ref<Article>?) -> Article? {
    reference.flatMap { r in articles.first { $0.id == r.id } }
  }
  func reply(_ reference: Ref<Reply>?) -> Reply? {
    reference.flatMap { r in replies.first { $0.id == r.id } }
  }
  func topics(_ list: RefList<Topic>) -> [Topic] { list.compactMap { r in topics.first { $0.id == r.id } } }
  func writers(_ list: some Sequence<Ref<Writer>>) -> [Writer] { list.compactMap { writer($0) } }
  func articles(by writer: Writer?) -> [Article] {
    writer.map { writer in articles.filter { $0.author == writer.ref } } ?? []
  }
  func articles(about topic: Topic) -> [Article] { articles.filter { $0.topics.contains(topic.ref) } }
  func replies(to article: Article?) -> [Reply] {
    article.map { article in replies.filter { $0.article == article.ref } } ?? []
  }
  func children(of reply: Reply) -> [Reply] { replies.filter { $0.parent == reply.ref } }
  func followers(of writer: Writer) -> [Writer] { writers.filter { $0.follows.contains(writer.ref) } }

  func place<E: Social>(_ object: E) -> Int { places[E.key(object.id)] ?? -1 }
}

/// An entity of the random graphs.
protocol Social: Entity, Hashable where ID == Int {
  static var rows: WritableKeyPath<Sheet, [Self]> { get }
  /// The values that filters and sorts use; what each is called when it is printed.
  static func operands(_ random: inout SplitMix64) -> [OperandCase<Self>]
  /// Conditions of other forms.
  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Self>]
  /// Paths that are tracked, and the values there.
  static var paths: [PathCase<Self>] { get }
  /// The paths that an observer of some properties gives, and what it is to be told.
  static var observed: ObservedPaths<Self> { get }
  /// An object, and what is in the names of linked values behind which are rows of its own table.
  static var sample: Self? { get }
  static var ownLinks: [String] { get }
  /// The listed properties that differ, by name.
  func differences(from other: Self) -> [String]
}

extension Social {
  static func key(_ id: Int) -> Sheet.Key { Sheet.Key(type: ObjectIdentifier(Self.self), id: id) }
}

/// A store, and its tables at every version it had.
final class LinkedWorld {
  let store: Store
  private(set) var sheets: [Version: Sheet] = [:]
  private(set) var versions: [Version] = []
  private(set) var origins: [Version: String] = [:]

  init(configuration: Store.Configuration = Store.Configuration()) throws {
    store = try Store(
      Writer.self, Topic.self, Article.self, Reply.self, Meeting.self, configuration: configuration)
    note(Sheet(store.snapshot()), origin: nil)
  }

  var sheet: Sheet { sheets[store.version] ?? Sheet() }
  var version: Version { store.version }

  func sheet(_ version: Version) throws -> Sheet {
    guard let sheet = sheets[version] else { throw Mismatch("there is no version \(version)") }
    return sheet
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
    if store.version != before { note(Sheet(store.snapshot()), origin: origin) }
  }

  /// Takes note of the newest version.
  func note(_ sheet: Sheet, origin: String?) {
    sheets[store.version] = sheet
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
