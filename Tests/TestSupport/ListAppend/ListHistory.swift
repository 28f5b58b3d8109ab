/// A transaction of a history of appends to lists, as its client saw it.
package struct ListTransaction: Sendable {
  /// What it did, in order.
  package enum Operation: Sendable, Hashable {
    /// Adds a value, unique in the history, at the end of a list.
    case append(key: Int, value: Int)
    /// Finds these values in a list.
    case read(key: Int, values: [Int])
  }

  package enum Outcome: Sendable {
    case committed
    /// Nothing of it may ever be seen.
    case aborted
  }

  package let operations: [Operation]
  package let outcome: Outcome
  /// When it was called and when it returned, in any clock that all clients share; nil where not known.
  package let interval: ClosedRange<UInt64>?

  package init(
    _ operations: [Operation], _ outcome: Outcome = .committed, interval: ClosedRange<UInt64>? = nil
  ) {
    self.operations = operations
    self.outcome = outcome
    self.interval = interval
  }
}

/// A way in which a history is not what serial transactions would have left.
package enum Anomaly: String, Sendable, Hashable, CaseIterable {
  /// A cycle of writes alone.
  case g0 = "G0"
  /// A value of an aborted transaction was read.
  case g1a = "G1a"
  /// A value that its transaction had overwritten before it committed was read: for lists, a part of what a
  /// transaction appended.
  case g1b = "G1b"
  /// A cycle of writes and reads of what was written.
  case g1c = "G1c"
  /// A cycle with one read of what was overwritten later.
  case gSingle = "G-single"
  /// A cycle with several such reads.
  case g2 = "G2"
  /// Two reads of one list of which neither begins with the other, a value twice in a list, or one out of nowhere.
  case incompatible = "incompatible orders"
  /// A transaction read something else than what it had appended itself.
  case inner = "internal"
}
