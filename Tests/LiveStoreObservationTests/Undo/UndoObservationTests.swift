import LiveStore
import LiveStoreObservation
import Observation
import Synchronization
import TestSupport
import Testing

/// What a menu shows of a stack.
@MainActor @Observable private final class EditMenu {
  let stack: UndoStack
  init(_ stack: UndoStack) { self.stack = stack }
  var undoTitle: String { stack.canUndo ? "Undo \(stack.undoName ?? "")" : "-" }
  var redoTitle: String { stack.canRedo ? "Redo \(stack.redoName ?? "")" : "-" }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct `Observing an undo stack` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try makeNoteStore()
    stack = UndoStack(store, merging: .zero)
  }

  /// Notes each invalidation of what a closure reads, once.
  private func observe<Value>(_ read: @MainActor () -> Value) -> Recorder<Bool> {
    let invalidations = Recorder<Bool>()
    withObservationTracking {
      _ = read()
    } onChange: {
      invalidations.append(true)
    }
    return invalidations
  }

  @Test func `a write is announced by the stack, and is a step when it has returned`() async throws {
    let menu = EditMenu(stack)
    #expect(menu.undoTitle == "-")
    let invalidations = observe { menu.undoTitle }
    try await stack.group("Insert") {
      try await store.write(origin: "ui") { tx in try tx.insert(Label(id: 1)) }
    }
    #expect(menu.undoTitle == "Undo Insert")
    await invalidations.reached(1)
  }

  @Test func `undo, redo and clear are announced before they return`() async throws {
    try await store.write(origin: "ui") { tx in try tx.insert(Label(id: 1)) }
    let menu = EditMenu(stack)
    for edit in [stack.undo, stack.redo] as [() async throws -> UndoReport?] {
      let invalidations = observe { menu.redoTitle }
      _ = try await edit()
      #expect(invalidations.count == 1)
    }
    let invalidations = observe { menu.undoTitle }
    stack.clear()
    #expect(invalidations.count == 1)
    #expect(menu.undoTitle == "-")
  }

  @Test func `a commit that changes nothing that is shown is not announced`() async throws {
    try await store.write(origin: "ui") { tx in try tx.insert(Label(id: 1)) }
    // What was announced is announced before this, in the order of the main actor.
    await Task { @MainActor in }.value
    let invalidations = observe { (stack.canUndo, stack.canRedo, stack.undoName) }
    try await store.write(origin: "ui") { tx in try tx.insert(Label(id: 2)) }
    try await store.write(origin: "sync") { tx in try tx.insert(Label(id: 3)) }
    await Task { @MainActor in }.value
    #expect(invalidations.count == 0)
    stack.clear()
    #expect(invalidations.count == 1)
  }

  @Test func `a blocking write from another thread is announced`() async throws {
    let store = store
    let invalidations = observe { stack.canUndo }
    try await Worker { try store.write(origin: "ui") { tx in try tx.insert(Label(id: 1)) } }.value()
    #expect(stack.canUndo)
    await invalidations.reached(1)
  }
}

/// Tells when it is released.
private final class Canary: Sendable {
  private let released: Recorder<Bool>
  private let farewell: @Sendable () -> Void

  init(_ released: Recorder<Bool>, _ farewell: @escaping @Sendable () -> Void = {}) {
    self.released = released
    self.farewell = farewell
  }

  deinit {
    farewell()
    released.append(true)
  }
}

private struct Bird: Entity {
  let id: Int
  var name = ""
  var canary: Canary?

  static let schema = Schema<Bird> {
    \.name
    Ignored(\.canary)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The life of an undo stack` {
  private let store: Store
  private let released = Recorder<Bool>()

  init() throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Bird.self, configuration: configuration)
  }

  /// A stack that alone holds a canary.
  private func makeStack() async throws -> UndoStack {
    try await store.write { tx in try tx.insert(Bird(id: 1, canary: Canary(released))) }
    let stack = UndoStack(store, merging: .zero)
    try await store.write(origin: "ui") { tx in try tx.delete(Bird.self, 1) }
    await untilReceived()
    return stack
  }

  /// Until the main actor has notified observers of what was written: while it does, it holds the stack.
  private func untilReceived() async { await MainActor.run {} }

  @Test func `releasing an undo stack releases what it holds`() async throws {
    var stack: UndoStack? = try await makeStack()
    weak let reference = stack
    #expect(stack?.objectCount == 1)
    #expect(released.count == 0)
    stack = nil
    #expect(reference == nil)
    #expect(released.count == 1)
  }

  @Test func `a recorder receives commits as long as it lives, and releases what it captured`() throws {
    let versions = Recorder<Version>()
    var canary: Canary? = Canary(released)
    var recorder: CommitRecorder? = CommitRecorder(store) { [canary] commit in
      withExtendedLifetime(canary) { versions.append(commit.version) }
    }
    canary = nil
    try store.write { tx in try tx.insert(Bird(id: 1)) }
    #expect(versions.events == [store.version])
    #expect(released.count == 0)
    recorder = nil
    #expect(released.count == 1)
    try store.write { tx in try tx.insert(Bird(id: 2)) }
    #expect(versions.count == 1)
    _ = recorder
  }

  @Test func `clearing an undo stack releases what it holds`() async throws {
    let stack = try await makeStack()
    stack.clear()
    #expect(released.count == 1)
  }

  @Test func `a step that is forgotten releases what it holds`() throws {
    let stack = UndoStack(store, maximumSteps: 1, merging: .zero)
    try store.write { tx in try tx.insert(Bird(id: 1, canary: Canary(released))) }
    try store.write(origin: "ui") { tx in try tx.delete(Bird.self, 1) }
    #expect(released.count == 0)
    try store.write(origin: "ui") { tx in try tx.insert(Bird(id: 2)) }
    #expect(released.count == 1)
    #expect(stack.stepCount == 1)
  }

  @Test func `a value that a group releases may use the stack while it is freed`() throws {
    let stack = UndoStack(store, merging: .zero)
    let makeCanary = { [released, weak stack] in Canary(released) { _ = stack?.objectCount } }
    func write(_ origin: String, _ name: String, _ canary: Canary?) throws {
      try store.write(origin: origin) { tx in try tx.upsert(Bird(id: 1, name: name, canary: canary)) }
    }
    try write("sync", "a", makeCanary())
    try stack.group {
      try write("ui", "b", makeCanary())
      try write("sync", "c", nil)
      #expect(released.count == 0)
      // The sum of the group begins after what others wrote.
      try write("ui", "d", nil)
      #expect(released.count == 2)
    }
    #expect(stack.objectCount == 1)
  }

  @Test func `a store and its stack do not keep each other alive`() async throws {
    weak var reference: Store?
    do {
      let store = try makeNoteStore()
      let stack = UndoStack(store, merging: .zero)
      try await store.write(origin: "ui") { tx in try tx.insert(Label(id: 1)) }
      reference = store
      #expect(stack.canUndo)
      await untilReceived()
    }
    #expect(reference == nil)
  }

  @Test func `steps of an undo stack pin no version`() throws {
    let store = try makeNoteStore(
      {
        var configuration = Store.Configuration()
        configuration.historyCommits = 0
        return configuration
      }())
    let stack = UndoStack(store, merging: .zero)
    for id in 0..<50 { try store.write(origin: "ui") { tx in try tx.insert(Label(id: id)) } }
    #expect(stack.stepCount == 50)
    #expect(store.metrics.versionsPinned == 1)
  }

  @Test func `writers, undoers and redoers of many tasks end where they began`() async throws {
    let store = try makeNoteStore()
    try await store.write { tx in try tx.insert(contentsOf: (0..<40).map { Label(id: $0, name: "start") }) }
    let before = store.content
    let stack = UndoStack(store, maximumSteps: 10_000, merging: .zero)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          var random = SplitMix64(seed: UInt64(task))
          for round in 0..<150 {
            switch random.int(0...5) {
            case 0: try await stack.undo()
            case 1: try await stack.redo()
            case 2:
              try await stack.group {
                for _ in 0..<2 {
                  try await store.write(origin: "ui") { tx in
                    let id = random.int(0...39)
                    if tx[Label.self, id] != nil { try tx.update(Label.self, id) { $0.name += "!" } }
                  }
                }
              }
            default:
              try await store.write(origin: "ui") { tx in
                let id = random.int(0...39)
                if try !tx.delete(Label.self, id) { try tx.insert(Label(id: id, name: "\(task) \(round)")) }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    while let report = try await stack.undo() { #expect(report.conflicts == []) }
    #expect(store.content == before)
    #expect(store.breach == nil)
  }
}
