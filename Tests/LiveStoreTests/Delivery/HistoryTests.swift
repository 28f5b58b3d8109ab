import Dispatch
import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Every commit` {
  private func store(history: Int = 1_000, rows: Int = 100_000) throws -> Store {
    var configuration = Store.Configuration()
    configuration.historyCommits = history
    configuration.historyRows = rows
    return try Store(Item.self, configuration: configuration)
  }

  private func insert(_ ids: some Sequence<Int>, in store: Store) async throws {
    for id in ids { try await store.write(origin: "w\(id)") { tx in try tx.insert(Item(id)) } }
  }

  @Test func `commits after a version are given one by one, however late they are asked for`() async throws {
    let store = try store()
    try await insert(0..<10, in: store)
    var commits = store.commits(after: .number(4)).makeAsyncIterator()
    try await insert(10..<13, in: store)
    for number in 5...13 {
      let commit = try #require(try await commits.next())
      #expect(commit.version == .number(number))
      #expect(commit.origin == "w\(number - 1)")
      #expect(commit.changes(of: Item.self).map { $0.new?.id } == [number - 1])
      #expect(commit.after.version == commit.version)
      #expect(commit.before.version == .number(number - 1))
    }
  }

  @Test func `a loop over commits after the newest version waits for the next`() async throws {
    let store = try store()
    try await insert(0..<2, in: store)
    let received = Recorder<Version>()
    let task = Task {
      for try await commit in store.commits(after: store.version) { received.append(commit.version) }
    }
    try await insert(2..<4, in: store)
    // The task may have begun at any of these; the last is always delivered, once.
    var last = store.version
    while received.last != last {
      try await insert([Int(store.version.number) + 10], in: store)
      last = store.version
      await received.reached(received.count)
      await Task.yield()
    }
    let versions = received.events.map(\.number)
    #expect(versions == Array(versions[0]...(versions.last ?? 0)))
    task.cancel()
    try await task.value
  }

  @Test func `a commit that the history no longer has is historyTruncated, with the oldest start position`()
    async throws
  {
    let store = try store(history: 5)
    try await insert(0..<20, in: store)
    let error = try await #require(throws: StoreError.self) {
      for try await _ in store.commits(after: .number(3)) {}
    }
    #expect(error.code == StoreError.historyTruncated)
    let oldest = try #require(error.oldest)
    #expect(oldest == .number(15))
    var commits = store.commits(after: oldest).makeAsyncIterator()
    for number in 16...20 { #expect(try await commits.next()?.version == .number(number)) }
  }

  @Test func `a loop over commits that falls behind the history fails, and skips no commit silently`()
    async throws
  {
    let store = try store(history: 5)
    try await insert(0..<3, in: store)
    var commits = store.commits(after: .number(0)).makeAsyncIterator()
    #expect(try await commits.next()?.version == .number(1))
    try await insert(3..<20, in: store)
    var iterator = commits
    let error = await #expect(throws: StoreError.self) { while try await iterator.next() != nil {} }
    #expect(error?.code == StoreError.historyTruncated)
    commits = iterator
    #expect(try await commits.next() == nil)
  }

  @Test func `one large commit evicts others from the history, which counts rows too`() async throws {
    let store = try store(rows: 100)
    try await insert(0..<10, in: store)
    try await store.write { tx in try tx.insert(contentsOf: (1000..<1095).map { Item($0) }) }
    let error = await #expect(throws: StoreError.self) {
      for try await _ in store.commits(after: .number(0)) {}
    }
    #expect(error?.code == StoreError.historyTruncated)
    #expect(error?.oldest == .number(5))
  }

  @Test func `an observer of every commit receives each commit as an event of its own`() async throws {
    try await withWatchdog("every commit to a slow handler") {
      let store = try store()
      let inside = Signal()
      let leave = Signal()
      let recorder = Recorder<CollectionChange<Item>>()
      let observer = CheckedObserver<Item>()
      let queue = DispatchQueue(label: "slow")
      let token = store.observe(queue: queue, Item.where { $0.rank == 0 }, mode: .everyCommit) { change in
        if recorder.count == 0 {
          inside.send()
          leave.wait()
        }
        recorder.append(change)
        observer.receive(change)
      }
      await inside.arrival()
      try await insert(0..<10, in: store)
      try await store.write { tx in try tx.insert(Item(99, rank: 1)) }
      try await store.write { tx in try tx.insert(Item(100)) }
      try await store.write { tx in _ = try tx.delete(Item.self, 100) }
      leave.send()
      try await store.settled()
      #expect(recorder.events.map { $0.results?.count } == Array(0...10) + [11, 10])
      #expect(recorder.last?.results?.version == .number(13))
      #expect(observer.breaches == [])
      token.invalidate()
    }
  }

  @Test func `a sequence of every commit gives each commit as an element of its own`() async throws {
    let store = try store()
    var events = store.changes(of: Item.all, mode: .everyCommit).makeAsyncIterator()
    #expect(await events.next()?.results?.count == 0)
    try await insert(0..<5, in: store)
    for count in 1...5 {
      let change = try #require(await events.next()?.changes)
      #expect(change.insertions == [count - 1] && change.current.count == count)
    }
  }

  @Test func `a commit that an observer of every commit missed is historyTruncated, the last event`()
    async throws
  {
    let store = try store(history: 3)
    var events = store.changes(of: Item.all, mode: .everyCommit).makeAsyncIterator()
    #expect(await events.next()?.results?.count == 0)
    try await insert(0..<10, in: store)
    guard case .error(let error) = await events.next() else {
      Issue.record("no error")
      return
    }
    #expect(error.code == StoreError.historyTruncated)
    #expect(error.oldest == .number(7))
    try await insert(10..<12, in: store)
    #expect(await events.next() == nil)
  }

  /// The first commit's event is on its way to the actor when the observer pauses.
  @Test func `an observer of every commit receives on resuming what the pause held back`() async throws {
    let (store, actor, received) = (try self.store(), ManualActor(), Recorder<[Int]>())
    async let observing = actor.run { actor in
      store.observe(isolation: actor, Item.all, initial: .skip, mode: .everyCommit) { change in
        received.append(change.changes?.insertions ?? [])
      }
    }
    await actor.executor.run(1)
    let token = await observing
    try await insert([1], in: store)
    await actor.executor.arrival(2)
    token.pause()
    await actor.executor.run(2)
    try await insert([2], in: store)
    #expect(received.events.isEmpty)
    token.resume()
    await actor.executor.run(3)
    await actor.executor.run(4)
    #expect(received.events == [[0], [1]])
  }

  @Test func `every commit of an entity that the store does not have is unknownEntity, the only event`()
    async throws
  {
    let store = try store()
    var events = store.changes(of: Topic.all, mode: .everyCommit).makeAsyncIterator()
    guard case .error(let error)? = await events.next() else { throw Mismatch("no error") }
    #expect(error.code == StoreError.unknownEntity && error.entity == "Topic")
    #expect(await events.next() == nil)
  }

  @Test func `a commit describes itself by version and origin`() async throws {
    let store = try store()
    try await insert([7], in: store)
    var commits = store.commits(after: .number(0)).makeAsyncIterator()
    let commit = try #require(try await commits.next())
    #expect("\(commit)".contains("1 by w7"))
  }

  @Test func `an observer of the newest version does not need the history`() async throws {
    let store = try store(history: 0)
    var events = store.changes(of: Item.all).makeAsyncIterator()
    #expect(await events.next()?.results?.count == 0)
    try await insert(0..<10, in: store)
    #expect(await events.next()?.changes?.insertions == Array(0..<10))
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Memory beside a stopped observer` {
  /// Three observers that have stopped: a paused token, a handler that does not return, a loop that does not
  /// ask. Each holds the version it is at, and nothing in between.
  private func check(commits: Int) async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 10
    let store = try Store(Item.self, configuration: configuration)
    try await store.write { tx in try tx.insert(contentsOf: (0..<100).map { Item($0, rank: $0) }) }
    let query = Item.where { $0.rank >= 50 }.sorted(by: \.rank)
    let start = Array(store.snapshot().fetch(query))
    let paused = Recorder<CollectionChange<Item>>()
    let blocked = Recorder<CollectionChange<Item>>()
    let inside = Signal()
    let leave = Signal()
    let token = store.observe(query) { paused.append($0) }
    let blockedToken = store.observe(queue: DispatchQueue(label: "blocked"), query) { change in
      blocked.append(change)
      if blocked.count == 1 {
        inside.send()
        leave.wait()
      }
    }
    var events = store.changes(of: query).makeAsyncIterator()
    #expect(await events.next()?.results?.count == 50)
    await paused.reached(1)
    await inside.arrival()
    token.pause()
    for step in 0..<commits {
      let rank = (step * 37 + step / 100 + 1) % 100
      try await store.write { tx in _ = try tx.update(Item.self, step % 100) { $0.rank = rank } }
      // The newest, the observers' own, the history, and what upkeep is at, once it has caught up.
      if step % 1_000 == 999 { #expect(await isReached { store.metrics.versionsPinned <= 10 + 10 }) }
    }
    let behind = Int(store.version.number) - 1
    #expect(behind > commits * 9 / 10)
    #expect(store.metrics.lags.first == behind)
    token.resume()
    leave.send()
    try await store.settled()
    let merged = try #require(await events.next()?.changes)
    let expected = Array(store.snapshot().fetch(query))
    #expect(merged.previous.elementsEqual(start) && merged.current.elementsEqual(expected))
    for recorder in [paused, blocked] {
      #expect(recorder.count == 2)
      #expect(recorder.last?.changes?.previous.elementsEqual(start) == true)
      #expect(recorder.last?.results?.elementsEqual(expected) == true)
    }
    token.invalidate()
    blockedToken.invalidate()
  }

  @Test func `memory beside a stopped observer stays bounded over thousands of commits`() async throws {
    try await check(commits: Environment.size(4_000, thorough: 20_000))
  }

  @Test(.enabled(if: Environment.isLong, "LIVESTORE_LONG is not set"))
  func `memory beside a stopped observer stays bounded over 1,000,000 commits`() async throws {
    try await check(commits: 1_000_000)
  }
}
