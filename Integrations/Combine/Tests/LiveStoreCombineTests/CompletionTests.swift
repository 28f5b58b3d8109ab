import LiveStore
import LiveStoreCombine
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

private typealias Items = Probe<CollectionChange<Item>>

private struct Stranger: Entity {
  let id: Int
  static let schema = Schema<Stranger> {}
}

@Suite(.timeLimit(.minutes(5))) struct `A publisher` {
  @Test func `a publisher finishes when the store is closed`() async throws {
    let store = try await makeStore(0..<1)
    let probe = Items(wanting: .unlimited)
    store.publisher(for: Item.all).subscribe(probe)
    await probe.inputs.reached(1)
    store.close()
    await probe.completions.reached(1)
    probe.request(.unlimited)
    #expect(probe.completions.events == [nil])
    #expect(probe.inputs.events.count == 1)
  }

  @Test func `a publisher reports that the store was closed when the next event is wanted`() async throws {
    let store = try await makeStore(0..<1)
    let probe = Items(wanting: .max(1))
    store.publisher(for: Item.all).subscribe(probe)
    await probe.inputs.reached(1)
    store.close()
    #expect(probe.completions.events.isEmpty)
    probe.request(.max(1))
    await probe.completions.reached(1)
    #expect(probe.completions.events == [nil])
  }

  @Test func `a publisher of a closed store fails`() async throws {
    let store = try await makeStore(0..<1)
    let publisher = store.publisher(for: Item.all)
    store.close()
    let probe = Items(wanting: .max(1))
    publisher.subscribe(probe)
    await probe.completions.reached(1)
    #expect(probe.completions.events.map { $0?.code } == [StoreError.closed])
    #expect(probe.inputs.events.isEmpty)
  }

  @Test func `a publisher of an unknown entity fails, whatever the form of its changes`() async throws {
    let store = try await makeStore()
    await expectUnknown(store.publisher(for: Stranger.all))
    await expectUnknown(store.publisher(for: Stranger.all.count))
    await expectUnknown(store.publisher(for: Stranger.self, 1))
    await expectUnknown(store.publisher(for: Stranger.all.sectioned { (one: Stranger) in one.id }))
    await expectUnknown(store.publisher(for: Item.all, Stranger.all.count))
    await expectUnknown(store.valuePublisher(for: Stranger.all))
  }

  private func expectUnknown<Output>(_ publisher: StorePublisher<Output>) async {
    let probe = Probe<Output>(wanting: .unlimited)
    publisher.subscribe(probe)
    await probe.completions.reached(1)
    #expect(probe.completions.events.map { $0?.code } == [StoreError.unknownEntity])
    #expect(probe.inputs.events.isEmpty)
  }

  @Test func `a publisher of every commit fails when its subscriber falls behind the history`() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 3
    let store = try await makeStore(configuration: configuration)
    let probe = Items(wanting: .max(1))
    store.publisher(for: Item.all, mode: .everyCommit).subscribe(probe)
    await probe.inputs.reached(1)
    try await insert(0..<10, in: store)
    probe.request(.unlimited)
    await probe.completions.reached(1)
    #expect(probe.completions.events.map { $0?.code } == [StoreError.historyTruncated])
    #expect(probe.completions.events.first??.oldest?.number == 7)
    #expect(probe.inputs.events.count == 1)
    await untilUnobserved(store)
  }

  @Test func `a publisher completes at most once, and not after cancel, when both meet`() async throws {
    for _ in 0..<50 {
      let store = try await makeStore(0..<1)
      let probe = Items(wanting: .unlimited)
      store.publisher(for: Item.all).subscribe(probe)
      async let closing: Void = store.close()
      async let cancelling: Void = probe.cancel()
      _ = await (closing, cancelling)
      await untilUnobserved(store)
      #expect(probe.completions.events.count <= 1)
    }
  }
}
