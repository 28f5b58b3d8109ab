/// The id of a row, of whatever type that is.
package struct RowID: Hashable, Sendable {
  /// The id.
  let value: any Hashable & Sendable

  init(_ value: some Hashable & Sendable) { self.value = value }

  /// Whether two ids are the same.
  package static func == (left: RowID, right: RowID) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// The rows of a table that are no objects, by their ids, and why each of them is none.
package typealias LeftOutRows = [RowID: PostgresError]
