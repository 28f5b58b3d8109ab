import LiveStore

/// Updates of one row, each of which changes the result of a query.
protocol Edit {
  func next(_ round: Int, _ store: Store) -> (id: Int, change: (inout Item) -> Void)
}

/// Moves a row within those below a score.
struct EditWithin: Edit {
  private let ids: [Int]
  private let limit: Int
  private let places: [Int]

  init(_ items: [Item], below limit: Int) {
    ids = items.filter { $0.score < limit && $0.id % 4 == 0 }.map(\.id)
    self.limit = limit
    places = randomNumbers(1_000, below: 1 << 40, seed: 11)
  }

  func next(_ round: Int, _ store: Store) -> (id: Int, change: (inout Item) -> Void) {
    let id = ids[places[round] % ids.count]
    let old = store[Item.self, id]?.score ?? 0
    let score = places[round] / 7 % limit
    let new = score == old ? (score + 1) % limit : score
    return (id, { $0.score = new })
  }
}

/// Moves a row from behind all others to before them, and another one back.
struct EditAcross: Edit {
  private let ids: [Int]

  init(_ items: [Item]) {
    let candidates = items.filter { $0.score >= 600_000 && $0.id % 4 == 1 }.map(\.id)
    ids = randomNumbers(500, below: candidates.count, seed: 12).map { candidates[$0] }
  }

  func next(_ round: Int, _ store: Store) -> (id: Int, change: (inout Item) -> Void) {
    let id = ids[round / 2]
    let isFirst = (store[Item.self, id]?.score ?? 0) < 0
    return (id, { $0.score = isFirst ? 1_000_000 + round : -1 - round })
  }
}

/// Makes a row the first of its group.
struct EditFirst: Edit {
  private let ids: [Int]

  init(_ items: [Item]) { ids = randomNumbers(500, below: items.count / 4, seed: 13).map { $0 * 4 + 2 } }

  func next(_ round: Int, _ store: Store) -> (id: Int, change: (inout Item) -> Void) {
    let least = -2_000_000 - Int(store.version.number)
    return (ids[round], { $0.score = least })
  }
}

/// Moves a row to the other section.
struct EditFlag: Edit {
  private let ids: [Int]

  init(_ items: [Item]) { ids = randomNumbers(500, below: items.count, seed: 14) }

  func next(_ round: Int, _ store: Store) -> (id: Int, change: (inout Item) -> Void) {
    (ids[round], { $0.flag = 1 - $0.flag })
  }
}
