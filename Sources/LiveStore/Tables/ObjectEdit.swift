/// What a commit did to one object: a row changed, deleted, inserted, or deleted and inserted as another.
struct ObjectEdit {
  /// The row that held the object before; nil when there was none.
  var old: RowChange?
  /// The row that holds it now; nil when it was deleted.
  var new: RowChange?

  /// The number of the row that held the object; for an inserted object, of the row that holds it.
  var row: UInt64 { old?.row ?? new?.row ?? 0 }

  /// The rows a commit changed, as edits of objects.
  ///
  /// - Complexity: O(*k*) for *k* rows.
  static func edits(_ rows: [RowChange], _ ids: IDFunctions) -> [ObjectEdit] {
    var edits: [ObjectEdit] = []
    var deleted: [UInt64: [Int]] = [:]
    for row in rows {
      guard let old = row.old else { continue }
      if row.new == nil { deleted[ids.hash(old), default: []].append(edits.count) }
      edits.append(ObjectEdit(old: row, new: row.new == nil ? nil : row))
    }
    // A row that undo restores (U1) may stand before the row that its object had until now.
    for row in rows where row.old == nil {
      guard let new = row.new else { continue }
      let same = deleted[ids.hash(new)]?.first { index in
        edits[index].old?.old.map { ids.isSame($0, new) } ?? false
      }
      if let same { edits[same].new = row } else { edits.append(ObjectEdit(old: nil, new: row)) }
    }
    return edits
  }
}
