import LiveStore
import TestSupport
import Testing

/// A piece of work on its way from a producer to whoever takes it.
private struct Job: Entity, Equatable {
  struct ID: Hashable, Comparable, Sendable {
    let producer: Int
    let number: Int
    static func < (lhs: ID, rhs: ID) -> Bool { (lhs.producer, lhs.number) < (rhs.producer, rhs.number) }
  }

  let id: ID
  var isUrgent = false
  static let schema = Schema<Job> { Property(\.isUrgent, .indexed) }
}

/// How many jobs a producer has made.
private struct Made: Entity {
  let id: Int
  var count = 0
  static let schema = Schema<Made> { \.count }
}

/// How many jobs of a producer have been taken.
private struct Taken: Entity {
  let id: Int
  var count = 0
  static let schema = Schema<Taken> { \.count }
}

/// Jobs handed from producers to consumers through a table, by sync, async and optimistic transactions together.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HandOverTests {
  private static let producers = WriteMode.allCases + [.async]
  private static let consumers = WriteMode.allCases + [.optimistic]

  /// Producers add at the end, consumers take the first, and no other task writes to the table.
  @Test func `each job is handed over once, in the order of its producer`() async throws {
    try await withWatchdog("a queue of jobs", seconds: 1_100) {
      let store = try Store(Job.self, Made.self, Taken.self)
      try await store.write { tx in
        for id in Self.producers.indices {
          try tx.insert(Made(id: id))
          try tx.insert(Taken(id: id))
        }
      }
      let followed = CheckedObserver<Job>()
      let urgent = CheckedObserver<Job>()
      let tokens = [
        store.observe(Job.all) { @Sendable in followed.receive($0) },
        store.observe(Job.where { $0.isUrgent }.limit(3), mode: .everyCommit) { @Sendable in
          urgent.receive($0)
        },
      ]
      let (made, taken) = try await Self.run(store)
      try await store.settled()
      #expect(
        made.count == taken.count && Set(made) == Set(taken), "\(made.count) made, \(taken.count) taken")
      #expect(Set(made).count == made.count && !made.isEmpty, "made twice")
      let snapshot = store.snapshot()
      #expect(snapshot.count(Job.all) == 0)
      #expect(snapshot.fetch(Made.all).map(\.count) == snapshot.fetch(Taken.all).map(\.count))
      #expect(followed.breaches == [] && followed.rows == [])
      #expect(urgent.breaches == [] && urgent.error.map { $0.code == StoreError.historyTruncated } ?? true)
      for token in tokens { token.invalidate() }
    }
  }

  private static func run(_ store: Store) async throws -> (made: [Job.ID], taken: [Job.ID]) {
    let deadline = Deadline(share: 0.3)
    let isProduced = Flag()
    async let made = withThrowingTaskGroup(of: [Job.ID].self) { group in
      for (producer, mode) in producers.enumerated() {
        group.addTask {
          try await writeRepeatedly(store, mode, seed: UInt64(producer), while: { !deadline.isOver }) {
            tx, random in
            let number = try tx.update(Made.self, producer) { made in
              made.count += 1
              return made.count - 1
            }
            let id = Job.ID(producer: producer, number: number)
            try tx.insert(Job(id: id, isUrgent: random.chance(1, in: 5)))
            return id
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    async let taken = withThrowingTaskGroup(of: [Job.ID].self) { group in
      for (consumer, mode) in consumers.enumerated() {
        group.addTask {
          try await writeRepeatedly(
            store, mode, seed: UInt64(consumer),
            while: { !isProduced.isSet || store.snapshot().count(Job.all) > 0 }
          ) { tx, _ -> Job.ID? in
            guard let job = tx.fetch(Job.all.limit(1)).first else { return nil }
            let before = try tx.update(Taken.self, job.id.producer) { taken in
              taken.count += 1
              return taken.count - 1
            }
            try require(before == job.id.number, "\(job.id) is taken after \(before)")
            try tx.delete(Job.self, job.id)
            return job.id
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let all = try await made
    isProduced.set()
    return (all, try await taken)
  }
}
