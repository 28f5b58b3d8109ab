import Synchronization

/// How many memory-holding things of each kind are alive in this process; only in debug builds, for tests of
/// deallocation.
///
/// Objects need no count of their own: they are in leaves and nowhere else.
package enum LiveCounts {
  package enum Kind: Int, CaseIterable, Sendable {
    /// Nodes of trees, and of the indexes from ids to rows.
    case nodes, hashNodes
    /// Tables at one version, including the tables of transactions.
    case states
    /// Observers' cursors, maintained results, and deliveries to handlers.
    case subscribers, queries, deliveries
    case engines, models, undoStacks
  }

  #if DEBUG
    private final class Counter: Sendable {
      let value = Atomic(0)
    }

    private static let counters = Kind.allCases.map { _ in Counter() }

    package static func of(_ kind: Kind) -> Int { counters[kind.rawValue].value.load(ordering: .acquiring) }

    /// The kinds of which any are alive.
    package static var all: [Kind: Int] {
      Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, of($0)) }).filter { $0.value != 0 }
    }

    package static func add(_ kind: Kind) { counters[kind.rawValue].value.add(1, ordering: .relaxed) }

    /// Releasing: a reader of the count sees all writes before it.
    package static func remove(_ kind: Kind) {
      counters[kind.rawValue].value.subtract(1, ordering: .releasing)
    }
  #else
    @inline(__always) static func add(_: Kind) {}
    @inline(__always) static func remove(_: Kind) {}
  #endif
}
