/// Where the entry of a row stands in the tree of a stage.
package protocol RowPlacement: Sendable {
  /// The order, if it may be inconsistent.
  var orderToCheck: RowOrder? { get }

  /// The key of a row's entry before the step.
  func key(of row: RowChange, _ before: UnsafeRawPointer, _ old: StepSide) -> TreeKey

  /// The key of a row's entry after the step.
  func key(of row: RowChange, _ after: UnsafeRawPointer, stamp: UInt64, _ new: StepSide) -> TreeKey

  /// How an entry compares with another whose key has the same first word, by their values alone.
  func compare(
    _ entry: UInt64, _ object: UnsafeRawPointer, _ other: UInt64, _ layout: TreeLayout, _ side: StepSide
  ) -> Int

  /// Whether a row that is there before and after the step keeps its position among unchanged rows.
  func keepsPosition(
    _ row: RowChange, _ before: UnsafeRawPointer, _ after: UnsafeRawPointer, _ step: UpkeepStep
  ) -> Bool
}

/// Rows of a table in insertion order: (row number, stamp).
package struct InsertionPlacement: RowPlacement {
  package init() {}

  package var orderToCheck: RowOrder? { nil }

  package func key(of row: RowChange, _ before: UnsafeRawPointer, _ old: StepSide) -> TreeKey {
    TreeKey(row.row, 0)
  }

  package func key(of row: RowChange, _ after: UnsafeRawPointer, stamp: UInt64, _ new: StepSide) -> TreeKey {
    TreeKey(row.row, stamp)
  }

  package func compare(
    _ entry: UInt64, _ object: UnsafeRawPointer, _ other: UInt64, _ layout: TreeLayout, _ side: StepSide
  ) -> Int { 0 }

  package func keepsPosition(
    _ row: RowChange, _ before: UnsafeRawPointer, _ after: UnsafeRawPointer, _ step: UpkeepStep
  ) -> Bool { true }
}

/// Entries of a list in its order: (label, occurrence).
struct ListPlacement: RowPlacement {
  var orderToCheck: RowOrder? { nil }

  func key(of row: RowChange, _ before: UnsafeRawPointer, _ old: StepSide) -> TreeKey {
    TreeKey(row.positions.old, row.row)
  }

  func key(of row: RowChange, _ after: UnsafeRawPointer, stamp: UInt64, _ new: StepSide) -> TreeKey {
    TreeKey(row.positions.new, row.row)
  }

  func compare(
    _ entry: UInt64, _ object: UnsafeRawPointer, _ other: UInt64, _ layout: TreeLayout, _ side: StepSide
  ) -> Int { 0 }

  func keepsPosition(
    _ row: RowChange, _ before: UnsafeRawPointer, _ after: UnsafeRawPointer, _ step: UpkeepStep
  ) -> Bool { row.positions.old == row.positions.new }
}

/// Rows by sort keys: (abbreviation of the first key, row number or occurrence). Ties are in insertion order,
/// in a list by their positions in it (L7).
package struct SortPlacement: RowPlacement {
  let order: RowOrder
  private let isExact: Bool

  package init(_ order: RowOrder) {
    self.order = order
    isExact = order.isExact
  }

  package var orderToCheck: RowOrder? { order.isConsistent ? nil : order }

  package func key(of row: RowChange, _ before: UnsafeRawPointer, _ old: StepSide) -> TreeKey {
    TreeKey(order.abbreviate(before, old.context), row.row)
  }

  package func key(of row: RowChange, _ after: UnsafeRawPointer, stamp: UInt64, _ new: StepSide) -> TreeKey {
    TreeKey(order.abbreviate(after, new.context), row.row)
  }

  package func compare(
    _ entry: UInt64, _ object: UnsafeRawPointer, _ other: UInt64, _ layout: TreeLayout, _ side: StepSide
  ) -> Int {
    if !isExact {
      let result = order.compare(object, side.context, side.object(layout.row(other)), side.context)
      if result != 0 { return result }
    }
    return ListPositions.compare(entry, side.positions, other, side.positions)
  }

  package func keepsPosition(
    _ row: RowChange, _ before: UnsafeRawPointer, _ after: UnsafeRawPointer, _ step: UpkeepStep
  ) -> Bool {
    ListPositions.compare(row.row, step.old.positions, row.row, step.new.positions) == 0
      && order.compare(before, step.old.context, after, step.new.context) == 0
  }
}
