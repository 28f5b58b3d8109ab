import LiveStore

// Blocking writes: asynchronous functions would choose the form that suspends.

func fill(_ items: [Item]) throws -> Store {
  let store = try Store(Item.self)
  try insert(items, into: store)
  return store
}

func fill(_ items: [OneIndex]) throws -> Store {
  let store = try Store(OneIndex.self)
  try insert(items, into: store)
  return store
}

@inline(__always)
func insert<Element: Entity>(_ items: [Element], into store: Store) throws {
  try store.write { tx in try tx.insert(contentsOf: items) }
}

/// One transaction of one update.
@inline(__always)
func setScore(_ store: Store, _ id: Int, _ score: Int) throws {
  try store.write { tx in try tx.update(Item.self, id) { $0.score = score } }
}
