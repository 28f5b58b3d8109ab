import LiveStore

struct Item: Entity, Equatable {
  let id: Int
  var name = ""
  var rank = 0

  init(_ id: Int, name: String = "", rank: Int = 0) {
    self.id = id
    self.name = name
    self.rank = rank
  }

  static let schema = Schema<Item> {
    \.name
    \.rank
  }
}

struct Album: Entity {
  let id: Int
  var items = RefList<Item>()

  static let schema = Schema<Album> { Relation(\.items) }
}

func makeStore(
  _ ids: Range<Int> = 0..<0, configuration: Store.Configuration = Store.Configuration()
) async throws -> Store {
  let store = try Store(Item.self, Album.self, configuration: configuration)
  try await insert(ids, in: store)
  return store
}

/// One commit for each id.
func insert(_ ids: Range<Int>, in store: Store) async throws {
  for id in ids { try await store.write { tx in try tx.insert(Item(id, rank: id)) } }
}

/// Suspends until every observer's cursor is released; a suite's time limit ends it otherwise.
func untilUnobserved(_ store: Store) async {
  while store.metrics.observers > 0 && !Task.isCancelled { await Task.yield() }
}

extension ChangeSet {
  /// What the change set makes of some rows.
  func applied(to rows: [Element]) -> [Element] {
    var rows = rows
    let old = rows
    for index in (deletions + moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
    let coming = insertions.map { ($0, current[$0]) } + moves.map { ($0.to, old[$0.from]) }
    for (index, row) in coming.sorted(by: { $0.0 < $1.0 }) { rows.insert(row, at: index) }
    for modification in modifications { rows[modification.newIndex] = modification.new }
    return rows
  }
}

/// A case that should not have come.
struct Unexpected<Event: Sendable>: Error {
  let event: Event
  init(_ event: Event) { self.event = event }
}
