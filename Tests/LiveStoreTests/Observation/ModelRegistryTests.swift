import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite struct `Writers with models` {
  private let model = ModelRegistry.Model(collect: {}, publish: {})

  /// Bug: code on the main queue counted as the main actor's, and touched its models, with an executor of the process's own
  /// for the main actor.
  @MainActor @Test
  func `code on the main queue is not the main actor's where that was met off the main queue`() async {
    let isOnMainQueue = Mutex(false)
    let registry = ModelRegistry(isOnMainQueue: { isOnMainQueue.withLock { $0 } })
    registry.add(model, 1, on: MainActor.shared)
    isOnMainQueue.withLock { $0 = true }
    #expect(await writesAsMainActor(registry) == false)
    #expect(registry.writer(MainActor.shared) != nil)
  }

  @MainActor @Test func `code that is isolated to nothing is the main actor's where it runs there`() async {
    let isOnMainQueue = Mutex(true)
    let registry = ModelRegistry(isOnMainQueue: { isOnMainQueue.withLock { $0 } })
    #expect(registry.writer(nil) == nil)
    registry.add(model, 1, on: MainActor.shared)
    #expect(registry.writer(nil) != nil)
    isOnMainQueue.withLock { $0 = false }
    #expect(await writesAsMainActor(registry) == false)
  }

  @concurrent private func writesAsMainActor(_ registry: ModelRegistry) async -> Bool {
    registry.writer(nil) != nil
  }
}
