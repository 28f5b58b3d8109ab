import Synchronization

/// How many of the things that hold memory are alive in this process: in debug builds alone, for tests of what is
/// freed.
///
/// Objects need no count of their own: they lie in leaves and nowhere else.
package enum LiveCounts {
  package enum Kind: Int, CaseIterable, Sendable {
    /// Nodes of trees, and of the indexes from ids to rows.
    case nodes, hashNodes
    /// Tables at one version, those of transactions included.
    case states
    /// Places of observers, maintained results, and deliveries to handlers.
    case followers, queries, deliveries
    case engines, models, undoStacks
  }

  #if DEBUG
    private final class Counter: Sendable {
      let value = Atomic(0)
    }

    private static let counters = Kind.allCases.map { _ in Counter() }

    package static func of(_ kind: Kind) -> Int { counters[kind.rawValue].value.load(ordering: .acquiring) }

    /// Those of which there are any.
    package static var all: [Kind: Int] {
      Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, of($0)) }).filter { $0.value != 0 }
    }

    package static func add(_ kind: Kind) { counters[kind.rawValue].value.add(1, ordering: .relaxed) }

    /// Releasing: who sees the count sees what was done before.
    package static func remove(_ kind: Kind) {
      counters[kind.rawValue].value.subtract(1, ordering: .releasing)
    }
  #else
    @inline(__always) static func add(_: Kind) {}
    @inline(__always) static func remove(_: Kind) {}
  #endif
}
