import LiveStore
import LiveStoreSQLite

/// A filter, an order and a limit.
package struct RowQuery {
  struct Key {
    let path: [String]
    let direction: SortDirection
  }

  var filter: Query<StoredObject>
  let order: [Key]
  let limit: Int?

  /// All of it, for a store.
  var query: Query<StoredObject> {
    let sorted = order.reduce(filter) { $0.sorted(byPath: $1.path, $1.direction) }
    return limit.map { sorted.limit($0) } ?? sorted
  }

  /// The names of the properties that the filter asks for.
  var names: [String] {
    let recorder = PathRecorder()
    // Explaining a query of an entity like this asks an object for all paths.
    guard let store = try? Store(StoredObject.self),
      (try? store.write { tx in try tx.insert(StoredObject(recorder: recorder)) }) != nil
    else { return [] }
    _ = filter.explain(in: store.snapshot())
    return recorder.names
  }

  /// Passes on the objects of an entity that the query selects, in its order.
  ///
  /// Rows are evaluated in batches. Only what may still be selected is kept: without an order nothing, with a limit as
  /// many objects as that.
  func run(_ entity: String, in file: FileVersion, _ body: (StoredObject) throws -> Void) throws {
    var batch: [StoredObject] = []
    var kept: [StoredObject] = []
    var count = 0
    func evaluate() throws -> Bool {
      defer { batch.removeAll(keepingCapacity: true) }
      if order.isEmpty {
        for object in try Self.select(filter.limit((limit ?? .max) - count), batch) {
          try body(object)
          count += 1
        }
        return count < limit ?? .max
      }
      // Of equals, those that were there before stay before the others.
      if limit == nil {
        kept += try Self.select(filter, batch)
      } else {
        kept = try Self.select(query, kept + batch)
      }
      return true
    }
    if limit == 0 { return }
    try file.forEach(entity) { row in
      batch.append(StoredObject(row))
      return try batch.count < batchSize || evaluate()
    }
    if !batch.isEmpty { _ = try evaluate() }
    for object in limit == nil && !order.isEmpty ? try Self.select(query, kept) : kept { try body(object) }
  }

  /// How many rows are evaluated together: of sorted ones as many as are kept, so that each takes part in few sorts.
  package var batchSize: Int {
    if !order.isEmpty { return max(limit ?? 0, Self.batch) }
    return filter == StoredObject.all ? min(limit ?? Self.batch, Self.batch) : Self.batch
  }

  private static let batch = 4_096

  private static func select(_ query: Query<StoredObject>, _ objects: [StoredObject]) throws -> [StoredObject]
  {
    if query == StoredObject.all { return objects }
    let store = try Store(StoredObject.self)
    try store.write { tx in try tx.insert(contentsOf: objects) }
    let results = store.snapshot().fetch(query)
    if let error = results.error { throw error }
    return Array(results)
  }
}
