/// The id of a row, of whatever type that is.
package struct RowID: Hashable, Sendable {
  /// The id.
  let value: any Hashable & Sendable

  package init(_ value: some Hashable & Sendable) { self.value = value }

  /// Whether two ids are the same.
  package static func == (left: RowID, right: RowID) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Why a row is refused.
package struct Refusal: Error {
  /// What is shown.
  let error: PostgresError
  /// The hash of the value that cannot be read; nil if there is none.
  let valueHash: Int?
}

/// The rows of a table that are no objects, by their ids.
package typealias LeftOutRows = [RowID: Refusal]
