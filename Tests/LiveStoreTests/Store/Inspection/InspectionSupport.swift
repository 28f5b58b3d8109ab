import LiveStore
import Synchronization

/// A clock that only the test moves.
final class ManualClock: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

extension Store.Configuration {
  /// With times of a clock that the test moves.
  static func timed(by clock: ManualClock) -> Store.Configuration {
    var configuration = Store.Configuration()
    configuration.now = { clock.now }
    return configuration
  }
}

/// An entity with a property of each kind.
struct InspectedPaper: Entity {
  struct Place: Equatable, Sendable { var section: Ref<InspectedTopic>? }

  let id: Int
  var slug = ""
  var title = ""
  var tags: [String] = []
  var topic: Ref<InspectedTopic>?
  var related = RefList<InspectedPaper>()
  var place: Place?
  var scratch = 0

  static let schema = Schema<InspectedPaper> {
    Property(\.slug, .unique)
    Property(\.title, .indexed, .searchable)
    Property(\.tags, .indexedElements)
    Relation(\.topic, onDelete: .cascade)
    Relation(\.related)
    Embedded(\.place) { Relation(\.section) }
    Ignored(\.scratch)
    Property(\.title, \.slug, .indexed)
  }
}

struct InspectedTopic: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<InspectedTopic> { \.name }
}
