import LiveStore
import Synchronization
import TestSupport

/// One run of a story: a store whose background work, observers and tasks run on the thread of the simulation, in an
/// order that follows from the story, against plain Swift.
final class Simulation {
  /// A write in a task, and what came of it.
  private final class Flight: Sendable {
    enum Outcome {
      case done
      /// The body or the commit was refused.
      case failed
      case cancelled
    }

    let transaction: SimulatedTransaction
    let outcome = Mutex<Outcome?>(nil)
    let task = Mutex<Task<Void, Never>?>(nil)

    init(_ transaction: SimulatedTransaction) { self.transaction = transaction }

    func run(_ body: () async throws -> Void) async {
      let outcome: Outcome
      do {
        try await body()
        outcome = .done
      } catch is CancellationError {
        outcome = .cancelled
      } catch {
        outcome = .failed
      }
      self.outcome.withLock { $0 = outcome }
    }
  }

  private let story: SimulationTrace
  private let executor = SeededExecutor()
  private let world: LinkedWorld
  private let choices = LinkedMoves()
  private var observers: [(seed: UInt64, observer: any SimulatedObserver)] = []
  private var flights: [Flight] = []
  private var held: [Snapshot] = []
  private var isClosed = false
  private var current = "the writer"

  private init(_ story: SimulationTrace) throws {
    self.story = story
    var configuration = Store.Configuration()
    configuration.executor = executor
    world = try SchemaPlan.$current.withValue(story.plan) {
      try LinkedWorld(story.plan.modelRules, configuration: configuration)
    }
  }

  /// What is wrong in a scenario; nil if nothing is.
  static func failure(of story: SimulationTrace) -> String? {
    let simulation: Simulation
    do { simulation = try Simulation(story) } catch { return "\(error)" }
    defer { simulation.leave() }
    for (number, act) in story.acts.enumerated() {
      do {
        try simulation.perform(act)
      } catch {
        return "act \(number), \(act): \(simulation.current): \(error)"
      }
    }
    do { try simulation.finish() } catch { return "in the end: \(simulation.current): \(error)" }
    return nil
  }

  private func perform(_ act: SimulationTrace.Act) throws {
    current = "the writer"
    switch act {
    case .arrive(let seed):
      if isClosed { return }
      observers.append(
        (seed, try ObserverGenerator.observer(seed, isOfLists: story.isOfLists, world, executor, choices)))
    case .leave(let seed):
      for index in observers.indices.reversed() where observers[index].seed == seed {
        observers.remove(at: index).observer.leave()
      }
    case .act(let seed):
      var random = SplitMix64(seed: seed)
      for (number, observer) in observers where number == seed { observer.act(&random) }
    case .write(let transaction): try write(transaction)
    case .start(let transaction), .begin(let transaction):
      if case .begin = act { begin(transaction) } else { start(transaction) }
    case .cancel(let seed):
      if flights.isEmpty { return }
      flights[Int(seed % UInt64(flights.count))].task.withLock { $0?.cancel() }
    case .hold: held.append(world.store.snapshot())
    case .run(let count, let seed):
      var random = SplitMix64(seed: seed)
      for _ in 0..<count where try step(&random) {}
    case .settle(let seed):
      var random = SplitMix64(seed: seed)
      try settle(&random)
    case .close:
      isClosed = true
      world.store.close()
    }
  }

  // MARK: Writing

  private func write(_ transaction: SimulatedTransaction) throws {
    if isClosed { return }
    let before = world.version
    let outcome = transaction.outcome(world.model)
    do {
      try world.store.write(origin: transaction.origin) { tx in try transaction.perform(tx) }
      try note(outcome, transaction, after: before)
      return
    } catch let error as StoreError {
      switch outcome {
      case .committed: throw Mismatch("refused: \(error)")
      case .refused(let violations):
        try require(violations.contains { $0.isReported(by: error) }, "\(error), not \(violations)")
      case .thrown: try require(error.code == StoreError.duplicateID, "\(error), where the body throws")
      }
    } catch is GivenUp {
      guard case .thrown = outcome else { throw Mismatch("thrown") }
    }
    try require(world.version == before, "what was refused made a version")
  }

  private func note(
    _ outcome: SimulatedTransaction.Outcome, _ transaction: SimulatedTransaction, after before: Version
  ) throws {
    guard case .committed(let model, let isChanged) = outcome else {
      throw Mismatch("committed: \(transaction), not \(outcome)")
    }
    try require((world.version != before) == isChanged, "\(world.version) after \(before): \(transaction)")
    if isChanged { world.note(model, origin: transaction.origin) }
  }

  private func start(_ transaction: SimulatedTransaction) {
    let (store, flight) = (world.store, Flight(transaction))
    fly(flight) {
      try await store.write(origin: transaction.origin) { tx in try transaction.perform(tx) }
    }
  }

  private func begin(_ transaction: SimulatedTransaction) {
    let (store, flight) = (world.store, Flight(transaction))
    fly(flight) {
      try await store.transaction(origin: transaction.origin) { tx in
        for edit in transaction.edits {
          try edit.perform(tx)
          await Task.yield()
        }
      }
    }
  }

  private func fly(_ flight: Flight, _ body: @escaping @Sendable () async throws -> Void) {
    let task = Task.detached(executorPreference: executor) { await flight.run(body) }
    flight.task.withLock { $0 = task }
    flights.append(flight)
  }

  // MARK: Running

  /// Runs one job; false if there is none. A commit in it is that of the task that reports it.
  private func step(_ random: inout SplitMix64) throws -> Bool {
    let before = world.version
    guard executor.step(&random) else { return false }
    let landed = flights.filter { $0.outcome.withLock { $0 } != nil }
    flights.removeAll { flight in landed.contains { $0 === flight } }
    for flight in landed where flight.outcome.withLock({ $0 }) == .done {
      guard world.version != before else { continue }
      try note(flight.transaction.outcome(try world.model(before)), flight.transaction, after: before)
    }
    try require(world.versions.last == world.version, "a commit that no observer reports")
    return true
  }

  private func settle(_ random: inout SplitMix64) throws {
    let (store, settled) = (world.store, Flight(SimulatedTransaction(edits: [])))
    let task = Task.detached(executorPreference: executor) { await settled.run { try await store.settled() } }
    while try step(&random) {}
    current = "settled()"
    if settled.outcome.withLock({ $0 }) == nil {
      task.cancel()
      throw Mismatch("it does not return, with nothing left to run")
    }
    for (_, observer) in observers {
      current = observer.name
      if isClosed { try observer.look(world) } else { try observer.requireDelivered(world) }
    }
    current = "the tables"
    try require(
      ModelStore.social(world.store.snapshot()).isSame(as: world.model), "not what plain Swift holds")
  }

  private func finish() throws {
    var random = SplitMix64(seed: story.seed)
    try settle(&random)
    try require(flights.isEmpty, "a task that does not end")
    current = "the held snapshots"
    for snapshot in held {
      try require(
        ModelStore.social(snapshot).isSame(as: world.model(snapshot.version)),
        "\(snapshot.version) is another")
    }
    if let breach = try world.store.snapshot().breachOfTables() { throw Mismatch(breach) }
  }

  /// Ends everything, so that no task is left on an executor that no test drives.
  private func leave() {
    for (_, observer) in observers { observer.leave() }
    for flight in flights { flight.task.withLock { $0?.cancel() } }
    world.store.close()
    var random = SplitMix64(seed: 0)
    while executor.step(&random) {}
  }
}
