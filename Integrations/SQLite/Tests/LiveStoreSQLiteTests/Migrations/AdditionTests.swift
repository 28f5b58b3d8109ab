import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

/// Entities as they were written.
private enum Before {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    static let schema = Schema<Shop> { \.name }
  }
}

private struct Clerk: Entity, Codable, Equatable {
  let id: Int
  var name: String
  static let schema = Schema<Clerk> { \.name }
}

/// The entity with a property that may be missing.
private enum Loose {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var note: String?
    var opened: Date?
    var address: Address?
    static let schema = Schema<Shop> {
      \.name
      \.note
      \.opened
      \.address
    }
  }
}

/// The entity with properties that may not be missing, of all kinds.
private enum Required {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var stars: Int
    var slogan: String
    var ratio: Double
    var isOpen: Bool
    var opened: Date
    var data: Data
    var code: UUID
    var mood: Mood
    var address: Address
    var tags: [String]
    var owner: Ref<Clerk>
    static let schema = Schema<Shop> {
      \.name
      Property(\.stars, .indexed)
      \.slogan
      \.ratio
      \.isOpen
      \.opened
      \.data
      \.code
      \.mood
      \.address
      \.tags
      Relation(\.owner)
    }
  }

  static func shop(_ id: Int, _ name: String) -> Shop {
    Shop(
      id: id, name: name, stars: -3, slogan: "it's \"new\"", ratio: 0.1, isOpen: true,
      opened: Date(timeIntervalSinceReferenceDate: 812_345_678.123), data: Data([0, 255]),
      code: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), mood: .keen,
      address: Address(city: "Köln", lines: ["a", ""], since: nil), tags: ["x", "y"], owner: Ref(1))
  }

  static let migrations: [Migration] = {
    let shop = Self.shop(0, "")
    return [
      .added("stars", to: Shop.self, default: shop.stars),
      .added("slogan", to: Shop.self, default: shop.slogan),
      .added("ratio", to: Shop.self, default: shop.ratio),
      .added("isOpen", to: Shop.self, default: shop.isOpen),
      .added("opened", to: Shop.self, default: shop.opened),
      .added("data", to: Shop.self, default: shop.data),
      .added("code", to: Shop.self, default: shop.code),
      .added("mood", to: Shop.self, default: shop.mood),
      .added("address", to: Shop.self, default: shop.address),
      .added("tags", to: Shop.self, default: shop.tags),
      .added("owner", to: Shop.self, default: shop.owner),
    ]
  }()
}

/// The entity with links to many.
private enum Linked {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var list = RefList<Clerk>()
    var set = RefSet<Clerk>()
    var map = RefMap<Clerk>()
    static let schema = Schema<Shop> {
      \.name
      Relation(\.list)
      Relation(\.set)
      Relation(\.map)
    }
  }
}

/// The entity with one property that may not be missing.
private enum Starred {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var stars: Int
    static let schema = Schema<Shop> {
      \.name
      \.stars
    }
  }
}

/// The entity with a property that may be missing, and has a default nevertheless.
private enum Noted {
  struct Shop: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var note: String?
    static let schema = Schema<Shop> {
      \.name
      \.note
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Entities and properties that are new` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func writeShops(_ sealing: Sealing) async throws {
    try await folder.write(Before.Shop.self, options: sealing.options()) { tx in
      for id in [3, 1, 2] { try tx.insert(Before.Shop(id: id, name: "shop \(id)")) }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an entity that is new is empty, takes objects, and leaves the others alone`(sealing: Sealing)
    async throws
  {
    try await writeShops(sealing)
    try await folder.write(Clerk.self, Before.Shop.self, options: sealing.options()) { tx in
      try #require(tx.count(Clerk.all) == 0)
      try tx.insert(Clerk(id: 1, name: "Ann"))
    }
    try await folder.read(Before.Shop.self, Clerk.self, options: sealing.options()) { snapshot in
      #expect(snapshot.fetch(Before.Shop.all).map(\.id) == [3, 1, 2])
      #expect(Array(snapshot.fetch(Clerk.all)) == [Clerk(id: 1, name: "Ann")])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an optional property that is new is nil, and keeps what is written to it`(sealing: Sealing)
    async throws
  {
    try await writeShops(sealing)
    let options = sealing.options()
    var expected = [3, 1, 2].map { Loose.Shop(id: $0, name: "shop \($0)") }
    #expect(try await folder.all(Loose.Shop.self, options: options) == expected)
    expected[1].note = "new"
    expected[2].opened = Date(timeIntervalSinceReferenceDate: 0.25)
    try await folder.write(Loose.Shop.self, options: options) { [expected] tx in
      for shop in expected { try tx.upsert(shop) }
    }
    for _ in 0..<2 { #expect(try await folder.all(Loose.Shop.self, options: options) == expected) }
  }

  @Test(arguments: Sealing.allCases)
  func `a property with a default gives it to the objects from before, whatever its type`(sealing: Sealing)
    async throws
  {
    try await writeShops(sealing)
    try await folder.write(Clerk.self, options: sealing.options()) { tx in
      try tx.insert(Clerk(id: 1, name: "Ann"))
    }
    var expected = [3, 1, 2].map { Required.shop($0, "shop \($0)") }
    let options = sealing.options(Required.migrations)
    try await folder.read(Required.Shop.self, Clerk.self, options: options) { snapshot in
      #expect(Array(snapshot.fetch(Required.Shop.all)) == expected)
      #expect(snapshot.fetch(Required.Shop.where { $0.stars < 0 }).count == 3)
      #expect(snapshot.fetch(Required.Shop.where { $0.owner.name == "Ann" }).count == 3)
    }
    // The migrations stay in the list, and what has been written since stays, too.
    expected[0].stars = 7
    expected[1].tags = []
    expected.append(Required.shop(9, "later"))
    expected[3].slogan = ""
    try await folder.write(Required.Shop.self, Clerk.self, options: options) { [expected] tx in
      for shop in expected { try tx.upsert(shop) }
    }
    for _ in 0..<2 {
      try await folder.read(Required.Shop.self, Clerk.self, options: options) { snapshot in
        #expect(Array(snapshot.fetch(Required.Shop.all)) == expected)
      }
    }
    // Nor are they needed any more.
    try await folder.read(Required.Shop.self, Clerk.self, options: sealing.options()) { snapshot in
      #expect(Array(snapshot.fetch(Required.Shop.all)) == expected)
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a property with no default that may not be missing is an error that says what to write`(
    sealing: Sealing
  ) async throws {
    try await writeShops(sealing)
    let error = try await folder.fileError(Starred.Shop.self, options: sealing.options())
    #expect([.mismatch, .migrationNeeded].contains(error.code), "\(error)")
    #expect(error.table == "Shop")
    #expect(error.message.contains("stars") && error.message.contains(".added("), "\(error)")
    let options = sealing.options([.added("stars", to: Starred.Shop.self, default: 4)])
    #expect(try await folder.all(Starred.Shop.self, options: options).map(\.stars) == [4, 4, 4])
  }

  /// Bug: in an encrypted file it was added, and the file could not be decrypted any more.
  @Test(arguments: Sealing.allCases)
  func `a property that differs from another by case alone cannot be added`(sealing: Sealing) async throws {
    try await writeShops(sealing)
    let options = sealing.options([.added("NAME", to: Before.Shop.self, default: "x")])
    let error = try await folder.fileError(Before.Shop.self, options: options)
    #expect(error.code == .invalidMigration && error.message.contains("NAME"), "\(error)")
    #expect(try await folder.all(Before.Shop.self, options: sealing.options()).count == 3)
  }

  @Test(arguments: Sealing.allCases)
  func `a property with no default needs none where there are no objects`(sealing: Sealing) async throws {
    try await folder.write(Before.Shop.self, options: sealing.options()) { _ in }
    try await folder.write(Starred.Shop.self, options: sealing.options()) { tx in
      try tx.insert(Starred.Shop(id: 1, name: "a", stars: 1))
    }
    #expect(try await folder.all(Starred.Shop.self, options: sealing.options()).map(\.stars) == [1])
  }

  @Test(arguments: Sealing.allCases)
  func `a new file has no use for defaults`(sealing: Sealing) async throws {
    let options = sealing.options([.added("stars", to: Starred.Shop.self, default: 4)])
    try await folder.write(Starred.Shop.self, options: options) { tx in
      try tx.insert(Starred.Shop(id: 1, name: "a", stars: 1))
    }
    #expect(try await folder.all(Starred.Shop.self, options: options).map(\.stars) == [1])
  }

  @Test(arguments: Sealing.allCases)
  func `a default of an optional property is given once, and nil that is written later stays`(
    sealing: Sealing
  ) async throws {
    try await writeShops(sealing)
    let options = sealing.options([.added("note", to: Noted.Shop.self, default: "none yet")])
    #expect(
      try await folder.all(Noted.Shop.self, options: options).map(\.note) == [
        "none yet", "none yet", "none yet",
      ])
    try await folder.write(Noted.Shop.self, options: options) { tx in
      try tx.update(Noted.Shop.self, 1) { $0.note = nil }
    }
    for _ in 0..<2 {
      #expect(
        try await folder.all(Noted.Shop.self, options: options).map(\.note) == ["none yet", nil, "none yet"])
    }
  }

  /// A default is given once. What an older app writes afterwards has no value: it is read with the default, and a step
  /// can give it another. Regression: it was an error, so the app could not open its file.
  @Test(arguments: Sealing.allCases)
  func
    `an object that an older app wrote in between is read with the default, and a step sees that it has none`(
      sealing: Sealing
    ) async throws
  {
    try await writeShops(sealing)
    let added = Migration.added("stars", to: Starred.Shop.self, default: 4)
    try await folder.write(Starred.Shop.self, options: sealing.options([added])) { tx in
      try tx.update(Starred.Shop.self, 3) { $0.stars = 5 }
    }
    try await folder.write(Before.Shop.self, options: sealing.options()) { tx in
      try tx.insert(Before.Shop(id: 4, name: "older"))
      try tx.update(Before.Shop.self, 1) { $0.name = "changed" }
    }
    for _ in 0..<2 {
      let shops = try await folder.all(Starred.Shop.self, options: sealing.options([added]))
      #expect(shops.map(\.stars) == [5, 4, 4, 4])
    }
    let other = sealing.options([added, .added("slogan", to: Starred.Shop.self, default: "")])
    #expect(try await folder.all(Starred.Shop.self, options: other).map(\.stars) == [5, 4, 4, 4])
    let error = try await folder.fileError(Starred.Shop.self, options: sealing.options())
    #expect(error.code == .mismatch && error.table == "Shop" && error.row == 2, "\(error)")
    #expect(error.message.contains("stars"), "\(error)")
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Shop") { shop in
        if try shop.value("stars", as: Int?.self) == nil { try shop.set("stars", to: 6) }
      }
    }
    let shops = try await folder.all(
      Starred.Shop.self,
      options: sealing.options([added, .added("slogan", to: Starred.Shop.self, default: ""), step]))
    #expect(shops.map(\.stars) == [5, 6, 4, 6])
  }

  @Test(arguments: Sealing.allCases)
  func `links to many that are new are empty, and can be filled`(sealing: Sealing) async throws {
    try await writeShops(sealing)
    let options = sealing.options()
    try await folder.write(Linked.Shop.self, Clerk.self, options: options) { tx in
      let shops = Array(tx.fetch(Linked.Shop.all))
      try #require(shops == [3, 1, 2].map { Linked.Shop(id: $0, name: "shop \($0)") })
      for id in 1...2 { try tx.insert(Clerk(id: id, name: "clerk")) }
      try tx.update(Linked.Shop.self, 1) { shop in
        shop.list = [Ref(2), Ref(1)]
        shop.set.insert(Ref(2))
        shop.map["first"] = Ref(1)
      }
    }
    try await folder.read(Linked.Shop.self, Clerk.self, options: options) { snapshot in
      let shops = Array(snapshot.fetch(Linked.Shop.all))
      #expect(shops.map(\.list.ids) == [[], [2, 1], []])
      #expect(shops.map { $0.set.contains(Ref(2)) } == [false, true, false])
      #expect(shops.map { $0.map["first"]?.id } == [nil, 1, nil])
      #expect(snapshot.backlinks(to: Clerk(id: 2, name: ""), from: \Linked.Shop.list).map(\.id) == [1])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a default that links to an object that is missing names the object that has it`(sealing: Sealing)
    async throws
  {
    try await writeShops(sealing)
    let error = try await folder.storeError(
      Required.Shop.self, Clerk.self, options: sealing.options(Required.migrations))
    #expect(error.code == StoreError.missingLinkTarget && error.entity == "Shop", "\(error)")
    #expect(error.id == "3" && error.property == "owner" && error.value == "1", "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `a default of another type than the property's is an error that names the property`(sealing: Sealing)
    async throws
  {
    try await writeShops(sealing)
    let options = sealing.options([.added("stars", to: Starred.Shop.self, default: "four")])
    let error = try await folder.fileError(Starred.Shop.self, options: options)
    #expect(error.message.contains("stars") && error.table == "Shop", "\(error)")
  }
}
