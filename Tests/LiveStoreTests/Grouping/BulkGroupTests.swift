import LiveStore
import TestSupport
import Testing

/// A key without an order, of which every third value has the hash of another.
private struct Plain: Hashable, Sendable {
  var number: Int
  func hash(into hasher: inout Hasher) { hasher.combine(number / 3) }
}

extension Item {
  fileprivate var plain: Plain { Plain(number: group) }
  /// A key that a function reads.
  fileprivate var label: String? { group % 4 == 0 ? nil : "\(group % 50)" }
}

/// Groups of rows that are evaluated all at once: by a snapshot, and by the first evaluation of a live result.
@Suite(.timeLimit(.minutes(10))) struct `Groups of many rows at once` {
  private func store(_ items: [Item]) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: items) }
    return store
  }

  /// Checks what a snapshot and a live result have against a function of the rows.
  private func check<Key: Hashable & Sendable, Value: Equatable & Sendable>(
    _ source: GroupAggregate<Item, Key, Value>, _ store: Store, _ items: [Item], _ read: (Item) -> Key,
    by precedes: ((Key, Key) -> Bool)?, _ trace: String, _ value: ([Item]) -> Value
  ) throws {
    var keys: [Key] = []
    var rows: [Key: [Item]] = [:]
    for item in items {
      let key = read(item)
      if rows[key] == nil { keys.append(key) }
      rows[key, default: []].append(item)
    }
    if let precedes { keys.sort(by: precedes) }
    let (live, changes) = try store.subscribe(source)
    for (name, groups) in [("live", live), ("fetched", store.snapshot().value(of: source))] {
      try require(groups.map(\.key) == keys, "\(trace) \(source) \(name): \(groups.map(\.key)), not \(keys)")
      for key in keys {
        let (found, expected) = (groups[id: key]?.value, value(rows[key] ?? []))
        try require(found == expected, "\(trace) \(source) \(name) \(key): \(found as Any), not \(expected)")
      }
    }
    withExtendedLifetime(changes) {}
  }

  private func checkAll(_ store: Store, _ items: [Item], _ trace: String) throws {
    let all = Item.all
    try check(all.grouped(by: \.group).count, store, items, \.group, by: <, trace) { $0.count }
    try check(all.grouped(by: \.group).sum(\.rank), store, items, \.group, by: <, trace) {
      $0.reduce(0) { $0 + $1.rank }
    }
    try check(all.grouped(by: \.name).sum(\.score), store, items, \.name, by: <, trace) {
      nearestSum($0.compactMap(\.score))
    }
    try check(all.grouped(by: \.label).average(\.score), store, items, \.label, by: precedes, trace) {
      let scores = $0.compactMap(\.score)
      return scores.isEmpty ? nil : nearestSum(scores) / Double(scores.count)
    }
    try check(all.grouped(by: \.score).count, store, items, \.score, by: precedes, trace) { $0.count }
    try check(all.grouped(by: \.plain).sum(\.rank), store, items, \.plain, by: nil, trace) {
      $0.reduce(0) { $0 + $1.rank }
    }
    try check(all.grouped(by: \.label).max(\.rank), store, items, \.label, by: precedes, trace) {
      $0.map(\.rank).max() ?? -1
    }
    try check(all.grouped(by: \.plain).min(\.score), store, items, \.plain, by: nil, trace) {
      $0.compactMap(\.score).min()
    }
    let filtered = items.filter { $0.rank % 3 > 0 }
    let some = Item.where { $0.rank < 500 }
    try check(
      some.grouped(by: \.plain).count, store, items.filter { $0.rank < 500 }, \.plain, by: nil, trace
    ) { $0.count }
    try check(
      Item.where { $0.isDone == true }.grouped(by: \.group).sum(\.rank), store, filtered, \.group, by: <,
      trace
    ) { $0.reduce(0) { $0 + $1.rank } }
  }

  private func items(_ count: Int, groups: Int, _ random: inout SplitMix64) -> [Item] {
    (0..<count).map { id in
      let rank = random.int(0...999)
      let group = groups == count ? count - id : random.int(0...max(0, groups - 1))
      let score = Double(random.int(-9...9)) * (random.int(0...9) == 0 ? 1e30 : 0.1)
      return Item(
        id, name: "name-\(group)", rank: rank, group: group, score: random.int(0...3) == 0 ? nil : score,
        isDone: rank % 3 > 0)
    }
  }

  @Test(arguments: Environment.sizes([0, 1, 2, 31, 32, 33, 63, 64, 65, 129], thorough: [1_000]))
  func `groups of any number of rows and keys are those of a loop over the rows`(count: Int) throws {
    var random = SplitMix64(seed: UInt64(count))
    for groups in Set([1, 2, 7, count]) {
      let items = items(count, groups: groups, &random)
      try checkAll(try store(items), items, "\(count) rows, \(groups) groups:")
    }
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 4))
  func `live groups that began with many rows stay those of a loop over the rows`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var items = items(300, groups: random.int(0...1) == 0 ? 300 : 9, &random)
    let store = try store(items)
    let sums = Item.all.grouped(by: \.plain).sum(\.score)
    let names = Item.all.grouped(by: \.name).count
    let tokens = [store.observe(sums) { _ in }, store.observe(names) { _ in }]
    for step in 0..<Environment.size(6, thorough: 12) {
      try store.write { tx in
        for _ in 0..<random.int(1...9) where !items.isEmpty {
          let index = random.int(0...(items.count - 1))
          if random.int(0...2) == 0 {
            try tx.delete(Item.self, items.remove(at: index).id)
          } else {
            items[index].group = random.int(0...12)
            items[index].name = "name-\(items[index].group)"
            items[index].score = random.int(0...2) == 0 ? nil : Double(random.int(0...99)) / 7
            try tx.upsert(items[index])
          }
        }
      }
      let trace = "seed \(seed), step \(step):"
      try check(sums, store, items, \.plain, by: nil, trace) { nearestSum($0.compactMap(\.score)) }
      try check(names, store, items, \.name, by: <, trace) { $0.count }
      try #require(store.metrics.rebuilds == 0, "\(trace) upkeep found the groups where they belong")
    }
    tokens.forEach { $0.invalidate() }
  }

  @Test func `equal keys that are written differently are one group, written as in its first row`() throws {
    let names = ["e\u{301}", "z", "\u{e9}", "e\u{301}", "a long name, e\u{301}", "a long name, \u{e9}"]
    let store = try store(names.enumerated().map { Item($0.offset, name: $0.element, rank: 1) })
    let (live, changes) = try store.subscribe(Item.all.grouped(by: \.name).count)
    let snapshot = store.snapshot()
    for groups in [
      live, snapshot.value(of: Item.all.grouped(by: \.name).count),
      snapshot.value(of: Item.where { $0.rank == 1 }.grouped(by: \.name).sum(\.rank)),
    ] {
      #expect(groups.count == 3)
      #expect(groups[id: "\u{e9}"]?.value == 3)
      #expect(groups[id: "\u{e9}"]?.key.unicodeScalars.count == 2)
      #expect(groups[id: "a long name, \u{e9}"]?.value == 2)
      #expect(groups[id: "z"]?.value == 1)
    }
    withExtendedLifetime(changes) {}
  }

  @Test(arguments: Seeds.forSuite(6, thorough: 20))
  func `sums of doubles of all sizes are exact in groups and in whole`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let special: [Double?] = [0, -0.0, .leastNonzeroMagnitude, 1e300, nil]
    let items = (0..<200).map { id -> Item in
      let size = Double(
        sign: .plus, exponent: random.int(0...1) == 0 ? 0 : random.int(-90...90), significand: 1)
      let usual = Double(random.int(-1_000_000...1_000_000)) / 3 * size
      let score = random.int(0...4) == 0 ? special[random.int(0...4)] : usual
      return Item(id, group: id % 3, score: score)
    }
    let store = try store(items)
    let scores = items.compactMap(\.score)
    #expect(store.snapshot().value(of: Item.all.sum(\.score)) == nearestSum(scores), "seed \(seed)")
    try check(Item.all.grouped(by: \.group).sum(\.score), store, items, \.group, by: <, "seed \(seed):") {
      nearestSum($0.compactMap(\.score))
    }
  }

  @Test func `a sum of doubles overflows only if the whole of it does`() throws {
    let scores: [Double] = [1e308, 1e308, -1e308, 1e308, 1, 1e308]
    let items = scores.enumerated().map { Item($0.offset, group: $0.offset / 3, score: $0.element) }
    let store = try store(items)
    let sums = store.snapshot().value(of: Item.all.grouped(by: \.group).sum(\.score)).map(\.value)
    #expect(sums == [1e308, .infinity])
    #expect(store.snapshot().value(of: Item.where { $0.group == 0 }.sum(\.score)) == 1e308)
    #expect(store.snapshot().value(of: Item.all.sum(\.score)) == .infinity)
  }

  @Test func `a sum of doubles with a NaN or infinities is what the rest of its group makes of it`() throws {
    let scores: [Double] = [.nan, 1, .infinity, 2, .infinity, -.infinity, 0, 3, -.infinity, 4]
    let groups = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    let store = try store(zip(scores, groups).enumerated().map { Item($0, group: $1.1, score: $1.0) })
    let sums = store.snapshot().value(of: Item.all.grouped(by: \.group).sum(\.score)).map(\.value)
    #expect(sums[0].isNaN && sums[2].isNaN)
    #expect(sums[1] == .infinity && sums[3] == 3 && sums[4] == -.infinity)
    #expect(store.snapshot().value(of: Item.all.sum(\.score)).isNaN)
    #expect(store.snapshot().value(of: Item.where { $0.group == 1 }.sum(\.score)) == .infinity)
  }

  @Test func `a NaN or an infinity after the greatest doubles is none of them`() throws {
    let scores: [Double] = [
      1e308, .infinity, 1e308, .nan, 1e308, .infinity, -.infinity, 1e307, -1e308, -.infinity,
    ]
    let groups = [0, 0, 1, 1, 2, 2, 2, 3, 3, 3]
    let store = try store(zip(scores, groups).enumerated().map { Item($0, group: $1.1, score: $1.0) })
    let sums = store.snapshot().value(of: Item.all.grouped(by: \.group).sum(\.score)).map(\.value)
    #expect(sums[0] == .infinity && sums[3] == -.infinity)
    #expect(sums[1].isNaN && sums[2].isNaN)
    for (group, sum) in sums.enumerated() {
      let whole = store.snapshot().value(of: Item.where { $0.group == group }.sum(\.score))
      #expect(whole == sum || whole.isNaN && sum.isNaN)
    }
  }

  @Test func `sums of integers in groups are the nearest value of their type`() throws {
    let store = try store([
      Item(1, rank: .max, group: 1), Item(2, rank: .max, group: 1), Item(3, rank: .min, group: 2),
      Item(4, rank: .min, group: 2), Item(5, rank: .max, group: 3), Item(6, rank: .min, group: 3),
    ])
    let groups = Item.all.grouped(by: \.group)
    #expect(store.snapshot().value(of: groups.sum(\.rank)).map(\.value) == [.max, .min, -1])
    #expect(store.snapshot().value(of: groups.average(\.rank)).map(\.value) == [0x1p63, -0x1p63, -0.5])
  }

  @Test func `groups of a window are those of its rows`() throws {
    let store = try store((0..<100).map { Item($0, rank: $0 * 37 % 100, group: $0 % 3) })
    let window = Item.sorted(by: \.rank, .descending).limit(40)
    let rows = store.snapshot().fetch(window)
    let sums = store.snapshot().value(of: window.grouped(by: \.group).sum(\.rank))
    #expect(sums.map(\.key) == [0, 1, 2])
    for sum in sums {
      #expect(sum.value == rows.filter { $0.group == sum.key }.reduce(0) { $0 + $1.rank })
    }
  }
}
