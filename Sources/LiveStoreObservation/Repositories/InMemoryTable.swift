import LiveStore

/// Objects by their ids, in insertion order: a plain value that keeps an entity's rules as a store does.
struct InMemoryTable<Element: Entity>: Sendable {
  private struct Entry {
    let object: Element
    /// Grows with each insertion.
    let place: Int
  }

  private let rules: ObjectRules<Element>
  private var entries: [Element.ID: Entry] = [:]
  private var nextPlace = 0
  /// Grows with each write that changes something.
  private(set) var revision = 0

  init() throws(StoreError) { rules = try ObjectRules() }

  subscript(id: Element.ID) -> Element? { entries[id]?.object }

  /// All objects, in insertion order.
  ///
  /// - Complexity: O(*n* log *n*).
  var objects: [Element] { entries.values.sorted { $0.place < $1.place }.map(\.object) }

  mutating func insert(_ object: Element) throws(StoreError) {
    if nextPlace == 0 { try rules.check(object) }
    if entries[object.id] != nil { throw rules.duplicateID(object.id) }
    try put(object, at: nextPlace)
    nextPlace += 1
  }

  /// True if it was added.
  mutating func upsert(_ object: Element) throws(StoreError) -> Bool {
    guard let entry = entries[object.id] else {
      try insert(object)
      return true
    }
    try replace(entry, by: object)
    return false
  }

  mutating func update(_ id: Element.ID, _ edit: (inout Element) throws -> Void) throws -> Element {
    guard let entry = entries[id] else { throw rules.notFound(id) }
    var object = entry.object
    try edit(&object)
    if object.id != id { throw rules.identifierChanged(id, to: object.id) }
    try replace(entry, by: object)
    return object
  }

  mutating func delete(_ id: Element.ID) -> Bool {
    guard entries.removeValue(forKey: id) != nil else { return false }
    revision += 1
    return true
  }

  private mutating func replace(_ entry: Entry, by object: Element) throws(StoreError) {
    if rules.isEdit(entry.object, object) { try put(object, at: entry.place) }
  }

  private mutating func put(_ object: Element, at place: Int) throws(StoreError) {
    try rules.checkUnique(object, among: entries.values.lazy.map(\.object))
    entries[object.id] = Entry(object: object, place: place)
    revision += 1
  }
}
