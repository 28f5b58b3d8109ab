/// What was done to one object, kept apart from the versions between which it was done.
package struct KeptEdit: Sendable {
  package let table: Int
  /// How it stood before; nil when it was not there.
  package var before: KeptRow?
  /// How it stands after; nil when it is gone.
  package var after: KeptRow?

  /// The object on one of the sides on which it is there.
  var either: KeptRow? { after ?? before }

  /// What takes it back.
  package var reversed: KeptEdit { KeptEdit(table: table, before: after, after: before) }
}

/// An object and the row it stood in.
package struct KeptRow: Sendable {
  package let row: UInt64
  package let object: any Entity

  init(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) {
    self.row = row
    self.object = info.copy(object)
  }

  init(_ row: UInt64, _ object: any Entity) {
    self.row = row
    self.object = object
  }

  /// Hands over the object as one of its table's rows; the pointer is valid while the closure runs.
  func withPointer<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
    func open<Element: Entity>(_ object: Element) -> Result {
      withObject(object, body)
    }
    return open(object)
  }

  /// Whether an object in a row is this one in its place, unchanged.
  func isSame(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) -> Bool {
    self.row == row && withPointer { info.isSame($0, object) }
  }
}

extension EntityInfo {
  /// An object as it is now, with an edit of it taken back.
  ///
  /// - Returns: nil when the edit is no edit of a row that is there on both sides and now, or cannot be taken back
  ///   without overwriting what others wrote.
  func takingBack(_ edit: KeptEdit, from current: KeptRow?) -> KeptRow? {
    guard let before = edit.before, let after = edit.after, let current, before.row == after.row,
      current.row == after.row
    else { return nil }
    let object = before.withPointer { before in
      after.withPointer { after in
        current.withPointer { takingBack(before: before, after: after, from: $0) }
      }
    }
    return object.map { KeptRow(current.row, $0) }
  }

  /// Whether an object stands on both sides in the same row with the same value, or on neither.
  func isUnchanged(_ before: KeptRow?, _ after: KeptRow?) -> Bool {
    switch (before, after) {
    case (nil, nil): true
    case (let before?, let after?): after.withPointer { before.isSame(after.row, $0, self) }
    default: false
    }
  }
}
