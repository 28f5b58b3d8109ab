import Foundation
import LiveStore
import LiveStoreObservation
import Observation
import TestSupport
import Testing

/// Values, sections, groups and models on other actors.
@MainActor @Suite struct LiveMembersTests {
  private func store(_ count: Int) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, rank: $0, group: $0 % 3) })
    }
    return store
  }

  @Test func `a live value is kept up to date, and reports only another value`() async throws {
    let store = try store(4)
    let total = LiveValue(store, Item.all.sum(\.rank), initial: .deferred)
    #expect(total.value == nil && total.isLoading)
    try await store.settled()
    #expect(total.value == 6)
    let reader = Invalidations { _ = total.value }
    try await store.write { tx in
      try tx.update(Item.self, 0) { $0.rank = 1 }
      try tx.update(Item.self, 1) { $0.rank = 0 }
    }
    try await store.settled()
    #expect(reader.count == 0)
    try await store.write { tx in try tx.insert(Item(9, rank: 100)) }
    try await store.settled()
    #expect(reader.count == 1 && total.value == 106)
    total.follow(Item.where { $0.rank > 50 }.sum(\.rank))
    try await store.settled()
    #expect(total.value == 100)
    let counts = LiveValue(store, Item.all.grouped(by: \.group).count, initial: .synchronous)
    #expect(counts.value?.map(\.value) == [3, 1, 1])
    var values = Observations { total.value }.makeAsyncIterator()
    #expect(await values.next() == 100)
    try await store.write { tx in try tx.insert(Item(10, rank: 51)) }
    #expect(await values.next() == 151)
  }

  @Test(.timeLimit(.minutes(10))) func `a group with a member that fails keeps nothing up to date`()
    async throws
  {
    for fails in ["at once", "later"] {
      let store = try store(4)
      let fail: () throws -> Void = {
        try store.write { tx in try tx.update(Item.self, 1) { $0.name = CostlyPattern.text } }
      }
      if fails == "at once" { try fail() }
      let sum = Item.all.sum(\.rank)
      let group = LiveSources(
        store, sum, Item.where { $0.rank > 1 }, Item.sorted(by: \.group).count, Item.failing,
        initial: .synchronous)
      _ = group.values
      if fails == "later" {
        try await store.settled()
        #expect(group.values?.0 == 6 && group.error == nil)
        group.pause()
        try fail()
        group.refresh()
        group.resume()
      }
      #expect(group.error?.code == StoreError.filterTooExpensive)
      #expect(store.metrics.liveQueries == 0)
      try await store.write { tx in try tx.insert(Item(50, rank: 50, score: 1)) }
      try await store.settled()
      #expect(store.metrics.liveQueries == 0 && store.metrics.lags.isEmpty)
      #expect(group.error != nil)
    }
  }

  @Test(.timeLimit(.minutes(10))) func `a model does not wait for a query that it followed before`()
    async throws
  {
    let store = try store(4)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = CostlyPattern.text } }
    let failing = LiveResults(store, Item.all)
    _ = failing.elements
    try await store.settled()
    failing.query = Item.failing
    _ = failing.elements
    try await store.settled()
    #expect(failing.error != nil)
    try await store.write { tx in try tx.insert(Item(50, rank: 50)) }
    try await store.settled()
    #expect(store.metrics.liveQueries == 0)
    let paused = LiveResults(store, Item.all)
    _ = paused.elements
    try await store.settled()
    paused.pause()
    paused.query = Item.where { $0.rank > 2 }
    _ = paused.elements
    try await store.write { tx in try tx.insert(Item(51, rank: 51)) }
    try await store.settled()
    paused.resume()
    try await store.settled()
    #expect(paused.elements.map(\.id) == [3, 50, 51])
    #expect(store.metrics.liveQueries == 1)
  }

  @Test func `live sections are kept up to date, element by element`() async throws {
    let store = try store(6)
    let sections = LiveSections(store, Item.sorted(by: \.rank).sectioned(by: \.group), initial: .deferred)
    #expect(sections.sections.isEmpty && sections.isLoading)
    try await store.settled()
    #expect(sections.sections.map(\.key) == [0, 1, 2])
    #expect(sections.sections[key: 1]?.map(\.id) == [1, 4])
    let element = Invalidations { _ = sections[id: 4] }
    var keys = Observations { sections.sections.map(\.key) }.makeAsyncIterator()
    #expect(await keys.next() == [0, 1, 2])
    try store.writeElsewhere { tx in try tx.update(Item.self, 0) { $0.group = 7 } }
    #expect(await keys.next() == [0, 1, 2, 7])
    #expect(sections.lastChange?.sectionInsertions == [3] && element.count == 0)
    try await store.write { tx in try tx.update(Item.self, 4) { $0.group = 2 } }
    try await store.settled()
    #expect(element.count == 1)
    sections.query = Item.where { $0.rank > 3 }.sectioned(by: \.group)
    try await store.settled()
    #expect(sections.sections.map(\.key) == [2])
  }

  @Test func `members of a group are of one version, and one event invalidates once`() async throws {
    let store = try store(4)
    let group = LiveSources(
      store, Item.where { $0.isDone == true }, Item.where { $0.isDone == false }, Item.all.count,
      initial: .deferred)
    #expect(group.values == nil)
    try await store.settled()
    let first = try #require(group.values)
    #expect(first.0.count == 0 && first.1.count == 4 && first.2 == 4)
    let reader = Invalidations { _ = group.values?.2 }
    try store.writeElsewhere { tx in
      try tx.update(Item.self, 2) { $0.isDone = true }
      try tx.insert(Item(9))
    }
    try await store.settled()
    let next = try #require(group.values)
    #expect(next.0.map(\.id) == [2] && next.1.map(\.id) == [0, 1, 3, 9] && next.2 == 5)
    #expect(next.0.version == next.1.version && group.version == store.version)
    #expect(reader.count == 1)
    #expect(group.lastChanges?.0.changes?.insertions == [0])
    var counts = Observations { group.values?.2 }.makeAsyncIterator()
    #expect(await counts.next() == 5)
    try await store.write { tx in try tx.insert(Item(10)) }
    #expect(await counts.next() == 6)
  }

  actor Feed {
    private let store: Store
    private lazy var items = LiveModel(
      store, Item.sorted(by: \.rank), initial: .deferred, isolation: self)

    init(_ store: Store) { self.store = store }

    func ids() -> [Int] { items.value?.map(\.id) ?? [] }
    func lastInsertions() -> [Int]? { items.lastChange?.changes?.insertions }
    func rename(_ id: Int) throws -> String? {
      try items.edit { tx in try tx.update(Item.self, id) { $0.name = "by the actor" } }
      return items.value?[id: id]?.name
    }
    func refreshed() -> [Int] {
      items.refresh()
      return ids()
    }
  }

  @Test func `a model serves any actor, and is released with it`() async throws {
    let store = try store(2)
    var feed: Feed? = Feed(store)
    weak let weakFeed = feed
    #expect(await feed?.ids() == [])
    try await store.settled()
    #expect(await feed?.ids() == [0, 1])
    try await store.write { tx in try tx.insert(Item(5, rank: -1)) }
    try await store.settled()
    #expect(await feed?.ids() == [5, 0, 1])
    #expect(await feed?.lastInsertions() == [0])
    #expect(try await feed?.rename(5) == "by the actor")
    #expect(await feed?.lastInsertions() == nil)
    try await store.write { tx in try tx.insert(Item(6, rank: -2)) }
    #expect(await feed?.refreshed() == [6, 5, 0, 1])
    feed = nil
    try await store.settled()
    #expect(weakFeed == nil)
    #expect(store.metrics.observers == 0)
  }

  @Test func `models leave nothing behind`() async throws {
    let store = try store(3)
    var value: LiveValue<Int>? = LiveValue(store, Item.all.count, initial: .synchronous)
    var object: LiveObject<Item>? = LiveObject(store, Item.self, 1)
    var sections: LiveSections<Item, Int>? = LiveSections(store, Item.all.sectioned(by: \.group))
    var group: LiveSources? = LiveSources(store, Item.all, Item.all.count)
    var draft: EditableCopy<Item>? = EditableCopy(of: Item(1), in: store)
    #expect(value?.value == 3 && object?.rank == 1 && draft?.isOutdated == true)
    _ = (sections?.sections, group?.values)
    try await store.settled()
    #expect(store.metrics.observers == 5)
    weak let weakValue = value
    weak let weakObject = object
    weak let weakSections = sections
    (value, object, sections, group, draft) = (nil, nil, nil, nil, nil)
    #expect(weakSections == nil && weakValue == nil && weakObject == nil)
    // A delivery that has been settled looks for more, and keeps what it observes until it has looked.
    let isLeft = await isReached { store.metrics.observers == 0 && store.metrics.liveQueries == 0 }
    #expect(isLeft)
  }

  /// What all kinds of models have in common.
  private struct Common {
    let pause, resume, refresh: @MainActor () -> Void
    let count: @MainActor () -> Int?
    let version: @MainActor () -> Version?
    let isLoading: @MainActor () -> Bool
    let error: @MainActor () -> StoreError?
  }

  /// A model of each kind; all count the items whose rank is above 0, of which the object may be one.
  private func models(_ store: Store, initial: InitialValue = .synchronous) -> [String: Common] {
    let query = Item.where { $0.rank > 0 }
    let value = LiveValue(store, query.count, initial: initial)
    let sections = LiveSections(store, query.sectioned(by: \.group), initial: initial)
    let group = LiveSources(store, query, query.count, initial: initial)
    let object = LiveObject(store, Item.self, 1, initial: initial)
    return [
      "value": Common(
        pause: { value.pause() }, resume: { value.resume() }, refresh: { value.refresh() },
        count: { value.value }, version: { value.version }, isLoading: { value.isLoading },
        error: { value.error }),
      "sections": Common(
        pause: { sections.pause() }, resume: { sections.resume() }, refresh: { sections.refresh() },
        count: { sections.isLoading ? nil : sections.sections.reduce(0) { $0 + $1.count } },
        version: { sections.version }, isLoading: { sections.isLoading }, error: { sections.error }),
      "group": Common(
        pause: { group.pause() }, resume: { group.resume() }, refresh: { group.refresh() },
        count: { group.values?.1 }, version: { group.version }, isLoading: { group.isLoading },
        error: { group.error }),
      "object": Common(
        pause: { object.pause() }, resume: { object.resume() }, refresh: { object.refresh() },
        count: { object.isLoading ? nil : object.object == nil ? 0 : 1 },
        version: { object.version }, isLoading: { object.isLoading }, error: { object.error }),
    ]
  }

  @Test func `models stay as they are while paused, and catch up on resuming or when asked to`() async throws
  {
    let store = try Store(Item.self)
    let models = models(store)
    for (name, model) in models { #expect(model.count() == 0 && !model.isLoading(), "\(name)") }
    for model in models.values { model.pause() }
    try await store.write { tx in try tx.insert(Item(1, rank: 1)) }
    try await store.settled()
    for (name, model) in models { #expect(model.count() == 0, "\(name)") }
    for model in models.values { model.resume() }
    try await store.settled()
    for (name, model) in models { #expect(model.count() == 1 && model.version() == store.version, "\(name)") }
    try await store.write { tx in _ = try tx.delete(Item.self, 1) }
    for (name, model) in models {
      model.refresh()
      #expect(model.count() == 0 && model.version() == store.version && model.error() == nil, "\(name)")
    }
  }

  @Test func `models of a store that is closed keep what they have and report it`()
    async throws
  {
    let store = try store(2)
    let (early, late) = (models(store), models(store, initial: .deferred))
    for (name, model) in early { #expect(model.count() == 1, "\(name)") }
    for model in late.values { _ = model.count() }
    store.close()
    for (name, model) in late {
      // They had begun to load: a value may still have come, and the error after it.
      while model.isLoading() || model.error() == nil { await Task.yield() }
      #expect(model.error()?.code == StoreError.closed, "\(name)")
    }
    try await store.settled()
    for (name, model) in early {
      #expect(model.count() == 1 && model.error()?.code == StoreError.closed, "\(name)")
    }
    for (name, model) in models(store) {
      _ = model.count()
      #expect(model.error()?.code == StoreError.closed && !model.isLoading(), "\(name)")
    }
  }
}

extension LiveMembersTests {
  private func filled(_ count: Int) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<count).map { Item($0, rank: $0, group: $0 % 3) }) }
    return store
  }

  /// Bug: the rows of the one were read as those of the other.
  @Test func `a model that follows a source of another kind has the change between their values`()
    async throws
  {
    let store = try filled(4)
    let model = LiveModel(store, Item.all.count, initial: .synchronous, isolation: MainActor.shared)
    _ = model.value
    model.follow(Item.all.sum(\.rank))
    try await store.settled()
    #expect(model.value == 6)
    guard case .change(old: 4, new: 6)? = model.lastChange else {
      Issue.record("\(model.lastChange as Any)")
      return
    }
    model.follow(Item.all.count)
    try await store.settled()
    guard case .change(old: 6, new: 4)? = model.lastChange else {
      Issue.record("\(model.lastChange as Any)")
      return
    }
    // Twice, before anything arrives.
    for _ in 0..<2 { model.follow(Item.all.sum(\.rank)) }
    try await store.settled()
    guard case .change(old: 4, new: 6)? = model.lastChange else {
      Issue.record("\(model.lastChange as Any)")
      return
    }
    let object = LiveModel(store, Item.object(1), initial: .synchronous, isolation: MainActor.shared)
    _ = object.value
    object.follow(Item.object(2))
    try await store.settled()
    guard case .initial(let item?)? = object.lastChange else {
      Issue.record("\(object.lastChange as Any)")
      return
    }
    #expect(item.id == 2 && object.value??.id == 2)
  }
}
