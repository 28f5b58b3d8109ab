/// A copy of an object, with the row that held it.
package struct RecordedRow: Sendable {
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

  /// Calls a closure with the object as a row of its table; the pointer is valid while the closure runs.
  func withPointer<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
    func open<Element: Entity>(_ object: Element) -> Result {
      withObject(object, body)
    }
    return open(object)
  }

  /// Whether this object is unchanged in the same row.
  func isSame(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) -> Bool {
    self.row == row && withPointer { info.isSame($0, object) }
  }
}
