import LiveStore
import TestSupport
import Testing

/// Random transactions on a graph of objects, against a model that does everything the slow way.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct `Graph oracle` {
  @Test(.timeLimit(.minutes(10))) func `objects, backlinks, indexes and errors are the model's`() async {
    var commits = 0
    var refusals = 0
    for seed in Seeds.forSuite(3, thorough: 10) {
      var run = GraphRun(seed: seed)
      do {
        try await run.go()
      } catch {
        Issue.record("seed \(seed), transaction \(run.step): \(error)")
        return
      }
      commits += run.commits
      refusals += run.refusals
    }
    #expect(commits > refusals / 4 && refusals > 0, "\(commits) commits, \(refusals) refused")
  }
}

private struct Undo: Error {}

/// A history: one store, one model.
private struct GraphRun {
  private let seed: UInt64
  private var random: SplitMix64
  private(set) var step = 0
  private(set) var commits = 0
  private(set) var refusals = 0
  /// The model within a transaction, and at the last commit.
  private var graph = Graph()
  private var committed = Graph()

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  mutating func go() async throws {
    let store = try Store(Citizen.self, Essay.self, Place.self)
    let told = store.commits(after: store.version)
    var feed = told.makeAsyncIterator()
    var kept: (snapshot: Snapshot, graph: Graph) = (store.snapshot(), Graph())
    for number in 0..<60 {
      step = number
      let version = store.version
      graph = committed
      var failure: (any Error)?
      do {
        try await store.write { tx in
          try run(tx, random.int(1...9), depth: 0)
          if random.chance(1, in: 12) { throw Undo() }
        }
      } catch { failure = error }
      try judge(failure, store, version)
      try compare(store.snapshot(), committed)
      try compare(kept.snapshot, kept.graph)
      if store.version != version {
        guard let commit = try await feed.next() else { throw Mismatch("no commit") }
        try require(commit.version == store.version, "the commit reported is \(commit.version)")
        try check(commit, from: kept.graph, \.citizens)
        try check(commit, from: kept.graph, \.places)
        try check(commit, from: kept.graph, \.essays)
      }
      kept = (store.snapshot(), committed)
    }
  }

  /// Whether the transaction ended as the model says; takes it over if it was kept.
  private mutating func judge(_ failure: (any Error)?, _ store: Store, _ version: Version) throws {
    if failure is Undo {
      try require(store.version == version, "a thrown body was kept")
      return
    }
    let violations = graph.violations(after: committed)
    if let failure {
      guard let error = failure as? StoreError else { throw failure }
      let told = GraphError(entity: error.entity, id: error.id, property: error.property, value: error.value)
      try require(
        violations.contains { $0.error == told && $0.codes.contains(error.code) },
        "\(error), but what is wrong is \(violations)")
      try require(store.version == version, "a refused transaction was kept")
      refusals += 1
      return
    }
    try require(violations.isEmpty, "not refused: \(violations)")
    try require((store.version == version) == (isSameButIgnored), "versions")
    if store.version != version { commits += 1 }
    committed = graph
  }

  /// Whether the model differs in ignored properties alone.
  private var isSameButIgnored: Bool {
    func plain(_ graph: Graph) -> Graph {
      var graph = graph
      graph.citizens = graph.citizens.map(\.listed)
      return graph
    }
    return plain(graph) == plain(committed)
  }

  // MARK: Steps

  private mutating func run(_ tx: borrowing WriteTransaction, _ count: Int, depth: Int) throws {
    for _ in 0..<count {
      switch random.int(0...13) {
      case 0...2: try insert(tx, random.pick(GraphKind.allCases))
      case 3, 4: try upsert(tx)
      case 5...8: try update(tx)
      case 9, 10: try delete(tx)
      case 11: try deleteSome(tx)
      case 12 where depth < 2:
        let before = graph
        let count = random.int(1...4)
        let isUndone = random.chance(1, in: 2)
        do {
          try tx.savepoint { tx in
            try run(tx, count, depth: depth + 1)
            if isUndone { throw Undo() }
          }
        } catch is Undo { graph = before }
      default:
        if random.chance(1, in: 12) {
          _ = try tx.deleteAll(Place.self)
          for id in graph.ids(.place) { graph.delete(.place, id) }
        }
      }
      try require(Array(tx.fetch(Citizen.all)) == graph.citizens, "citizens inside")
      try require(Array(tx.fetch(Place.all)) == graph.places, "places inside")
      try require(Array(tx.fetch(Essay.all)) == graph.essays, "essays inside")
    }
  }

  private mutating func insert(_ tx: borrowing WriteTransaction, _ kind: GraphKind) throws {
    let id = random.int(0...9)
    let isThere = graph.ids(kind).contains(id)
    do {
      switch kind {
      case .citizen:
        let object = citizen(id)
        try tx.insert(object)
        graph.citizens.append(object)
      case .place:
        let object = place(id)
        try tx.insert(object)
        graph.places.append(object)
      case .essay:
        let object = essay(id)
        try tx.insert(object)
        graph.essays.append(object)
      }
      try require(!isThere, "inserted twice")
    } catch StoreError.duplicateID { try require(isThere, "a duplicate that is none") }
  }

  private mutating func upsert(_ tx: borrowing WriteTransaction) throws {
    let id = random.int(0...9)
    switch random.pick(GraphKind.allCases) {
    case .citizen:
      let object = citizen(id)
      try tx.upsert(object)
      Self.put(object, in: &graph.citizens)
    case .place:
      let object = place(id)
      try tx.upsert(object)
      Self.put(object, in: &graph.places)
    case .essay:
      let object = essay(id)
      try tx.upsert(object)
      Self.put(object, in: &graph.essays)
    }
  }

  private static func put<Node: GraphNode>(_ object: Node, in objects: inout [Node]) {
    if let index = objects.firstIndex(where: { $0.id == object.id }) {
      objects[index] = object
    } else {
      objects.append(object)
    }
  }

  private mutating func update(_ tx: borrowing WriteTransaction) throws {
    let kind = random.pick(GraphKind.allCases)
    guard let id = graph.ids(kind).randomElement(using: &random) else { return }
    let value = random.int(0...4)
    let choice = random.int(0...6)
    switch kind {
    case .citizen:
      let other = citizen(id)
      try change(tx, id, in: \.citizens) { object in
        switch choice {
        case 0: object.boss = other.boss
        case 1: object.friends = other.friends
        case 2: object.home = other.home
        case 3: object.scratch = value
        case 4: object.friends.formUnion(other.friends)
        default: object.value = value
        }
      }
    case .place:
      let other = place(id)
      try change(tx, id, in: \.places) { object in
        if choice < 5 { object.near = other.near } else { object.value = value }
      }
    case .essay:
      let other = essay(id)
      let position = random.next()
      try change(tx, id, in: \.essays) { object in
        switch choice {
        case 0: object.author = other.author
        case 1: object.topics.append(contentsOf: other.topics)
        case 2 where !object.topics.isEmpty:
          object.topics.remove(at: Int(position % UInt64(object.topics.count)))
        case 3: object.parts = other.parts
        case 4: object.sources = other.sources
        case 5:
          object.roles = other.roles
          object.owner = other.owner
        default:
          object.value = value
          object.demanded = other.demanded
        }
      }
    }
  }

  private mutating func change<Node: GraphNode>(
    _ tx: borrowing WriteTransaction, _ id: Int, in objects: WritableKeyPath<Graph, [Node]>,
    _ edit: (inout Node) -> Void
  ) throws {
    guard let index = graph[keyPath: objects].firstIndex(where: { $0.id == id }) else { return }
    edit(&graph[keyPath: objects][index])
    try tx.update(Node.self, id) { edit(&$0) }
  }

  private mutating func delete(_ tx: borrowing WriteTransaction) throws {
    let kind = random.pick(GraphKind.allCases)
    let id = random.int(0...9)
    let wasThere = graph.ids(kind).contains(id)
    let isDeleted =
      switch kind {
      case .citizen: try tx.delete(Citizen.self, id)
      case .place: try tx.delete(Place.self, id)
      case .essay: try tx.delete(Essay.self, id)
      }
    try require(isDeleted == wasThere, "what deleting \(kind) \(id) returned")
    graph.delete(kind, id)
  }

  private mutating func deleteSome(_ tx: borrowing WriteTransaction) throws {
    let value = random.int(0...4)
    switch random.pick(GraphKind.allCases) {
    case .citizen:
      let ids = graph.citizens.filter { $0.value == value }.map(\.id)
      try require(try tx.delete(Citizen.where { $0.value == value }) == ids.count, "the number of citizens")
      for id in ids { graph.delete(.citizen, id) }
    case .place:
      let ids = graph.places.filter { $0.value == value }.map(\.id)
      try require(try tx.delete(Place.where { $0.value == value }) == ids.count, "the number of places")
      for id in ids { graph.delete(.place, id) }
    case .essay:
      let ids = graph.essays.filter { $0.value == value }.map(\.id)
      try require(try tx.delete(Essay.where { $0.value == value }) == ids.count, "the number of essays")
      for id in ids { graph.delete(.essay, id) }
    }
  }

  // MARK: Objects

  /// The id of an object that is there, mostly.
  private mutating func target(_ kind: GraphKind) -> Int {
    if random.chance(49, in: 50), let id = graph.ids(kind).randomElement(using: &random) { return id }
    return random.int(0...9)
  }

  private mutating func targets(_ kind: GraphKind, upTo count: Int) -> [Int] {
    if graph.ids(kind).isEmpty { return [] }
    return (0..<random.int(0...count)).map { _ in target(kind) }
  }

  private mutating func citizen(_ id: Int) -> Citizen {
    var citizen = Citizen(id: id, value: random.int(0...4), scratch: random.int(0...2))
    if random.chance(1, in: 3) { citizen.boss = Ref(target(.citizen)) }
    citizen.friends = RefSet(ids: targets(.citizen, upTo: 3))
    if random.chance(1, in: 2) {
      citizen.home = Citizen.Home(place: random.chance(1, in: 3) ? Ref(target(.place)) : nil)
    }
    return citizen
  }

  private mutating func place(_ id: Int) -> Place {
    var place = Place(id: id, value: random.int(0...4))
    for target in targets(.place, upTo: 3) { place.near["\(random.int(0...3))"] = Ref(target) }
    return place
  }

  private mutating func essay(_ id: Int) -> Essay {
    var essay = Essay(id: id, value: random.int(0...4), owner: Ref(target(.citizen)))
    if random.chance(1, in: 2) { essay.author = Ref(target(.citizen)) }
    essay.topics = RefList(ids: targets(.place, upTo: 5))
    if random.chance(1, in: 3) {
      for target in targets(.citizen, upTo: 2) { essay.roles["\(random.int(0...2))"] = Ref(target) }
    }
    if random.chance(1, in: 3) { essay.sources = RefList(ids: targets(.essay, upTo: 2)) }
    if random.chance(39, in: 40) { essay.demanded = Ref(target(.place)) }
    for _ in 0..<random.int(0...2) {
      var part = Essay.Part(places: RefSet(ids: targets(.place, upTo: 1)))
      if random.chance(1, in: 2), let id = targets(.essay, upTo: 1).first { part.next = Ref(id) }
      essay.parts.append(part)
    }
    return essay
  }

  // MARK: Checks

  private func compare(_ snapshot: Snapshot, _ graph: Graph) throws {
    try require(Array(snapshot.fetch(Citizen.all)) == graph.citizens, "citizens")
    try require(Array(snapshot.fetch(Place.all)) == graph.places, "places")
    try require(Array(snapshot.fetch(Essay.all)) == graph.essays, "essays")
    if let breach = try snapshot.breachOfTables() { throw Mismatch(breach) }
    let backlinks = graph.backlinks
    for id in 0...9 {
      let (person, place, essay) = (Ref<Citizen>(id), Ref<Place>(id), Ref<Essay>(id))
      func check<Node: GraphNode>(
        _ query: Query<Node>, _ source: GraphKind, _ property: String
      ) throws {
        let found = snapshot.fetch(query).map(\.id)
        let expected = backlinks[Graph.Backlink(source: source, property: property, target: id)] ?? []
        try require(found == expected, "\(source).\(property) to \(id): \(found), not \(expected)")
      }
      try check(Citizen.linking(to: person, by: \.boss), .citizen, "boss")
      try check(Citizen.linking(to: person, by: \.friends), .citizen, "friends")
      try check(Citizen.linking(to: place, by: \.home?.place), .citizen, "home.place")
      try check(Place.linking(to: place, by: \.near), .place, "near")
      try check(Essay.linking(to: person, by: \.author), .essay, "author")
      try check(Essay.linking(to: person, by: \.owner), .essay, "owner")
      try check(Essay.linking(to: place, by: \.topics), .essay, "topics")
      try check(Essay.linking(to: person, by: \.roles), .essay, "roles")
      try check(Essay.linking(to: essay, by: \.sources), .essay, "sources")
      try check(Essay.linking(to: place, by: \.demanded), .essay, "demanded")
      try check(Essay.linking(to: place, by: \.parts, each: \.places), .essay, "parts.places")
      try check(Essay.linking(to: essay, by: \.parts, each: \.next), .essay, "parts.next")
    }
  }

  /// Whether a commit reports every object that differs, and no other.
  private func check<Node: GraphNode>(
    _ commit: Commit, from before: Graph, _ objects: KeyPath<Graph, [Node]>
  ) throws {
    let old = Dictionary(uniqueKeysWithValues: before[keyPath: objects].map { ($0.id, $0) })
    let new = Dictionary(uniqueKeysWithValues: committed[keyPath: objects].map { ($0.id, $0) })
    var told: [Int: (old: Node?, new: Node?)] = [:]
    for change in commit.changes(of: Node.self) {
      // Deleted and inserted again is reported as both.
      if let object = change.old { told[object.id, default: (nil, nil)].old = object }
      if let object = change.new { told[object.id, default: (nil, nil)].new = object }
    }
    for id in Set(old.keys).union(new.keys) where old[id]?.listed != new[id]?.listed {
      try require(told[id]?.old == old[id] && told[id]?.new == new[id], "\(Node.self) \(id) is not reported")
    }
    for (id, change) in told {
      try require(change.old == old[id] && change.new == new[id], "\(Node.self) \(id) is reported wrong")
    }
  }
}
