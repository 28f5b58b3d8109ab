import LiveStore

extension Targets {
  @Sendable static func load(_ session: Session) async throws {
    for count in rows(session) {
      let items = Item.many(count)
      let one = items.map { OneIndex($0) }
      let two = items.map { TwoIndexes($0) }
      let dictionary = Contestant("Dictionary") { watch in
        blackHole(watch.time(count) { filledDictionary(items) })
      }
      try await session.race(
        "load without index, a row", rows: count, wanted: [.ratio(1.5, to: "Dictionary")],
        [
          Contestant("LiveStore") { watch in
            let store = try Store(Item.self)
            try watch.time(count) { try insert(items, into: store) }
            blackHole(store)
          }, dictionary,
        ])
      try await session.race(
        "load with one index of scattered values, a row", rows: count,
        wanted: [.ratio(2.5, to: "Dictionary")],
        [
          Contestant("LiveStore") { watch in
            let store = try Store(OneIndex.self)
            try watch.time(count) { try insert(one, into: store) }
            blackHole(store)
          }, dictionary,
        ])
      try await session.race(
        "load with two indexes of scattered values, a row", rows: count,
        wanted: [.ratio(3.5, to: "Dictionary")],
        [
          Contestant("LiveStore") { watch in
            let store = try Store(TwoIndexes.self)
            try watch.time(count) { try insert(two, into: store) }
            blackHole(store)
          }, dictionary,
        ])
    }
  }

  @inline(never) static func filledDictionary(_ items: [Item]) -> [Int: Item] {
    var dictionary: [Int: Item] = [:]
    for item in items { dictionary[item.id] = item }
    return dictionary
  }

  @Sendable static func memory(_ session: Session) async throws {
    for count in rows(session) {
      let items = Item.many(count)
      let one = items.map { OneIndex($0) }
      let two = items.map { TwoIndexes($0) }
      let plain =
        try await bytes(session, try Store(Item.self)) { try insert(items, into: $0) } / Double(count)
      let single =
        try await bytes(session, try Store(OneIndex.self)) { try insert(one, into: $0) } / Double(count)
      let double =
        try await bytes(session, try Store(TwoIndexes.self)) { try insert(two, into: $0) } / Double(count)
      let (dictionary, hashed) = try await session.bytes { filledDictionary(items) }
      blackHole(dictionary)
      let stride = Double(MemoryLayout<Item>.stride)
      session.record(
        "memory of a row beyond its struct", rows: count, unit: .bytes, wanted: [.cost(32)],
        samples: [("LiveStore", [plain - stride]), ("Dictionary", [Double(hashed) / Double(count) - stride])])
      session.record(
        "memory of the first index, a row", rows: count, unit: .bytes, wanted: [.cost(24)],
        samples: [("LiveStore", [single - plain])])
      session.record(
        "memory of the second index, a row", rows: count, unit: .bytes, wanted: [.cost(24)],
        samples: [("LiveStore", [double - single])])
      try await resultMemory(session, items)
    }
  }

  /// What a live query holds beside the table: half of the rows, sorted.
  private static func resultMemory(_ session: Session, _ items: [Item]) async throws {
    let store = try fill(items)
    let query = Item.where { $0.score < 500_000 }.sorted(by: \.score)
    let (subscription, size) = try await session.bytes { try store.subscribe(query) }
    session.record(
      "memory of a live query, a row of its result", rows: items.count, unit: .bytes, wanted: [.cost(24)],
      samples: [("LiveStore", [Double(size) / Double(subscription.value.count)])])
  }

  private static func bytes(
    _ session: Session, _ store: Store, _ fill: (Store) throws -> Void
  ) async throws -> Double {
    let (_, size) = try await session.bytes { try fill(store) }
    blackHole(store)
    return Double(size)
  }
}
