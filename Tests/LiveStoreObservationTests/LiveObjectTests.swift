import LiveStore
import LiveStoreObservation
import Observation
import TestSupport
import Testing

private struct Order: Entity {
  let id: Int
  var lines: [String] = []

  static let schema = Schema<Order> { \.lines }
}

@MainActor @Suite struct LiveObjectTests {
  private func store() throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(Item(1, name: "one", rank: 10)) }
    return store
  }

  @Test func `a reader of a property is invalidated by this property alone`() async throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    let name = Invalidations { _ = object.name }
    let initial = Invalidations { _ = object.name?.first }
    let whole = Invalidations { _ = object.object }
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank += 1 } }
    try await store.settled()
    #expect(name.count == 0 && initial.count == 0 && whole.count == 1)
    #expect(object.rank == 11)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = "uno" } }
    try await store.settled()
    #expect(name.count == 1 && object.name == "uno")
  }

  @Test func `a computed property of a live object is compared`() async throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    let isHigh = Invalidations { _ = object.isHigh }
    #expect(object.isHigh == false)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 50 } }
    try await store.settled()
    #expect(isHigh.count == 0)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 500 } }
    try await store.settled()
    #expect(isHigh.count == 1 && object.isHigh == true)
  }

  @Test func `a live object is nil after a deletion and follows when the object is inserted again`()
    async throws
  {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    let name = Invalidations { _ = object.name }
    try await store.write { tx in _ = try tx.delete(Item.self, 1) }
    try await store.settled()
    #expect(object.object == nil && object.name == nil && name.count == 1)
    await Task.yield()
    try await store.write { tx in try tx.insert(Item(1, name: "again")) }
    try await store.settled()
    #expect(object.name == "again" && name.count == 2)
    #expect(object.id == 1)
  }

  /// Bug: a binding's key path with an index ended the process when a later value had no such index.
  ///
  /// Cause: every path that was ever read was read of each new value, to compare.
  @Test func `a binding into a list is not read of a list that is shorter`() async throws {
    let store = try Store(Order.self)
    try await store.write { tx in try tx.insert(Order(id: 1, lines: ["a", "b"])) }
    let object = LiveObject(store, Order.self, 1)
    let received = Recorder<Void>()
    withObservationTracking {
      _ = object[\.lines[1]]
    } onChange: {
      received.append(())
    }
    #expect(object[\.lines[1]] == "b")
    try await store.write { tx in try tx.update(Order.self, 1) { $0.lines = [] } }
    try await store.settled()
    #expect(received.count == 1 && object.lines == [])
  }

  @Test func `bindings write, and report errors`() throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    object[\.name] = "bound"
    object[\.rank, default: 0] += 5
    #expect(store.snapshot()[Item.self, 1] == Item(1, name: "bound", rank: 15))
    #expect(object.editError == nil)
    object[\.name] = nil
    #expect(object.name == "bound")
    #expect(try object.delete())
    #expect(object[\.name, default: "none"] == "none")
    object[\.name] = "too late"
    #expect((object.editError as? StoreError)?.code == StoreError.notFound)
    #expect(throws: StoreError.self) { try object.update { $0.rank = 0 } }
    #expect(try !object.delete())
  }

  /// Bug: `$post[\.title, default: ""]` did not compile, as no key path takes an autoclosure.
  @Test func `a binding may follow a key path`() throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    let name: ReferenceWritableKeyPath<LiveObject<Item>, String> = \.[\.name, default: "none"]
    let rank: ReferenceWritableKeyPath<LiveObject<Item>, Int?> = \.[\.rank]
    object[keyPath: name] = "bound"
    object[keyPath: rank] = 7
    #expect(object[keyPath: name] == "bound" && object[keyPath: rank] == 7)
    #expect(store.snapshot()[Item.self, 1] == Item(1, name: "bound", rank: 7))
    try object.delete()
    #expect(object[keyPath: name] == "none" && object[keyPath: rank] == nil)
  }

  @Test func `an object that is loaded in the background is reported to its readers`() async throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1, initial: .deferred)
    let name = Invalidations { _ = object.name }
    #expect(object.isLoading && object.name == nil)
    try await store.settled()
    #expect(name.count == 1 && object.name == "one" && !object.isLoading)
  }

  @Test func `Observations of a property skip what does not concern it`() async throws {
    let store = try store()
    let object = LiveObject(store, Item.self, 1)
    var names = Observations { object.name }.makeAsyncIterator()
    #expect(await names.next() == "one")
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 0 } }
    try await store.settled()
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = "two" } }
    #expect(await names.next() == "two")
  }
}

extension Item {
  fileprivate var isHigh: Bool { rank > 100 }
}
