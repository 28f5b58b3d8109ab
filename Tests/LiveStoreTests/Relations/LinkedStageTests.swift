import LiveStore
import TestSupport
import Testing

/// Sections, groups, distinct rows and lists over links follow random scenarios as evaluated again, by the law,
/// for every observer: of each commit, of several as one, or of all but those of an origin.
@Suite struct `Stages over links` {
  private static func observers(_ store: Store, _ mode: DeliveryMode) -> [any StageObserver] {
    let list = Topic.linked(from: \Article.topics, of: 1)
    let follows = Writer.linked(from: \Writer.follows, of: 1)
    let byLikes = Article.sorted(by: \.likes, .descending)
    let byName = Article.sorted(by: \.author.name, .descending)
    return [
      StageRows(store, Article.all.distinct(by: \.author.name), mode),
      StageRows(store, byLikes.distinct(by: \.author).limit(3), mode),
      StageRows(
        store, byName.sorted(by: \.topics.count).limit(5).distinct(by: \.author.age).offset(1), mode),
      StageRows(
        store,
        Article.all.sorted(.descending) { $0.linking(\Reply.article).count }.limit(4)
          .where { $0.author.name != "a" }.sorted(by: \.author.name), mode),
      StageRows(store, list.distinct(by: \.weight), mode),
      StageRows(store, list.sorted(by: \.weight).distinct(by: \.name).limit(3), mode),
      StageRows(store, list.offset(1).limit(3).where { $0.linking(\Article.topics).count > 1 }, mode),
      StageRows(store, list.sorted(.descending) { $0.linking(\Article.topics).count }.limit(3), mode),
      StageRows(store, follows.sorted { $0.linking(\Article.author).count }.limit(2), mode),
      StageGroups(store, Article.all.grouped(by: \.author).max(\.likes), mode),
      StageGroups(store, Article.all.grouped(by: \.author.name).max(\.author.age), mode),
      StageGroups(store, byName.limit(4).grouped(by: \.author.age).count, mode),
      StageGroups(store, Article.all.distinct(by: \.author).grouped(by: \.likes).count, mode),
      StageGroups(store, list.limit(3).grouped(by: \.weight).max(\.name), mode),
      StageSections(store, Article.all.sectioned(by: \.author.name), mode),
      StageSections(store, byLikes.sorted(by: \.topics.count).sectioned(by: \.author.age), mode),
      StageSections(store, byName.limit(5).sectioned(by: \.likes), mode),
      StageSections(store, follows.sectioned(by: \.name), mode),
      StageSections(store, list.sectioned(by: \.weight), mode),
      StageSections(store, list.sorted(by: \.name, .descending).limit(4).sectioned(by: \.weight), mode),
    ]
  }

  private static func excluding(_ store: Store) -> [any StageObserver] {
    let list = Topic.linked(from: \Article.topics, of: 1)
    return [
      StageRows(store, list, excluding: ["x"]),
      StageRows(store, list.sorted(by: \.weight).limit(3), excluding: ["x"]),
      StageRows(
        store, list.sorted { $0.linking(\Article.topics).count }.distinct(by: \.weight), excluding: ["x"]),
      StageRows(store, Article.sorted(by: \.author.name).limit(4), excluding: ["x"]),
      StageRows(store, Article.all.distinct(by: \.author.name), excluding: ["x"]),
    ]
  }

  @Test(.timeLimit(.minutes(10))) func `observers of stages over links receive what differs`() async throws {
    for seed in Seeds.forSuite(1) {
      var random = SplitMix64(seed: seed)
      let store = try makeSocialStore()
      try await store.write { tx in
        for id in 1...4 { try tx.insert(Writer(id: id, name: "a", age: id % 2)) }
        for id in 1...5 { try tx.insert(Topic(id: id, name: "t\(id)", weight: id % 3)) }
        for id in 1...6 {
          try tx.insert(Article(id: id, title: "", author: Ref(id % 4 + 1), topics: [1, 2, 1]))
        }
      }
      let (live, every) = (Self.observers(store, .latest), Self.observers(store, .everyCommit))
      let (lazy, excluding) = (Self.observers(store, .latest), Self.excluding(store))
      for step in 0..<Environment.size(15, thorough: 60) {
        for observer in lazy { observer.setPaused(step % 5 != 4) }
        for observer in excluding { observer.setPaused(random.chance(1, in: 2)) }
        try await store.write(origin: step % 3 == 0 ? "x" : nil) { tx in
          for _ in 0..<random.int(1...4) { try tell(tx, &random) }
        }
        try await store.settled()
        let snapshot = store.snapshot()
        for observer in live + every + (step % 5 == 4 ? lazy : []) {
          if let breach = observer.breach(at: snapshot) { Issue.record("seed \(seed), \(step): \(breach)") }
        }
        for observer in excluding {
          if let breach = observer.breach(at: nil) { Issue.record("seed \(seed), \(step): \(breach)") }
        }
      }
    }
  }
}

/// Some edit.
private func tell(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64, isNested: Bool = false) throws
{
  let (article, writer, topic) = (random.int(1...8), random.int(1...4), random.int(1...5))
  let list = tx[Article.self, 1]?.topics
  switch random.int(0...11) {
  case 0...1:
    let topics = (0..<random.int(0...5)).map { _ in random.int(1...5) }.filter { tx[Topic.self, $0] != nil }
    let author = tx[Writer.self, writer]?.ref
    try tx.upsert(
      Article(
        id: article, title: "", likes: random.int(0...3), author: random.chance(1, in: 5) ? nil : author,
        topics: RefList(ids: topics)))
  case 2: try tx.delete(Article.self, article)
  case 3: try tx.delete(Writer.self, writer)
  case 4: try tx.upsert(Writer(id: writer, name: random.pick(["a", "b", "c"]), age: random.int(0...2)))
  case 5: try tx.upsert(Topic(id: topic, name: "t\(topic)", weight: random.int(0...2)))
  case 6 where tx[Article.self, article] != nil:
    try tx.upsert(Reply(id: random.int(1...6), article: Ref(article)))
  case 7:
    guard let list, list.count > 1 else { return }
    let (from, to) = (random.int(0...list.count - 1), random.int(0...list.count - 1))
    try tx.update(Article.self, 1) { $0.topics.move(from: from, to: to) }
  case 8 where tx[Topic.self, topic] != nil:
    guard let list else { return }
    let place = random.int(0...list.count)
    try tx.update(Article.self, 1) { $0.topics.insert(Ref(topic), at: place) }
  case 9 where tx[Writer.self, 1] != nil:
    let ids = (1...4).filter { tx[Writer.self, $0] != nil && random.chance(1, in: 2) }
    try tx.update(Writer.self, 1) { $0.follows = RefSet(ids: ids) }
  case 10:
    // Gone and back in one go, with all its places or with none.
    guard let old = tx[Topic.self, topic] else { return }
    let lists = tx.fetch(Article.all).map { ($0.id, $0.topics) }
    try tx.delete(Topic.self, topic)
    try tx.insert(old)
    if random.chance(1, in: 3) { return }
    for (id, topics) in lists { try tx.update(Article.self, id) { $0.topics = topics } }
  case 11 where !isNested:
    try? tx.savepoint { tx in
      for _ in 0..<3 { try tell(tx, &random, isNested: true) }
      if random.chance(1, in: 2) { throw CancellationError() }
    }
  default: break
  }
}
