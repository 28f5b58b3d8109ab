import LiveStore

/// What lines in an envelope have said about whole tables and lists, so that a later one is about their objects alone.
///
/// Most streams have one table. Which objects are of others is kept, by their ids, from the first line of another table on. All
/// files that are read share one.
package final class EnvelopeTracker {
  private var firstTable: String?
  private var otherTables: [JSONValue: String] = [:]
  /// The objects that have come since a list began; nil outside of one.
  private var listed: Set<JSONValue>?
  /// The objects of a stream in the State Protocol.
  let state = StateRows()

  /// Nothing was said.
  package init() {}

  /// Takes in an object that has a value now.
  func put(_ id: JSONValue, table: String?) {
    listed?.insert(id)
    guard let table else { return }
    let first = firstTable ?? table
    firstTable = first
    if table == first { otherTables[id] = nil } else { otherTables[id] = table }
  }

  /// Takes in an object that is deleted.
  func remove(_ id: JSONValue) {
    otherTables[id] = nil
    listed?.remove(id)
  }

  /// The objects of a table are deleted, or all of them.
  ///
  /// - Complexity: O(objects of other tables than the first)
  func removeAll(table: String?) -> [InputChange] {
    guard let table, let firstTable else {
      otherTables = [:]
      return [.removeAll()]
    }
    if table == firstTable { return [.removeAll(but: Set(otherTables.keys))] }
    let deleted = otherTables.filter { $0.value == table }.map(\.key)
    for id in deleted { otherTables[id] = nil }
    return deleted.map { .remove(Document(id: $0, body: .null)) }
  }

  /// A list of all objects begins.
  func beginList() { listed = [] }

  /// The list is complete: the objects that were not in it are deleted.
  func endList() -> [InputChange] {
    guard let listed else { return [] }
    self.listed = nil
    otherTables = otherTables.filter { listed.contains($0.key) }
    return [.removeAll(but: listed)]
  }
}
