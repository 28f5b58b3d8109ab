import LiveStore

struct Author: Entity {
  let id: Int
  var name: String
  static let schema = Schema<Author> { \.name }
}

struct Tag: Entity {
  let id: Int
  var name: String
  static let schema = Schema<Tag> { \.name }
}

struct Post: Entity {
  let id: Int
  var date: Int
  var author: Ref<Author>?
  var tags: RefList<Tag>

  static let schema = Schema<Post> {
    \.date
    Relation(\.author, onDelete: .cascade)
    Relation(\.tags)
  }
}

extension Figures {
  /// Five tags a post, so that each of a thousand stands in about five posts of a thousand.
  static func blog(_ posts: Int, tags: Int = 1_000) async throws -> Store {
    let store = try Store(Author.self, Tag.self, Post.self)
    var random = SplitMix64(state: 4)
    try await store.write { tx in
      for id in 0..<tags { try tx.insert(Tag(id: id, name: "tag \(id)")) }
      for id in 0..<100 { try tx.insert(Author(id: id, name: "author \(id)")) }
      for id in 0..<posts {
        let own = (0..<5).map { Ref<Tag>((id + $0 * 199) % tags) }
        try tx.insert(
          Post(
            id: id, date: Int.random(in: 0..<1_000_000, using: &random), author: Ref(id % 100),
            tags: RefList(own)))
      }
    }
    return store
  }

  static func relations() async throws {
    try await renaming()
    try await tagging()
    try await cascading()
  }

  /// Renaming a tag against touching as many posts: the cost is that of the posts which hold it.
  static func renaming() async throws {
    let store = try await blog(100_000)
    let query = Post.where { $0.tags.contains { $0.name == "tag 7" } }.sorted(by: \.date)
    let (initial, changes) = try store.subscribe(query)
    var iterator = changes.makeAsyncIterator()
    let examined = store.metrics.linkedTests
    var (linked, own): ([Double], [Double]) = ([], [])
    for round in 0..<40 {
      let before = store.metrics.upkeepTime
      let name = round % 2 == 0 ? "other" : "tag 7"
      try await store.write { tx in try tx.update(Tag.self, 7) { $0.name = name } }
      guard case .update(_, let change)? = await iterator.next() else { fatalError("no update") }
      linked.append((store.metrics.upkeepTime - before) / .microseconds(1))
      precondition(change.deletions.count + change.insertions.count == initial.count)
    }
    let looked = (store.metrics.linkedTests - examined) / 40
    for _ in 0..<40 {
      let before = store.metrics.upkeepTime
      try await store.write { tx in try tx.update(query) { $0.date += 1 } }
      guard case .update? = await iterator.next() else { fatalError("no update") }
      own.append((store.metrics.upkeepTime - before) / .microseconds(1))
    }
    let ratio = median(linked) / median(own)
    report(
      "renaming a tag that \(initial.count) of 100000 posts hold",
      "upkeep \(format(median(linked), 0)) µs, \(looked) posts looked at; \(format(ratio)) times that of editing these posts (\(format(median(own), 0)) µs)",
      bound: "looked at = held", holds: looked == initial.count)
  }

  static func tagging() async throws {
    var costs: [Double] = []
    for count in [10_000, 1_000_000] {
      // As many posts a tag at either size.
      let store = try await blog(count, tags: count / 10)
      let (_, changes) = try store.subscribe(
        Post.where { $0.tags.contains { $0.name == "tag 7" } }.sorted(by: \.date))
      var iterator = changes.makeAsyncIterator()
      var random = SplitMix64(state: 5)
      var spent: [Double] = []
      let clock = ContinuousClock()
      for _ in 0..<400 {
        let id = Int.random(in: 0..<count, using: &random)
        if store.snapshot()[Post.self, id]?.tags.contains(7) ?? true { continue }
        let upkeep = store.metrics.upkeepTime
        let start = clock.now
        try await store.write { tx in try tx.update(Post.self, id) { $0.tags.append(7) } }
        let commit = (clock.now - start) / .microseconds(1)
        try await store.settled()
        spent.append(commit + (store.metrics.upkeepTime - upkeep) / .microseconds(1))
        guard case .update(_, let change)? = await iterator.next() else { fatalError("no update") }
        precondition(change.insertions.count == 1)
      }
      costs.append(median(spent))
    }
    report(
      "adding one tag to one of 1000000 posts against 10000",
      "\(format(costs[1] / costs[0])) times \(format(costs[0], 1)) µs", bound: "3",
      holds: costs[1] / costs[0] <= 3)
  }

  static func cascading() async throws {
    var costs: [Double] = []
    for count in [10_000, 100_000] {
      let store = try await blog(count)
      try await store.write { tx in try tx.update(Post.all) { $0.author = 1 } }
      let (_, changes) = try store.subscribe(Post.sorted(by: \.date))
      var iterator = changes.makeAsyncIterator()
      let clock = ContinuousClock()
      let version = store.version.number
      let start = clock.now
      try await store.write { tx in _ = try tx.delete(Author.self, 1) }
      costs.append((clock.now - start) / .milliseconds(1))
      guard case .update(_, let change)? = await iterator.next() else { fatalError("no update") }
      precondition(change.deletions.count == count && store.version.number == version + 1)
    }
    report(
      "deleting an author with 100000 posts by cascade against 10000",
      "\(format(costs[1] / costs[0])) times \(format(costs[0], 1)) ms", bound: "20",
      holds: costs[1] / costs[0] <= 20)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
