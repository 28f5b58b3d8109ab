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
  /// The value for which it is.
  let value: RefusedValue
}

/// The value for which a row is refused, by which a later refusal for the same one is recognised.
package enum RefusedValue: Hashable, Sendable {
  /// It is null, or none of a column.
  case none
  /// The hash of what it is.
  case hash(Int)
  /// An update has not sent it: a copy may mend that.
  case unsent
}

/// The rows of a table that are no objects, by their ids.
package typealias LeftOutRows = [RowID: Refusal]

/// The rows of a table that have become no objects, and those that are no longer left out, with nil.
package typealias LeftOutChanges = [RowID: Refusal?]
