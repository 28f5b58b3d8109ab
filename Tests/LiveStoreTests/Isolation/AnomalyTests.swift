import LiveStore
import Synchronization
import TestSupport
import Testing

/// The anomalies that distinguish isolation levels, by the names under which Hermitage (Martin Kleppmann) tests
/// databases for them, in each way to write. None of them may be seen.
///
/// Each transaction is a list of steps with their places in a common schedule. Rows are 1: 10 and 2: 20.
@Suite(.timeLimit(.minutes(10))) struct `Isolation anomalies` {
  struct Abort: Error {}

  private func open(_ mode: WriteMode) throws -> Interleaving {
    let store = try Store(Cell.self)
    try store.write { tx in try tx.insert(contentsOf: [Cell(id: 1, value: 10), Cell(id: 2, value: 20)]) }
    return Interleaving(store: store, mode: mode)
  }

  private func set(_ place: Int, _ id: Int, _ value: Int) -> Step {
    Step(place) { tx in try tx.upsert(Cell(id: id, value: value)) }
  }

  private func get(_ place: Int, _ id: Int, into seen: Recorder<Int?>) -> Step {
    Step(place) { tx in seen.append(tx[Cell.self, id]?.value) }
  }

  private func values(_ store: Store) -> [Int] { store.snapshot().fetch(Cell.all).map(\.value) }

  /// ```
  /// T1  set 1=11             set 2=21
  /// T2             set 1=12            set 2=22
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `G0: no dirty writes`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let (one, two) = await world.run([set(0, 1, 11), set(2, 2, 21)], [set(1, 1, 12), set(3, 2, 22)])
    #expect(one == nil && two == nil)
    #expect([[11, 21], [12, 22]].contains(values(world.store)))
  }

  /// ```
  /// T1  set 1=101            abort
  /// T2             get 1              get 1
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `G1a: no aborted reads`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let seen = Recorder<Int?>()
    let abort = Step(2) { _ in throw Abort() }
    let (one, two) = await world.run(
      [set(0, 1, 101), abort], [get(1, 1, into: seen), get(3, 1, into: seen), set(4, 2, 22)])
    #expect(one is Abort && two == nil)
    #expect(seen.events == [10, 10])
    #expect(values(world.store) == [10, 22])
  }

  /// ```
  /// T1  set 1=101            set 1=11
  /// T2             get 1              get 1
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `G1b: no intermediate reads`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let seen = Recorder<Int?>()
    let (one, two) = await world.run(
      [set(0, 1, 101), set(2, 1, 11)], [get(1, 1, into: seen), get(3, 1, into: seen), set(4, 2, 22)])
    #expect(one == nil && two == nil)
    #expect(!seen.events.contains(101))
    #expect(seen.events.suffix(2).first == seen.events.last)
  }

  /// ```
  /// T1  set 1=11             get 2
  /// T2             set 2=22           get 1
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `G1c: no circular information flow`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let (first, second) = (Recorder<Int?>(), Recorder<Int?>())
    let (one, two) = await world.run(
      [set(0, 1, 11), get(2, 2, into: first)], [set(1, 2, 22), get(3, 1, into: second)])
    #expect(one == nil && two == nil)
    // One of them saw nothing of the other.
    #expect([[20, 11], [22, 10]].contains([first.last ?? nil, second.last ?? nil]))
  }

  /// ```
  /// T1  set 1=11  set 2=19
  /// T2                       set 1=12             set 2=18
  /// T3                                  get 1, 2            get 2, 1
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `OTV: no observed transaction vanishes`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let store = world.store
    let seen = Mutex<[[Int?]]>([])
    let look = Step(2) { tx in
      try tx.upsert(Cell(id: 1, value: 12))
      let snapshot = store.snapshot()
      seen.withLock { $0.append([snapshot[Cell.self, 1]?.value, snapshot[Cell.self, 2]?.value]) }
    }
    let again = Step(3) { tx in
      try tx.upsert(Cell(id: 2, value: 18))
      let snapshot = store.snapshot()
      seen.withLock { $0.append([snapshot[Cell.self, 1]?.value, snapshot[Cell.self, 2]?.value]) }
    }
    let (one, two) = await world.run([set(0, 1, 11), set(1, 2, 19)], [look, again])
    #expect(one == nil && two == nil)
    let allowed = [[10, 20], [11, 19], [12, 18]]
    #expect(seen.withLock { $0 }.allSatisfy { pair in allowed.contains { $0 == pair.map { $0 ?? -1 } } })
    // What was seen stays seen.
    let orders = seen.withLock { $0 }.map { pair in allowed.firstIndex { $0 == pair.map { $0 ?? -1 } } ?? -1 }
    #expect(orders == orders.sorted())
    #expect([[12, 18], [11, 19]].contains(values(store)))
  }

  /// ```
  /// T1  where value == 30                where value % 3 == 0, set 2=21
  /// T2                      insert 3=30
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `PMP: no predicate has many preceders`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let seen = Recorder<[Int]>()
    func find(_ place: Int) -> Step {
      Step(place) { tx in seen.append(tx.fetch(Cell.where { $0.value >= 30 }).map(\.id)) }
    }
    let (one, two) = await world.run([find(0), find(2), set(3, 2, 21)], [set(1, 3, 30)])
    #expect(one == nil && two == nil)
    let last = seen.events.suffix(2)
    #expect(last.first == last.last)
    // An optimistic one whose predicate was met meanwhile has run again.
    if mode == .optimistic { #expect(seen.events == [[], [], [3], [3]]) }
  }

  /// ```
  /// T1  get 1             set 1=+1
  /// T2            get 1              set 1=+1
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `P4: no lost update`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    func increment(_ places: (Int, Int)) -> [Step] {
      let found = Mutex(0)
      return [
        Step(places.0) { tx in
          let value = tx[Cell.self, 1]?.value ?? 0
          found.withLock { $0 = value }
        },
        Step(places.1) { tx in try tx.upsert(Cell(id: 1, value: found.withLock { $0 } + 1)) },
      ]
    }
    let (one, two) = await world.run(increment((0, 2)), increment((1, 3)))
    #expect(one == nil && two == nil)
    #expect(values(world.store) == [12, 20])
  }

  /// ```
  /// T1  get 1                         get 2, set 3
  /// T2            set 1=12, set 2=18
  /// ```
  @Test(arguments: WriteMode.allCases)
  func `G-single: no read skew`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    let seen = Recorder<Int?>()
    let both = Step(1) { tx in
      try tx.upsert(Cell(id: 1, value: 12))
      try tx.upsert(Cell(id: 2, value: 18))
    }
    let (one, two) = await world.run([get(0, 1, into: seen), get(2, 2, into: seen), set(3, 3, 0)], [both])
    #expect(one == nil && two == nil)
    #expect([[10, 20], [12, 18]].contains(Array(seen.events.suffix(2))))
  }

  /// ```
  /// T1  get 1, 2             set 1=11
  /// T2             get 1, 2            set 2=21
  /// ```
  /// Each writes only if the sum it read is 30, so just one may.
  @Test(arguments: WriteMode.allCases)
  func `G2-item: no write skew on items`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    func raise(_ places: (Int, Int), _ id: Int) -> [Step] {
      let sum = Mutex(0)
      return [
        Step(places.0) { tx in
          let found = [1, 2].reduce(0) { $0 + (tx[Cell.self, $1]?.value ?? 0) }
          sum.withLock { $0 = found }
        },
        Step(places.1) { tx in
          if sum.withLock({ $0 }) == 30 { try tx.update(Cell.self, id) { $0.value += 1 } }
        },
      ]
    }
    let (one, two) = await world.run(raise((0, 2), 1), raise((1, 3), 2))
    #expect(one == nil && two == nil)
    #expect([[11, 20], [10, 21]].contains(values(world.store)))
  }

  /// ```
  /// T1  where value == 30              insert 3=30
  /// T2                     where value == 30          insert 4=30
  /// ```
  /// Each inserts only if it found none, so just one may.
  @Test(arguments: WriteMode.allCases)
  func `G2: no anti-dependency cycles over predicates`(_ mode: WriteMode) async throws {
    let world = try open(mode)
    func claim(_ places: (Int, Int), _ id: Int) -> [Step] {
      let isFree = Mutex(false)
      return [
        Step(places.0) { tx in
          let found = tx.count(Cell.where { $0.value == 30 }) == 0
          isFree.withLock { $0 = found }
        },
        Step(places.1) { tx in
          if isFree.withLock({ $0 }) { try tx.insert(Cell(id: id, value: 30)) }
        },
      ]
    }
    let (one, two) = await world.run(claim((0, 2), 3), claim((1, 3), 4))
    #expect(one == nil && two == nil)
    #expect(values(world.store) == [10, 20, 30])
  }
}
