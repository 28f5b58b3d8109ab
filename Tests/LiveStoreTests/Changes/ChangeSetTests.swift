import LiveStore
import TestSupport
import Testing

@Suite struct ChangeSetTests {
  typealias T = Thing<WithIndexes>

  /// All orders of five things, from the ascending one and back, every subset of them modified beside.
  @Test func `every reordering of five things is described by the fewest moves`() async throws {
    let choices = MoveChoices()
    for (number, order) in permutations(of: [0, 1, 2, 3, 4]).enumerated() {
      let store = try Store(T.self)
      try await store.write { tx in
        for id in 0..<5 { try tx.insert(thing(id) { $0.level = id * 10 }) }
      }
      let query = T.sorted(by: \.level)
      var iterator = store.changes(of: query).makeAsyncIterator()
      guard case .initial(let start)? = await iterator.next() else { throw Mismatch("no .initial") }
      try await store.write { tx in
        for (place, id) in order.enumerated() { try tx.update(T.self, id) { $0.level = place * 10 } }
        if number % 3 == 0 { try tx.delete(T.self, number % 5) }
        if number % 2 == 0 { try tx.insert(thing(9) { $0.level = number % 50 }) }
      }
      let now = Array(store.snapshot().fetch(query))
      if ExpectedChange(Array(start), now).isEmpty { continue }
      guard case .update(_, let there)? = await iterator.next() else {
        throw Mismatch("no .update for \(order)")
      }
      try check(there, from: Array(start), to: now, choices: choices)
      try await store.write { tx in
        try tx.upsert(contentsOf: Array(start))
        try tx.delete(T.self, 9)
      }
      guard case .update(let end, let back)? = await iterator.next() else { throw Mismatch("no way back") }
      try check(back, from: now, to: Array(end), choices: choices)
      let both = there.followed(by: back)
      try check(both, from: Array(start), to: Array(end), choices: choices, mayBeEmpty: true)
    }
  }

  @Test func `three changes compose the same way from either end`() async throws {
    for seed in Seeds.forSuite(20) {
      var random = SplitMix64(seed: seed)
      let store = try Store(T.self)
      let query = T.where { $0.level >= 0 }.sorted(by: \.rank).sorted(by: \.score, .descending)
      var iterator = store.changes(of: query).makeAsyncIterator()
      _ = await iterator.next()
      var parts: [ChangeSet<T>] = []
      while parts.count < 3 {
        let before = Array(store.snapshot().fetch(query))
        try await store.write { tx in
          for _ in 0..<6 { try tx.upsert(random.thing(random.int(0...9), codes: [])) }
          try tx.delete(T.self, random.int(0...9))
        }
        if ExpectedChange(before, Array(store.snapshot().fetch(query))).isEmpty { continue }
        guard case .update(_, let changes)? = await iterator.next() else {
          throw Mismatch("seed \(seed): no .update")
        }
        parts.append(changes)
      }
      let left = parts[0].followed(by: parts[1]).followed(by: parts[2])
      let right = parts[0].followed(by: parts[1].followed(by: parts[2]))
      try requireEqual(left, right, "seed \(seed): from the left and from the right")
      try check(
        left, from: Array(parts[0].previous), to: Array(parts[2].current), choices: MoveChoices(),
        mayBeEmpty: true)
    }
  }

  /// Bug: the event's `previous` was the result at the last commit that concerned no observer, with values
  /// the observer had never been given.
  ///
  /// Cause: a step without a listed difference moved the cursor on.
  @Test func `previous is what an observer of some properties was last given, unlisted edits included`()
    async throws
  {
    let store = try Store(T.self)
    try await store.write { tx in try tx.insert(thing(1) { $0.name = "old" }) }
    let inbox = Inbox<CollectionChange<T>>()
    let token = store.observe(T.all, properties: [\.rank]) { inbox.put($0) }
    try await store.settled()
    try await store.write { tx in try tx.update(T.self, 1) { $0.name = "new" } }
    try await store.settled()
    #expect(inbox.drain().count == 1, "only .initial: the name is not listed")
    try await store.write { tx in try tx.update(T.self, 1) { $0.rank = 1 } }
    try await store.settled()
    let changes = try #require(inbox.drain().last?.changes)
    #expect(changes.previous.first?.name == "old")
    #expect(changes.modifications.first?.old.name == "old")
    token.invalidate()
  }

  /// The same for one object.
  @Test func `old is what an observer of some properties of an object was last given`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in try tx.insert(thing(1) { $0.name = "old" }) }
    let inbox = Inbox<ObjectChange<T>>()
    let token = store.observe(T.self, 1, properties: [\.rank]) { inbox.put($0) }
    try await store.settled()
    try await store.write { tx in try tx.update(T.self, 1) { $0.name = "new" } }
    try await store.settled()
    try await store.write { tx in try tx.update(T.self, 1) { $0.rank = 1 } }
    try await store.settled()
    guard case .change(let old, let new, _)? = inbox.drain().last else { throw Mismatch("no .change") }
    #expect(old.name == "old" && new.name == "new")
    token.invalidate()
  }

  /// Bug: unlisted differences came back as modifications.
  ///
  /// Cause: the two results were compared again, with all properties.
  @Test func `reversed and composed change sets keep to the properties that were asked for`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in try tx.insert(contentsOf: [thing(1), thing(2)]) }
    var iterator = store.changes(of: T.all, properties: [\.rank]).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in
      try tx.update(T.self, 1) { $0.name = "not listed" }
      try tx.update(T.self, 2) { $0.rank = 1 }
    }
    let first = try #require(await iterator.next()?.changes)
    #expect(first.modifications.map(\.newIndex) == [1])
    #expect(first.reversed.modifications.map(\.newIndex) == [1])
    try await store.write { tx in try tx.update(T.self, 2) { $0.rank = 2 } }
    let second = try #require(await iterator.next()?.changes)
    #expect(first.followed(by: second).modifications.map(\.newIndex) == [1])
  }

  @Test func `indices count from where the window begins`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (1...6).map { id in thing(id) { $0.rank = id * 10 } })
    }
    var iterator = store.changes(of: T.sorted(by: \.rank).offset(2).limit(3)).makeAsyncIterator()
    #expect(await iterator.next()?.results?.map(\.id) == [3, 4, 5])
    try await store.write { tx in try tx.update(T.self, 4) { $0.rank = 5 } }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.current.map(\.id) == [2, 3, 5])
    #expect(changes.deletions == [1] && changes.insertions == [0] && changes.moves.isEmpty)
  }

  @Test func `untouched rows that stand together count as many as they are`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (1...6).map { id in thing(id) { $0.rank = id * 10 } })
    }
    var iterator = store.changes(of: T.sorted(by: \.rank)).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in
      for id in 4...6 { try tx.update(T.self, id) { $0.rank = id } }
    }
    let forward = try #require(await iterator.next()?.changes)
    #expect(forward.current.map(\.id) == [4, 5, 6, 1, 2, 3])
    // Three against three: those that were not modified stay.
    #expect(forward.moves.map(\.id) == [4, 5, 6])
    try await store.write { tx in
      for id in 5...6 { try tx.update(T.self, id) { $0.rank = id * 10 } }
    }
    let back = try #require(await iterator.next()?.changes)
    #expect(back.current.map(\.id) == [4, 1, 2, 3, 5, 6])
    // Two against a run of three.
    #expect(back.moves.map(\.id) == [5, 6])
  }

  @Test func `the unmodified one of two rows that changed places stays`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (1...2).map { id in thing(id) { $0.rank = id * 10 } })
    }
    let start = store.snapshot()
    try await store.write { tx in
      try tx.update(T.self, 1) { $0.rank = 30 }
      try tx.update(T.self, 2) { $0.level = 99 }
    }
    // Touched, and as it was.
    let level = try #require(start[T.self, 2]).level
    try await store.write { tx in try tx.update(T.self, 2) { $0.level = level } }
    let query = T.sorted(by: \.rank)
    let changes = start.fetch(query).changes(to: store.snapshot().fetch(query))
    #expect(changes.modifications.map(\.id) == [1])
    #expect(changes.moves.map(\.id) == [1])
    #expect(changes.reversed.moves.map(\.id) == [1])
  }

  @Test func `a change set describes itself by its versions and indices`() async throws {
    let store = try Store(T.self)
    var iterator = store.changes(of: T.all).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in try tx.insert(contentsOf: [thing(1), thing(2)]) }
    let changes = try #require(await iterator.next()?.changes)
    #expect(changes.description.contains("0→1") && changes.description.contains("[0, 1]"), "\(changes)")
  }
}

/// A thing with some values of its own.
func thing(_ id: Int, _ edit: (inout Thing<WithIndexes>) -> Void = { _ in }) -> Thing<WithIndexes> {
  var thing = Thing<WithIndexes>(id)
  edit(&thing)
  return thing
}

/// All orders of some numbers.
private func permutations(of numbers: [Int]) -> [[Int]] {
  if numbers.count < 2 { return [numbers] }
  return numbers.indices.flatMap { index in
    var rest = numbers
    let first = rest.remove(at: index)
    return permutations(of: rest).map { [first] + $0 }
  }
}
