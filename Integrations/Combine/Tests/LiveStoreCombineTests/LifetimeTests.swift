import Foundation
import LiveStore
import LiveStoreCombine
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

private typealias Items = Probe<CollectionChange<Item>>

/// Something a handler holds, whose release is to be seen.
private final class Captured: Sendable {
  func touch() {}
}

@Suite(.timeLimit(.minutes(5))) struct `Ends of a subscription` {
  @Test func `a cancelled subscription that waits receives nothing and leaves no observer`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .unlimited)
    store.publisher(for: Item.all).subscribe(probe)
    await probe.inputs.reached(1)
    #expect(store.metrics.observers == 1)
    probe.cancel()
    await untilUnobserved(store)
    try await insert(0..<3, in: store)
    probe.request(.unlimited)
    try await store.settled()
    #expect(probe.inputs.events.count == 1)
    #expect(probe.completions.events.isEmpty)
    probe.cancel()
  }

  @Test func `a subscription without demand ends by cancel`() async throws {
    let store = try await makeStore()
    let probe = Items()
    store.publisher(for: Item.all).subscribe(probe)
    #expect(store.metrics.observers == 1)
    probe.cancel()
    #expect(store.metrics.observers == 0)
  }

  @Test func `a subscription ends by cancel within receive`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .unlimited) { probe, change in
      if change.results?.count == 2 { probe.cancel() }
      return .max(1)
    }
    store.publisher(for: Item.all, mode: .everyCommit).subscribe(probe)
    try await insert(0..<5, in: store)
    await untilUnobserved(store)
    #expect(probe.inputs.events.last?.results?.count == 2)
    #expect(probe.completions.events.isEmpty)
  }

  @Test func `a subscription cancelled from another thread receives at most the delivery that was begun`()
    async throws
  {
    for round in UInt64(0)..<20 {
      let store = try await makeStore()
      let probe = Items(wanting: .unlimited)
      store.publisher(for: Item.all).subscribe(probe)
      async let writing: Void = insert(0..<60, in: store)
      let count = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          while store.version.number < round * 3 {}
          probe.cancel()
          continuation.resume(returning: probe.inputs.events.count)
        }
      }
      try await writing
      await untilUnobserved(store)
      #expect(probe.inputs.events.count <= count + 1)
      #expect(probe.completions.events.isEmpty)
      #expect(probe.overlapCount == 0)
    }
  }

  @Test func `a subscription ends by release of the token, which releases what the handler holds`()
    async throws
  {
    let store = try await makeStore()
    let received = Recorder<Void>()
    weak let seen: Captured?
    var token: AnyCancellable?
    do {
      let captured = Captured()
      seen = captured
      token = store.publisher(for: Item.all).sink(receiveCompletion: { _ in }) { _ in
        captured.touch()
        received.append(())
      }
    }
    await received.reached(1)
    #expect(seen != nil)
    #expect(token != nil)
    token = nil
    await untilUnobserved(store)
    while seen != nil && !Task.isCancelled { await Task.yield() }
    #expect(seen == nil)
  }

  @Test func `a subscription without demand ends by its release`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .max(1))
    store.publisher(for: Item.all).subscribe(probe)
    await probe.inputs.reached(1)
    #expect(store.metrics.observers == 1)
    probe.drop()
    await untilUnobserved(store)
    #expect(probe.completions.events.isEmpty)
  }

  @Test func `a subscription with demand does not end by its release`() async throws {
    let store = try await makeStore()
    let received = Recorder<Int?>()
    store.publisher(for: Item.all).subscribe(
      AnySubscriber(
        receiveSubscription: { $0.request(.max(2)) },
        receiveValue: {
          received.append($0.results?.count)
          return .none
        }))
    await received.reached(1)
    try await insert(0..<1, in: store)
    await received.reached(2)
    await untilUnobserved(store)
    #expect(received.events == [0, 1])
  }

  @Test func `a subscription ends with its completion, and holds nothing after it`() async throws {
    let store = try await makeStore()
    weak let seen: Items?
    do {
      let probe = Items(wanting: .unlimited)
      seen = probe
      store.publisher(for: Item.all).subscribe(probe)
      await probe.inputs.reached(1)
      store.close()
      await probe.completions.reached(1)
    }
    while seen != nil && !Task.isCancelled { await Task.yield() }
    #expect(seen == nil)
  }
}
