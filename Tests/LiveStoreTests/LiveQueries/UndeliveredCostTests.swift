import LiveStore
import Synchronization
import TestSupport
import Testing

/// A value that counts how often it is compared.
private struct Mark: Equatable, Sendable {
  static let comparisons = Atomic(0)

  var value: Int

  static func == (lhs: Mark, rhs: Mark) -> Bool {
    comparisons.add(1, ordering: .relaxed)
    return lhs.value == rhs.value
  }
}

private struct Ticket: Entity {
  let id: Int
  var mark = Mark(value: 0)
  var views = 0

  static let schema = Schema<Ticket> {
    \.mark
    \.views
  }
}

/// What an observer of some properties costs while others change.
@Suite(.serialized) struct UndeliveredCostTests {
  @Test(arguments: [DeliveryMode.latest, .everyCommit])
  func `commits that an observer does not receive cost what they changed`(mode: DeliveryMode) async throws {
    let store = try Store(Ticket.self)
    let count = 300
    try await store.write { tx in try tx.insert(contentsOf: (0..<count).map { Ticket(id: $0) }) }
    let events = Recorder<CollectionChange<Ticket>>()
    let token = store.observe(Ticket.all, properties: [\.mark], mode: mode) { events.append($0) }
    try await store.settled()
    let before = Mark.comparisons.load(ordering: .relaxed)
    for id in 0..<count {
      try await store.write { tx in try tx.update(Ticket.self, id) { $0.views += 1 } }
      try await store.settled()
    }
    // Linear: of each commit's row a few times. Were all compared again each time, it would be 45,000.
    #expect(Mark.comparisons.load(ordering: .relaxed) - before <= 8 * count)
    #expect(events.count == 1)
    try await store.write { tx in try tx.update(Ticket.self, 7) { $0.mark.value = 1 } }
    try await store.settled()
    let change = try #require(events.events.last?.changes)
    #expect(change.modifications.map(\.id) == [7])
    // What it received last, not what it has examined since.
    #expect(change.previous.allSatisfy { $0.views == 0 })
    #expect(change.current.allSatisfy { $0.views == 1 })
    token.invalidate()
  }
}
