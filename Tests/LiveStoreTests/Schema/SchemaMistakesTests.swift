import Foundation
import LiveStore
import TestSupport
import Testing

private struct Forgetful: Entity {
  let id: Int
  var name = ""
  var forgotten = 0
  static let schema = Schema<Forgetful> { \.name }
}

private struct Shouting: Entity {
  let id: Int
  var name = ""
  var shouted: String { name.uppercased() }
  static let schema = Schema<Shouting> {
    \.name
    \.shouted
  }
}

private struct NamedShouting: Entity {
  let id: Int
  var name = ""
  var shouted: String { name.uppercased() }
  static let schema = Schema<NamedShouting> {
    \.name
    Property(\.shouted, "shouted", .indexed)
  }
}

private struct Twice: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Twice> {
    \.name
    Property(\.name, .indexed)
  }
}

private struct OneNameForTwo: Entity {
  let id: Int
  var first = ""
  var last = ""
  static let schema = Schema<OneNameForTwo> {
    Property(\.first, "name")
    Property(\.last, "name")
  }
}

private final class Tally: Entity {
  let id: Int
  let count: Int
  static let schema = Schema<Tally> { \.count }

  init(id: Int, count: Int) {
    self.id = id
    self.count = count
  }
}

/// With gaps between properties, and one inside of another.
private struct Roomy: Entity {
  let id: Int8
  var flag = false
  var number = 0.5
  var place: Spot?
  var other = true
  static let schema = Schema<Roomy> {
    \.number
    \.flag
    \.place
    Ignored(\.other)
    Property(\.place?.x, .indexed)
  }
}

private struct Spot: Equatable, Sendable {
  var x: Int16 = 0
  var y = 0
}

private struct ListedAndIgnored: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<ListedAndIgnored> {
    \.name
    Ignored(\.name)
  }
}

private struct Empty: Equatable, Sendable {}

private struct Hollow: Entity {
  let id: Int
  var name = ""
  var empty = Empty()
  static let schema = Schema<Hollow> {
    \.name
    \.empty
  }
}

private struct HollowIgnored: Entity {
  let id: Int
  var name = ""
  var empty = Empty()
  static let schema = Schema<HollowIgnored> {
    \.name
    Ignored(\.empty, "empty")
  }
}

private struct HollowUnlisted: Entity {
  let id: Int
  var name = ""
  var empty = Empty()
  static let schema = Schema<HollowUnlisted> { \.name }
}

private struct OnlyEquatable: Equatable, Sendable { var value = 0 }

private struct Unorderable: Entity {
  let id: Int
  var key = OnlyEquatable()
  static let schema = Schema<Unorderable> { Property(\.key, .indexed) }
}

private struct UnorderableUnique: Entity {
  let id: Int
  var key = OnlyEquatable()
  static let schema = Schema<UnorderableUnique> { Property(\.key, .unique) }
}

private struct OnlyHashable: Hashable, Sendable { var value = 0 }

private struct ByHash: Entity {
  let id: Int
  var key = OnlyHashable()
  static let schema = Schema<ByHash> { Property(\.key, .unique) }
}

private struct Bare: Entity {
  let id: Int
  static let schema = Schema<Bare> {}
}

private struct Named: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Named> { \.name }
}

private final class Counter: Sendable {
  static func == (lhs: Counter, rhs: Counter) -> Bool { lhs === rhs }
}

private struct WithLazyParts: Entity {
  let id: Int
  var name = ""
  var unlisted: Int?
  var cache: [String: Counter] = [:]
  static let schema = Schema<WithLazyParts> {
    \.name
    Ignored(\.cache)
  }
}

@Suite struct `Mistakes in a schema` {
  /// The error of making a store.
  private func mistake(_ make: () throws(StoreError) -> Store) throws -> StoreError {
    let error = try #require(throws: StoreError.self) { _ = try make() }
    #expect(error.code == StoreError.invalidSchema)
    return error
  }

  @Test func `a stored property that is not listed is named at the first insert`() async throws {
    let store = try Store(Forgetful.self)
    let error = try await #require(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(Forgetful(id: 1)) }
    }
    #expect(error.code == StoreError.invalidSchema)
    #expect(error.property == "forgotten" || error.message.contains("forgotten"))
    #expect(error.entity == "Forgetful")
    #expect(store.version.number == 0)
    #expect(store.snapshot().fetch(Forgetful.all).isEmpty)
  }

  @Test func `the check is made by every way to add an object, and again after it failed`() async throws {
    let store = try Store(Forgetful.self)
    await #expect { try await store.write { tx in try tx.upsert(Forgetful(id: 1)) } } throws: {
      StoreError.invalidSchema ~= $0
    }
    await #expect { try await store.write { tx in try tx.insert(contentsOf: [Forgetful(id: 1)]) } } throws: {
      StoreError.invalidSchema ~= $0
    }
    await #expect { try await store.write { tx in try tx.upsert(contentsOf: [Forgetful(id: 1)]) } } throws: {
      StoreError.invalidSchema ~= $0
    }
    await #expect { try await store.write { tx in try tx.insert(Forgetful(id: 1)) } } throws: {
      StoreError.invalidSchema ~= $0
    }
    #expect(store.version.number == 0)
  }

  @Test func `a missing property is noticed whatever its value, nil too, beside ignored ones`() async throws {
    let store = try Store(WithLazyParts.self)
    let error = try await #require(throws: StoreError.self) {
      try await store.write { tx in try tx.insert(WithLazyParts(id: 1)) }
    }
    #expect(error.message.contains("unlisted") || error.property == "unlisted")
    #expect(!error.message.contains("cache"))
  }

  @Test func `a computed property has no name of its own`() throws {
    let error = try mistake { () throws(StoreError) in try Store(Shouting.self) }
    #expect(error.entity == "Shouting")
    #expect(error.message.contains("a computed property (property 2 of the schema, of type String)"))
    #expect(!error.message.contains("<computed"))
  }

  @Test func `a computed property with a name is a property like any other`() async throws {
    let store = try Store(NamedShouting.self)
    try await store.write { tx in
      try tx.insert(NamedShouting(id: 1, name: "a"))
      try tx.insert(NamedShouting(id: 2, name: "b"))
    }
    #expect(store.snapshot().fetch(NamedShouting.where { $0.shouted == "B" }).map(\.id) == [2])
    try await store.write { tx in _ = try tx.update(NamedShouting.self, 1) { $0.name = "c" } }
    #expect(store.snapshot().fetch(NamedShouting.where { $0.shouted == "C" }).map(\.id) == [1])
    #expect(store.snapshot().fetch(NamedShouting.where { $0.shouted == "A" }).isEmpty)
  }

  @Test func `a schema that lists a property twice is invalidSchema`() throws {
    let error = try mistake { () throws(StoreError) in try Store(Twice.self) }
    #expect(error.property == "name" || error.message.contains("name"))
  }

  @Test func `a schema with two properties of one name is invalidSchema`() throws {
    let error = try mistake { () throws(StoreError) in try Store(OneNameForTwo.self) }
    #expect(error.property == "name" || error.message.contains("name"))
  }

  @Test func `a schema that lists and ignores a property is invalidSchema`() throws {
    _ = try mistake { () throws(StoreError) in try Store(ListedAndIgnored.self) }
  }

  @Test func `an entity that is a class is invalidSchema`() {
    let error = #expect(throws: StoreError.self) { try Store(Tally.self) }
    #expect(error?.code == StoreError.invalidSchema && error?.entity == "Tally")
    #expect(error?.description.contains("struct") == true)
  }

  @Test func `mistakes in a schema are found without a store or an object, as far as they can be`() throws {
    try Store.validate(Roomy.self, Bare.self)
    try Store.validate(examples: Roomy(id: 1), Bare(id: 1))
    #expect(throws: StoreError.self) { try Store.validate(Tally.self) }
    #expect(throws: StoreError.self) { try Store.validate(Twice.self) }
    let missing = #expect(throws: StoreError.self) { try Store.validate(Forgetful.self) }
    #expect(missing?.code == StoreError.invalidSchema && missing?.entity == "Forgetful")
    #expect(missing?.description.contains("after name") == true)
    let named = #expect(throws: StoreError.self) { try Store.validate(examples: Forgetful(id: 1)) }
    #expect(named?.property == "forgotten")
    #expect(throws: Never.self) { try Store.validate(NamedShouting.self, HollowUnlisted.self) }
  }

  @Test func `a store with an entity twice is invalidSchema`() throws {
    let error = try mistake { () throws(StoreError) in try Store(Named.self, Bare.self, Named.self) }
    #expect(error.entity == "Named" || error.message.contains("Named"))
  }

  @Test func `a property of size zero without a name is invalidSchema`() throws {
    let error = try mistake { () throws(StoreError) in try Store(Hollow.self) }
    #expect(error.entity == "Hollow")
  }

  @Test func `a property of size zero may be left out`() async throws {
    let store = try Store(HollowUnlisted.self)
    try await store.write { tx in try tx.insert(HollowUnlisted(id: 1)) }
    #expect(store.snapshot().fetch(HollowUnlisted.all).count == 1)
  }

  @Test func `a property of size zero may be ignored by its name`() async throws {
    let store = try Store(HollowIgnored.self)
    try await store.write { tx in try tx.insert(HollowIgnored(id: 1)) }
    #expect(store.snapshot().fetch(HollowIgnored.all).count == 1)
  }

  @Test func `an index on values that are neither Comparable nor Hashable is invalidSchema`() throws {
    let error = try mistake { () throws(StoreError) in try Store(Unorderable.self) }
    #expect(error.property == "key")
    let unique = try mistake { () throws(StoreError) in try Store(UnorderableUnique.self) }
    #expect(unique.property == "key")
  }

  @Test func `values that are only Hashable can be indexed and unique`() async throws {
    let store = try Store(ByHash.self)
    try await store.write { tx in
      for id in 0..<100 { try tx.insert(ByHash(id: id, key: OnlyHashable(value: id))) }
    }
    #expect(store.snapshot().fetch(ByHash.where { $0.key == OnlyHashable(value: 70) }).map(\.id) == [70])
    await #expect {
      try await store.write { tx in try tx.insert(ByHash(id: 100, key: OnlyHashable(value: 3))) }
    } throws: {
      StoreError.uniqueViolation ~= $0
    }
  }

  @Test func `an entity may have nothing but its id`() async throws {
    let store = try Store(Bare.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<100).map { Bare(id: $0) }) }
    #expect(store.snapshot().fetch(Bare.all).map(\.id) == Array(0..<100))
    let version = store.version
    try await store.write { tx in try tx.upsert(Bare(id: 5)) }
    #expect(store.version == version)
  }
}

@Suite struct `Unknown entities` {
  private let store: Store

  init() throws { store = try Store(Named.self) }

  /// The error of a write.
  private func error(_ body: (inout WriteTransaction) throws -> Void) async throws -> StoreError {
    let error = try await #require(throws: StoreError.self) { try await store.write(body) }
    #expect(error.entity == "Bare")
    #expect(store.version.number == 0)
    return error
  }

  @Test func `an unknown entity cannot be written`() async throws {
    let unknown = StoreError.unknownEntity
    #expect(try await error { tx in try tx.insert(Bare(id: 1)) }.code == unknown)
    #expect(try await error { tx in try tx.insert(contentsOf: [Bare(id: 1)]) }.code == unknown)
    #expect(try await error { tx in try tx.upsert(Bare(id: 1)) }.code == unknown)
    #expect(try await error { tx in try tx.upsert(contentsOf: [Bare(id: 1)]) }.code == unknown)
    #expect(try await error { tx in try tx.update(Bare.self, 1) { _ in } }.code == unknown)
    #expect(try await error { tx in try tx.update(Bare.all) { _ in } }.code == unknown)
    #expect(try await error { tx in try tx.delete(Bare.self, 1) }.code == unknown)
    #expect(try await error { tx in try tx.delete(Bare.all) }.code == unknown)
    #expect(try await error { tx in try tx.deleteAll(Bare.self) }.code == unknown)
  }

  @Test func `an unknown entity has no objects to read, and results have the error`() async throws {
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Bare.all).isEmpty)
    #expect(snapshot.fetch(Bare.all).error?.code == StoreError.unknownEntity)
    #expect(snapshot.fetch(Bare.where { $0.id == 1 }.limit(3)).error?.entity == "Bare")
    #expect(snapshot.value(of: Bare.all).error?.code == StoreError.unknownEntity)
    #expect(snapshot.value(of: Bare.all.grouped(by: \.id).count).error?.code == StoreError.unknownEntity)
    #expect(snapshot.value(of: Bare.all.sectioned(by: \.id)).error?.code == StoreError.unknownEntity)
    #expect(snapshot.fetch(Named.all).error == nil)
    try await store.write { tx in
      #expect(tx.fetch(Bare.all).isEmpty)
      #expect(tx.fetch(Bare.all).error?.code == StoreError.unknownEntity)
    }
  }

  #if DEBUG
    @Test func `reading an unknown entity by id, or counting it, fails in debug builds with advice`()
      async throws
    {
      let byID = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try Store(Named.self).snapshot()[Bare.self, 1]
      }
      let text = String(decoding: try #require(byID).standardErrorContent, as: UTF8.self)
      #expect(text.contains("The store has no entity Bare. Add it to Store(…)."))
      await #expect(processExitsWith: .failure) { _ = try Store(Named.self).snapshot().count(Bare.all) }
      await #expect(processExitsWith: .failure) {
        try await Store(Named.self).write { tx in _ = tx[Bare.self, 1] }
      }
    }
  #else
    @Test func `an unknown entity has no object by an id and a count of zero`() throws {
      #expect(store.snapshot()[Bare.self, 1] == nil)
      #expect(store.snapshot().count(Bare.all) == 0)
    }
  #endif

  @Test func `an unknown entity cannot be observed, and the error is the only event`() async throws {
    var events: [CollectionChange<Bare>] = []
    for await change in store.changes(of: Bare.all) { events.append(change) }
    #expect(events.count == 1)
    guard case .error(let error) = events.first else {
      Issue.record("no error")
      return
    }
    #expect(error.code == StoreError.unknownEntity && error.entity == "Bare")
    await #expect {
      for try await _ in store.values(of: Bare.all) {}
    } throws: {
      StoreError.unknownEntity ~= $0
    }
    #expect {
      _ = try store.subscribe(Bare.all)
    } throws: {
      StoreError.unknownEntity ~= $0
    }
  }

  @Test func `an error describes itself in a sentence`() async throws {
    let error = try await error { tx in try tx.insert(Bare(id: 1)) }
    #expect(error.message.contains("Bare"))
    #expect(error.errorDescription == error.message)
    #expect(error.localizedDescription == error.message)
    #expect(error.description.contains("unknownEntity"))
  }
}
