import LiveStore
import Synchronization
import TestSupport

/// How a transaction is run.
enum WriteMode: String, CaseIterable, Sendable {
  case sync, async, optimistic
}

struct Cell: Entity, Hashable {
  let id: Int
  var value: Int

  static let schema = Schema<Cell> { Property(\.value, .indexed) }
}

/// Lets two transactions alternate, step by step; a step that has passed once is not waited for again.
final class Schedule: Sendable {
  private struct State {
    var reached = 0
    var waiting: [(step: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// Waits for the step before to be over.
  func begin(_ step: Int) async {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        if state.reached >= step { return true }
        state.waiting.append((step, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  func end(_ step: Int) {
    let due = state.withLock { state in
      state.reached = max(state.reached, step + 1)
      let due = state.waiting.filter { $0.step <= state.reached }
      state.waiting.removeAll { $0.step <= state.reached }
      return due
    }
    for waiter in due { waiter.continuation.resume() }
  }
}

/// A step of a transaction at a place of the schedule.
struct Step: Sendable {
  let place: Int
  let body: @Sendable (borrowing WriteTransaction) throws -> Void

  init(_ place: Int, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) {
    self.place = place
    self.body = body
  }
}

/// Two transactions over the same store. Optimistic ones are interleaved step by step; of the others, which have
/// the write lock for all of their body, the second is called while the first is in the midst of its.
struct Interleaving {
  let store: Store
  let mode: WriteMode

  /// Runs both.
  ///
  /// - Returns: how each ended: nil, or its error.
  func run(_ first: [Step], _ second: [Step]) async -> ((any Error)?, (any Error)?) {
    let schedule = Schedule()
    switch mode {
    case .optimistic:
      async let one = optimistic(first, schedule)
      async let two = optimistic(second, schedule)
      return await (one, two)
    case .async:
      let begun = Recorder<Void>()
      async let one = failure { try await store.write { tx in try body(first, begun, tx) } }
      await begun.reached(1)
      async let two = failure { try await store.write { tx in try body(second, nil, tx) } }
      return await (one, two)
    case .sync:
      let begun = Recorder<Void>()
      let one = Worker { try store.write { tx in try body(first, begun, tx) } }
      await begun.reached(1)
      let two = Worker { try store.write { tx in try body(second, nil, tx) } }
      return await (failure { try await one.value() }, failure { try await two.value() })
    }
  }

  private func body(
    _ steps: [Step], _ begun: Recorder<Void>?, _ tx: borrowing WriteTransaction
  ) throws {
    for step in steps {
      try step.body(tx)
      begun?.append(())
    }
  }

  private func optimistic(_ steps: [Step], _ schedule: Schedule) async -> (any Error)? {
    let places = Set(steps.map(\.place))
    let failure = await failure {
      try await store.transaction { tx in
        for step in steps {
          await schedule.begin(step.place)
          // One that throws ends its transaction, and the other continues.
          defer { schedule.end(step.place) }
          try step.body(tx)
        }
      }
    }
    for place in places { schedule.end(place) }
    return failure
  }

  private func failure(_ body: () async throws -> Void) async -> (any Error)? {
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }
}
