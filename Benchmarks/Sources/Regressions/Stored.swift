import LiveStore

// The work that is watched. The names are those that Scripts/check-regressions.py looks for.

@inline(never) func storeLoad(_ items: [Item]) throws -> Store {
  let store = try Store(Item.self)
  try store.write { tx in try tx.insert(contentsOf: items) }
  return store
}

@inline(never) func storeLoadIndexed(_ items: [Indexed]) throws -> Store {
  let store = try Store(Indexed.self)
  try store.write { tx in try tx.insert(contentsOf: items) }
  return store
}

@inline(never) func storeLookup(_ snapshot: Snapshot, _ probes: [Int]) -> Int {
  var sum = 0
  for id in probes { sum &+= snapshot[Item.self, id]?.score ?? 0 }
  return sum
}

/// One transaction an update.
@inline(never) func storeUpdate(_ store: Store, _ probes: [Int]) throws {
  for id in probes { try store.write { tx in try tx.update(Item.self, id) { $0.score &+= 1 } } }
}

@inline(never) func storeUpdateIndexed(_ store: Store, _ probes: [Int]) throws {
  for id in probes {
    try store.write { tx in try tx.update(Indexed.self, id) { $0.score = scattered($0.score) } }
  }
}

/// One transaction of all.
@inline(never) func storeDelete(_ store: Store, _ probes: [Int]) throws {
  try store.write { tx in for id in probes { try tx.delete(Item.self, id) } }
}

@inline(never) func storeScan(_ snapshot: Snapshot, _ limit: Int) -> Int {
  snapshot.count(Item.where { $0.score < limit })
}

@inline(never) func storeText(_ snapshot: Snapshot, _ prefix: String) -> Int {
  snapshot.count(Item.where { $0.name.beginsWith(prefix) })
}

@inline(never) func storeFilter(_ snapshot: Snapshot, _ limit: Int) -> Int {
  snapshot.fetch(Item.where { $0.score < limit }).count
}

@inline(never) func storeSort(_ snapshot: Snapshot) -> Int? {
  snapshot.fetch(Item.sorted(by: \.score)).first?.id
}

@inline(never) func storeSum(_ snapshot: Snapshot, _ limit: Int) -> Int {
  snapshot.value(of: Item.where { $0.score < limit }.sum(\.score))
}

@inline(never) func storePage(_ snapshot: Snapshot, _ starts: [Int]) -> Int {
  var sum = 0
  for start in starts {
    let page = snapshot.fetch(Indexed.where { $0.score > start }.sorted(by: \.score).limit(20))
    for item in page { sum &+= item.id }
  }
  return sum
}

/// One transaction an update of a row in a live query of half of the rows, its upkeep, and the change set.
@inline(never) func storeLive(_ store: Store, _ query: Query<Item>, _ probes: [Int]) throws -> Int {
  var before = try store.subscribe(query).value
  var modified = 0
  for id in probes {
    try store.write { tx in try tx.update(Item.self, id) { $0.score = ($0.score &+ 7_919) % 500_000 } }
    let after = try store.subscribe(query).value
    modified += before.changes(to: after).modifications.count
    before = after
  }
  return modified
}
