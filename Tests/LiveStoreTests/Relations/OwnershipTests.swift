import LiveStore
import TestSupport
import Testing

/// Owns others by every kind of link.
private struct Project: Entity, Hashable {
  struct Phase: Hashable, Sendable {
    var chores = RefList<Chore>()
    var lead: Ref<Chore>?
  }

  let id: Int
  var chores = RefList<Chore>()
  var team = RefSet<Chore>()
  var named = RefMap<Chore>()
  var detail: Ref<Chore>?
  var summary: Phase?
  var phases: [Phase] = []
  static let schema = Schema<Project> {
    Relation(\.chores, .owned)
    Relation(\.team, .owned)
    Relation(\.named, "byName", .owned)
    Relation(\.detail, .owned)
    Embedded(\.summary) {
      Relation(\.chores, .owned)
      Relation(\.lead, .owned)
    }
    Embedded(each: \.phases) {
      Relation(\.chores, .owned)
      Relation(\.lead, .owned)
    }
  }
}

/// Owns its like, so there are chains and cycles.
private struct Chore: Entity, Hashable {
  let id: Int
  var next: Ref<Chore>?
  var parts = RefList<Chore>()
  static let schema = Schema<Chore> {
    Relation(\.next, .owned)
    Relation(\.parts, .owned)
  }
}

/// Links to chores by each delete rule, and owns some that it will not lose.
private struct Watcher: Entity, Hashable {
  let id: Int
  var soft: Ref<Chore>?
  var list = RefList<Chore>()
  var hard: Ref<Chore>?
  var strict: Ref<Chore>?
  var kept = RefList<Chore>()
  static let schema = Schema<Watcher> {
    Relation(\.soft)
    Relation(\.list)
    Relation(\.hard, onDelete: .cascade)
    Relation(\.strict, onDelete: .restrict)
    Relation(\.kept, .owned, onDelete: .restrict)
  }
}

/// A part that cannot be without its whole, nor the whole without it.
private struct Engine: Entity, Hashable {
  let id: Int
  static let schema = Schema<Engine> {}
}

private struct Car: Entity, Hashable {
  let id: Int
  var engine: Ref<Engine>
  static let schema = Schema<Car> { Relation(\.engine, .owned, onDelete: .cascade) }
}

private struct Boat: Entity, Hashable {
  let id: Int
  var engine: Ref<Engine>
  static let schema = Schema<Boat> { Relation(\.engine, .owned) }
}

@Suite struct `Ownership` {
  private func makeStore(_ chores: some Sequence<Chore>, _ others: [Watcher] = []) throws -> Store {
    let store = try Store(Project.self, Chore.self, Watcher.self)
    try store.write { tx in
      try tx.insert(contentsOf: chores)
      try tx.insert(contentsOf: others)
    }
    return store
  }

  private func chores(_ store: Store) throws -> [Int] {
    #expect(try store.snapshot().breachOfTables() == nil)
    return store.snapshot().fetch(Chore.all).map(\.id)
  }

  /// One project for each kind of link, each owning chores 1 and, where there is room, 2.
  private static let kinds: [Project] = [
    Project(id: 0, chores: [1, 2, 1]), Project(id: 1, team: [1, 2]), Project(id: 2, named: ["a": 1, "b": 2]),
    Project(id: 3, detail: 1), Project(id: 4, summary: Project.Phase(chores: [2, 1])),
    Project(id: 5, summary: Project.Phase(lead: 1)),
    Project(
      id: 6, phases: [Project.Phase(chores: [2]), Project.Phase(), Project.Phase(chores: [1], lead: 2)]),
  ]

  @Test(arguments: 0..<7)
  func `owned objects are deleted with their owner, whatever the kind of link`(kind: Int) throws {
    let store = try makeStore((1...3).map { Chore(id: $0) })
    let project = Self.kinds[kind]
    let left = kind == 3 || kind == 5 ? [2, 3] : [3]
    try store.write { tx in try tx.insert(project) }
    try store.write { tx in
      try tx.delete(project)
      #expect(tx.fetch(Chore.all).map(\.id) == left)
    }
    #expect(try chores(store) == left)
  }

  @Test(arguments: 0..<7)
  func `a removed link leaves its target, and a deleted target leaves its owner`(kind: Int) throws {
    let store = try makeStore((1...3).map { Chore(id: $0) })
    try store.write { tx in try tx.insert(Self.kinds[kind]) }
    try store.write { tx in try tx.update(Project(id: kind)) }
    #expect(try chores(store) == [1, 2, 3])
    try store.write { tx in _ = try tx.delete(Project.self, kind) }
    #expect(try chores(store) == [1, 2, 3])
    try store.write { tx in
      try tx.insert(Self.kinds[kind])
      try tx.delete(Chore.self, 1)
      #expect(tx[Project.self, kind] != nil)
    }
    #expect(try chores(store) == [2, 3])
  }

  @Test func `an object of two owners is deleted with the first of them, and the other owner stays`() throws {
    let store = try makeStore((1...3).map { Chore(id: $0) })
    try store.write { tx in
      try tx.insert(contentsOf: [
        Project(id: 1, chores: [1, 2]), Project(id: 2, chores: [2, 3, 2], detail: 2),
      ])
    }
    try store.write { tx in _ = try tx.delete(Project.self, 1) }
    #expect(try chores(store) == [3])
    #expect(store[Project.self, 2] == Project(id: 2, chores: [3]))
  }

  @Test func `an owner that restricts keeps what it shares until its link is removed`() throws {
    let store = try makeStore([Chore(id: 1)], [Watcher(id: 1, kept: [1])])
    try store.write { tx in try tx.insert(Project(id: 1, chores: [1])) }
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Project.self, 1) }
    }
    #expect(error?.code == StoreError.deleteRestricted)
    #expect(error?.entity == "Watcher" && error?.property == "kept" && error?.value == "1")
    #expect(store.count(Project.all) == 1 && store.count(Chore.all) == 1)
    try store.write { tx in
      try tx.delete(Project.self, 1)
      try tx.update(Watcher.self, 1) { $0.kept = [] }
    }
    #expect(try chores(store) == [])
    // The restricting owner itself may go, and takes what it owns along.
    try store.write { tx in
      try tx.insert(Chore(id: 2))
      try tx.update(Watcher.self, 1) { $0.kept = [2] }
    }
    try store.write { tx in _ = try tx.delete(Watcher.self, 1) }
    #expect(try chores(store) == [])
  }

  @Test func `objects that link to an owned object follow their own delete rules`() throws {
    let store = try makeStore(
      [Chore(id: 1), Chore(id: 2)],
      [Watcher(id: 1, soft: 1, list: [1, 2, 1]), Watcher(id: 2, hard: 1), Watcher(id: 3, soft: 2)])
    try store.write { tx in try tx.insert(Project(id: 1, chores: [1])) }
    try store.write { tx in
      try tx.delete(Project.self, 1)
      #expect(tx.fetch(Watcher.all).map(\.id) == [1, 3])
    }
    #expect(store[Watcher.self, 1] == Watcher(id: 1, list: [2]))
    try store.write { tx in
      try tx.insert(Project(id: 1, chores: [2]))
      try tx.insert(Watcher(id: 4, strict: 2))
    }
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in _ = try tx.delete(Project.self, 1) }
    }
    #expect(error?.code == StoreError.deleteRestricted && error?.id == "4" && error?.value == "2")
    try store.write { tx in
      try tx.delete(Project.self, 1)
      try tx.delete(Watcher.self, 4)
    }
    #expect(try chores(store) == [])
    #expect(store.fetch(Watcher.all).map(\.id) == [1, 3])
  }

  @Test func `a whole and its only part are deleted together, from either end`() throws {
    let store = try Store(Engine.self, Car.self, Boat.self)
    try store.write { tx in
      try tx.insert(contentsOf: (1...4).map { Engine(id: $0) })
      try tx.insert(contentsOf: [Car(id: 1, engine: 1), Car(id: 2, engine: 2)])
      try tx.insert(Boat(id: 3, engine: 3))
    }
    try store.write { tx in _ = try tx.delete(Car.self, 1) }
    try store.write { tx in _ = try tx.delete(Engine.self, 2) }
    #expect(store.count(Car.all) == 0)
    #expect(store.fetch(Engine.all).map(\.id) == [3, 4])
    // A required reference restricts, but not its own owner.
    #expect(throws: StoreError.self) { try store.write { tx in _ = try tx.delete(Engine.self, 3) } }
    try store.write { tx in _ = try tx.delete(Boat.self, 3) }
    #expect(store.fetch(Engine.all).map(\.id) == [4])
  }

  @Test func `cycles and diamonds of owners are deleted once and as a whole, from any object`() throws {
    for start in 0..<5 {
      let store = try makeStore((0..<5).map { Chore(id: $0, next: Ref(($0 + 1) % 5), parts: [Ref($0), 3]) })
      try store.write { tx in
        expectTrue(try tx.delete(Chore.self, start))
        #expect(tx.count(Chore.all) == 0)
      }
      #expect(try chores(store) == [])
    }
    let store = try makeStore([
      Chore(id: 0, parts: [1, 2]), Chore(id: 1, parts: [3, 4]), Chore(id: 2, parts: [4, 3]), Chore(id: 3),
      Chore(id: 4, next: 0), Chore(id: 5, parts: [4, 6]), Chore(id: 6),
    ])
    try store.write { tx in expectTrue(try tx.delete(Chore.where { $0.id == 3 || $0.id == 1 }) == 2) }
    #expect(try chores(store) == [5, 6])
    #expect(store[Chore.self, 5]?.parts == [6])
  }

  @Test func `links without a target own nothing, and targets inserted afterwards stay`() throws {
    let store = try makeStore([])
    try store.write { tx in
      try tx.insert(Project(id: 1, chores: [7]))
      try tx.delete(Project.self, 1)
      try tx.insert(Chore(id: 7))
    }
    #expect(try chores(store) == [7])
  }

  @Test func `an undone savepoint restores owners and the objects that they own`() throws {
    struct Stop: Error {}
    let store = try makeStore((0..<10).map { Chore(id: $0, next: $0 == 9 ? nil : Ref($0 + 1)) })
    let before = Array(store.fetch(Chore.all))
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.delete(Chore.self, 3)
        #expect(tx.fetch(Chore.all).map(\.id) == [0, 1, 2])
        throw Stop()
      }
      #expect(Array(tx.fetch(Chore.all)) == before)
    }
    #expect(store.version.number == 1)
  }

  /// 5,000 in the usual run, 20,000 with `LIVESTORE_THOROUGH`, a million with `LIVESTORE_LONG`.
  @Test(.timeLimit(.minutes(10))) func `a chain of owners is followed to its end, however long`() throws {
    let length = Environment.isLong ? 1_000_000 : Environment.size(5_000, thorough: 20_000)
    let store = try makeStore([])
    try store.write { tx in
      for id in (0..<length).reversed() {
        try tx.insert(Chore(id: id, next: id == length - 1 ? nil : Ref(id + 1)))
      }
    }
    try store.write { tx in
      expectTrue(try tx.delete(Chore.self, 10))
      #expect(tx.count(Chore.all) == 10)
    }
    #expect(store.fetch(Chore.all).map(\.id).sorted() == Array(0..<10))
    #expect(store[Chore.self, 9]?.next == nil)
  }

  @Test(.timeLimit(.minutes(10))) func `ten thousand owned objects are deleted in one change set`()
    async throws
  {
    let count = Environment.size(1_000, thorough: 10_000)
    let store = try makeStore((0...count).map { Chore(id: $0) })
    try await store.write { tx in try tx.insert(Project(id: 1, chores: RefList(ids: 1...count))) }
    let observer = CheckedObserver<Chore>()
    let token = store.observe(Chore.all) { observer.receive($0) }
    try await store.settled()
    try await store.write { tx in _ = try tx.delete(Project.self, 1) }
    try await store.settled()
    #expect(observer.eventCount == 2 && observer.rows?.map(\.id) == [0] && observer.breaches == [])
    token.invalidate()
  }

  @Test func `an optimistic transaction deletes what the owner owns at its commit`() async throws {
    let store = try makeStore((1...4).map { Chore(id: $0) })
    try await store.write { tx in try tx.insert(Project(id: 1, chores: [1, 2])) }
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      try tx.delete(Project.self, 1)
      #expect(tx[Chore.self, 2] == nil)
      try await store.write { tx in try tx.update(Project.self, 1) { $0.chores = [2, 3] } }
    }
    #expect(runs == 1)
    #expect(try chores(store) == [1, 4])
  }
}
