/// What one commit or several did, object by object.
///
/// An object that was deleted and inserted again is one object. Of several commits the sum is kept: an object
/// that came and went is not in it.
package struct KeptEdits: Sendable {
  private struct Place: Hashable {
    let table: Int
    let hash: UInt64
  }

  private let catalog: Catalog
  private var slots: [KeptEdit?]
  /// Where the edits of objects are whose ids have one hash; nil until a second commit is added.
  private var places: [Place: [Int]]?
  /// How many objects these are.
  package private(set) var count: Int

  init(_ edits: [KeptEdit], _ catalog: Catalog) {
    self.catalog = catalog
    slots = edits
    count = edits.count
  }

  /// What a commit did.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows changed.
  package init(_ record: CommitRecord) {
    let catalog = record.after.catalog
    let edits = StoreChanges(record).tables.flatMap { table, rows in
      let info = catalog.entities[table]
      return ObjectEdit.edits(rows, info.ids).map { edit in
        KeptEdit(
          table: table,
          before: edit.old.flatMap { old in old.old.map { KeptRow(old.row, $0, info) } },
          after: edit.new.flatMap { new in new.new.map { KeptRow(new.row, $0, info) } })
      }
    }
    self.init(edits, catalog)
  }

  /// The edits, in the order in which the objects were first touched.
  package var edits: [KeptEdit] { slots.compactMap(\.self) }

  /// The edit of one property of one object, if that is all.
  package var propertyEdit: PropertyEdit? {
    guard count == 1, let edit = edits.first else { return nil }
    return PropertyEdit(edit, catalog.entities[edit.table])
  }

  /// Adds what a later commit did.
  ///
  /// Where others have written to an object in between, the sum begins with their write: with what was done before
  /// taken back from it, or else without what was done before. So taking the sum back never overwrites what others
  /// wrote.
  /// - Returns: the objects it holds no more, to be freed where that may run code of the user's.
  /// - Complexity: O(*k*) for *k* edits of the later one; the first time also O(`count`).
  package mutating func append(_ later: KeptEdits) -> [KeptRow] {
    var places = places ?? placesOfSlots()
    self.places = nil
    var dropped: [KeptRow] = []
    for edit in later.edits { dropped += append(edit, &places) }
    if slots.count > 2 * count + 32 {
      slots.removeAll { $0 == nil }
      places = placesOfSlots()
    }
    self.places = places
    return dropped
  }

  private func placesOfSlots() -> [Place: [Int]] {
    var places: [Place: [Int]] = [:]
    for (index, edit) in slots.enumerated() {
      if let edit { places[place(of: edit), default: []].append(index) }
    }
    return places
  }

  private mutating func append(_ edit: KeptEdit, _ places: inout [Place: [Int]]) -> [KeptRow] {
    let info = catalog.entities[edit.table]
    let place = place(of: edit)
    let index = places[place]?.first { slots[$0].map { isSameObject($0, edit, info) } ?? false }
    guard let index, var sum = slots[index] else {
      places[place, default: []].append(slots.count)
      slots.append(edit)
      count += 1
      return []
    }
    let former = sum
    let isContinued = info.isUnchanged(sum.after, edit.before)
    if !isContinued || info.hasIgnored {
      sum.before = info.takingBack(sum, from: edit.before) ?? (isContinued ? sum.before : edit.before)
    }
    sum.after = edit.after
    if info.isUnchanged(sum.before, sum.after) {
      slots[index] = nil
      places[place]?.removeAll { $0 == index }
      count -= 1
    } else {
      slots[index] = sum
    }
    return [former.before, former.after].compactMap(\.self)
  }

  private func place(of edit: KeptEdit) -> Place {
    let hash = edit.either?.withPointer(catalog.entities[edit.table].ids.hash)
    return Place(table: edit.table, hash: hash ?? 0)
  }

  private func isSameObject(_ lhs: KeptEdit, _ rhs: KeptEdit, _ info: EntityInfo) -> Bool {
    guard let left = lhs.either, let right = rhs.either else { return false }
    return left.withPointer { left in right.withPointer { info.ids.isSame(left, $0) } }
  }
}
