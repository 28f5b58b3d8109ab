import HashTreeCollections
import LiveStore
import OrderedCollections

enum LoadScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows() {
      let items = Item.many(count)
      try await plain(session, items)
      try await indexed(session, items)
      try await linked(session, count)
      try await intoFull(session, items)
    }
  }

  /// A contestant that fills a store, one operation a row.
  private static func filling<Element: Entity>(_ elements: [Element]) -> Contestant {
    Contestant("LiveStore") { watch in
      let store = try Store(Element.self)
      try watch.time(elements.count) { try store.write { tx in try tx.insert(contentsOf: elements) } }
      blackHole(store)
    }
  }

  private static func sqlite(_ items: [Item], indexes: [String]) -> Contestant {
    Contestant("GRDB") { watch in
      let database = try SQLite(indexes: indexes)
      try watch.time(items.count) { try database.insert(items) }
    }
  }

  private static func dictionary(_ items: [Item]) -> Contestant {
    Contestant("Dictionary") { watch in
      blackHole(watch.time(items.count) { Targets.filledDictionary(items) })
    }
  }

  private static func plain(_ session: Session, _ items: [Item]) async throws {
    try await session.race(
      "no index, a row", rows: items.count,
      [
        filling(items), dictionary(items),
        Contestant("TreeDictionary") { watch in
          blackHole(
            watch.time(items.count) {
              var tree = TreeDictionary<Int, Item>()
              for item in items { tree[item.id] = item }
              return tree
            })
        },
        Contestant("OrderedDictionary") { watch in
          blackHole(
            watch.time(items.count) {
              var ordered = OrderedDictionary<Int, Item>()
              for item in items { ordered[item.id] = item }
              return ordered
            })
        }, sqlite(items, indexes: []),
      ])
    let universal = items.map { UniversalItem($0) }
    try await session.race(
      "no index, UUIDs, a row", rows: items.count,
      [
        filling(universal),
        Contestant("Dictionary") { watch in
          blackHole(
            watch.time(items.count) {
              var dictionary: [UniversalItem.ID: UniversalItem] = [:]
              for item in universal { dictionary[item.id] = item }
              return dictionary
            })
        },
      ])
  }

  private static func indexed(_ session: Session, _ items: [Item]) async throws {
    let count = items.count
    let ascending = items.map { item in
      var item = item
      item.score = item.id
      return item
    }
    try await session.race(
      "1 index, sorted values, a row", rows: count,
      [filling(ascending.map { OneIndex($0) }), dictionary(ascending), sqlite(ascending, indexes: ["score"])])
    try await session.race(
      "1 index, scattered values, a row", rows: count,
      [filling(items.map { OneIndex($0) }), dictionary(items), sqlite(items, indexes: ["score"])])
    try await session.race(
      "2 indexes, scattered values, a row", rows: count,
      [
        filling(items.map { TwoIndexes($0) }), dictionary(items),
        sqlite(items, indexes: ["score", "bucket"]),
      ])
    try await session.race(
      "5 indexes, one of text, a row", rows: count,
      [
        filling(items.map { FiveIndexes($0) }), dictionary(items),
        sqlite(items, indexes: ["score", "bucket", "flag", "name", "id"]),
      ])
  }

  private static func linked(_ session: Session, _ count: Int) async throws {
    let (_, books) = try library(count)
    try await session.race(
      "a link to one of a tenth as many, a row", rows: count,
      [
        Contestant("LiveStore") { watch in
          let store = try library(10 * (books.count / 10)).store
          try watch.time(count) { try insert(books, into: store) }
          blackHole(store)
        }, dictionary(Item.many(count)),
      ])
  }

  /// A tenth as many rows again, beside those there are.
  private static func intoFull(_ session: Session, _ items: [Item]) async throws {
    let added = (items.count..<items.count + items.count / 10).map { Item($0) }
    let indexed = added.map { OneIndex($0) }
    let store = try fill(items)
    let indexedStore = try fill(items.map { OneIndex($0) })
    var dictionary = Targets.filledDictionary(items)
    let plain = Contestant("Dictionary") { watch in
      watch.time(added.count) { for item in added { dictionary[item.id] = item } }
      for item in added { dictionary[item.id] = nil }
    }
    try await session.race(
      "into a full table, no index, a row", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          try watch.time(added.count) { try insert(added, into: store) }
          try remove(added, from: store)
        }, plain,
      ])
    try await session.race(
      "into a full table, 1 index, a row", rows: items.count,
      [
        Contestant("LiveStore") { watch in
          try watch.time(indexed.count) { try insert(indexed, into: indexedStore) }
          try remove(indexed, from: indexedStore)
        }, plain,
      ])
  }

  private static func remove<Element: Entity>(_ elements: [Element], from store: Store) throws {
    try store.write { tx in for element in elements { try tx.delete(element) } }
  }
}
