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

private struct Post: Entity {
  let id: Int
  var title: String
  var likeCount = 0
  static let schema = Schema<Post> {
    \.title
    Property(\.likeCount, .indexed)
  }
}

private final class Model: Sendable {
  let received = Recorder<Int>()
  var count: Int {
    get { received.events.last ?? -1 }
    set { received.append(newValue) }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The documentation's examples` {
  @Test func `the documentation's examples deliver what they say`() async throws {
    let store = try Store(Post.self)
    let (received, over) = (Recorder<String>(), Recorder<String>())
    let token = store.publisher(
      for: Post.where { $0.likeCount >= 10 }.sorted(by: \.likeCount, .descending)
    )
    .receive(on: scheduler(DispatchQueue(label: "screen")))
    .sink { completion in
      over.append("over: \(completion)")
    } receiveValue: { change in
      if case .update(let posts, let changes) = change { received.append("\(posts.count), \(changes)") }
      if case .initial = change { received.append("initial") }
    }
    await received.reached(1)
    try await store.write { tx in try tx.insert(Post(id: 1, title: "Hello", likeCount: 12)) }
    await received.reached(2)
    #expect(received.events == ["initial", "1, Post 0→1: inserted [0]"])
    store.close()
    await over.reached(1)
    #expect(over.events == ["over: finished"])
    token.cancel()
  }

  @Test func `the documentation's examples assign the newest value`() async throws {
    let store = try Store(Post.self)
    let model = Model()
    let token = store.valuePublisher(for: Post.all.count).replaceError(with: 0).assign(to: \.count, on: model)
    await model.received.reached(1)
    try await store.write { tx in try tx.insert(Post(id: 1, title: "Hello")) }
    await model.received.reached { $0 == 1 }
    token.cancel()
    await untilUnobserved(store)
  }
}
