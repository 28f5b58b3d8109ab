/// The row to which linked objects or elements belong, while a condition is tested on these; and the rows around it.
///
/// Proof of sendability: nothing changes, and the pointer is read only during the test for which it was made, while the
/// caller keeps the row alive.
package final class OuterRow: @unchecked Sendable {
  let row: UnsafeRawPointer
  /// The row around this one.
  let next: OuterRow?

  init(_ row: UnsafeRawPointer, around next: OuterRow?) { (self.row, self.next) = (row, next) }
}
