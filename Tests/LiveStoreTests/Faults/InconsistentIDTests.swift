import LiveStore
import TestSupport
import Testing

/// An object with an id that may be inconsistent.
private struct Suspect: Entity, Equatable {
  let id: InconsistentValue
  var number: Int
  static let schema = Schema<Suspect> { Property(\.number, .indexed) }

  static func == (lhs: Suspect, rhs: Suspect) -> Bool {
    lhs.number == rhs.number && lhs.id.number == rhs.id.number && lhs.id.salt == rhs.id.salt
  }
}

/// Consistent numbers, found by queries, whatever ids say.
@Suite(.timeLimit(.minutes(10))) struct `Inconsistent ids` {
  @Test(arguments: Inconsistency.allCases)
  func `inconsistent ids leave the table sound and queries by other properties right`(
    inconsistency: Inconsistency
  )
    async throws
  {
    var random = SplitMix64(seed: 7)
    let store = try Store(Suspect.self)
    let seen = CheckedCount()
    let token = store.observe(Suspect.where { $0.number >= 50 }) { seen.receive($0) }
    var expected = 0
    for round in 0..<30 {
      try await store.write { tx in
        for _ in 0..<10 {
          let id = InconsistentValue(
            number: random.int(0...30), inconsistency: random.chance(1, in: 2) ? inconsistency : nil,
            salt: random.int(0...2))
          // What an inconsistent id finds is undefined; what was found is there.
          if random.chance(1, in: 3) {
            try? tx.insert(Suspect(id: id, number: round))
          } else {
            try tx.upsert(Suspect(id: id, number: round + 50))
          }
          if random.chance(1, in: 4) { try tx.delete(Suspect.self, id) }
        }
      }
      try await store.settled()
      let rows = Array(store.snapshot().fetch(Suspect.all))
      expected = rows.count { $0.number >= 50 }
      #expect(store.snapshot().fetch(Suspect.where { $0.number >= 50 }).count == expected)
      #expect(seen.last == expected)
    }
    try await store.write { tx in try tx.delete(Suspect.where { $0.number >= 0 }) }
    try await store.settled()
    #expect(seen.last == 0 && store.snapshot().fetch(Suspect.all).count == 0)
    #expect(try store.snapshot().breachOfTables() == nil)
    try await store.write { tx in
      for number in 0..<20 { try tx.insert(Suspect(id: InconsistentValue(number: number), number: number)) }
    }
    for number in 0..<20 {
      #expect(store.snapshot()[Suspect.self, InconsistentValue(number: number)]?.number == number)
    }
    token.invalidate()
  }
}

/// How many rows an observer was given last.
private final class CheckedCount: Sendable {
  private let counts = Recorder<Int>()
  var last: Int? { counts.last }
  func receive(_ change: CollectionChange<Suspect>) {
    counts.append(change.results?.map(\.number).count ?? -1)
  }
}
