import Dispatch
import LiveStore
import LiveStoreCombine
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
  import OpenCombineDispatch
#endif

@Suite(.timeLimit(.minutes(5))) struct `Operators` {
  @Test func `receive(on:) delivers on the queue`() async throws {
    let store = try await makeStore(0..<1)
    let queue = DispatchQueue(label: "receives")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let received = Recorder<(count: Int?, isOnQueue: Bool)>()
    let token = store.publisher(for: Item.all).receive(on: scheduler(queue)).sink(
      receiveCompletion: { _ in },
      receiveValue: { change in
        received.append((change.results?.count, DispatchQueue.getSpecific(key: key) == true))
      })
    await received.reached(1)
    try await insert(1..<2, in: store)
    await received.reached(2)
    #expect(received.events.map(\.count) == [1, 2])
    #expect(received.events.map(\.isOnQueue) == [true, true])
    token.cancel()
    await untilUnobserved(store)
  }

  @Test func `first(where:) ends the observation by itself`() async throws {
    let store = try await makeStore()
    let probe = Probe<CollectionChange<Item>>(wanting: .unlimited)
    store.publisher(for: Item.all).first { $0.results?.count == 1 }.subscribe(probe)
    try await insert(0..<1, in: store)
    await probe.completions.reached(1)
    await untilUnobserved(store)
    try await insert(1..<3, in: store)
    #expect(probe.inputs.events.map { $0.results?.count } == [1])
    #expect(probe.completions.events == [nil])
  }

  @Test func `map and removeDuplicates deliver only what differs`() async throws {
    let store = try await makeStore(0..<1)
    let received = Recorder<Bool>()
    let token = store.valuePublisher(for: Item.all.count).map { $0 > 2 }.removeDuplicates()
      .sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) })
    await received.reached(1)
    try await insert(1..<5, in: store)
    await received.reached(2)
    try await store.write { tx in try tx.deleteAll() }
    await received.reached(3)
    #expect(received.events == [false, true, false])
    token.cancel()
  }
}
