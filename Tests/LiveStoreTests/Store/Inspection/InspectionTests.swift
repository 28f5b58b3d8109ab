import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

/// A value whose text is made by code of the app, which uses the store.
private struct Talkative: Equatable, Sendable, CustomStringConvertible {
  static let ask = Mutex<(@Sendable () -> Int)?>(nil)
  let number: Int

  var description: String { "\(number) of \(Self.ask.withLock { $0 }?() ?? 0)" }
}

private struct Speech: Entity {
  let id: Int
  var value = Talkative(number: 0)
  static let schema = Schema<Speech> { \.value }
}

@Suite(.timeLimit(.minutes(10))) struct `Store inspection` {
  @Test func `an inspection has one form in JSON: names as keys, numbers of seconds, numbers of versions`()
    throws
  {
    let clock = ManualClock()
    let store = try Store(
      Item.self, InspectedPaper.self, InspectedTopic.self, configuration: .timed(by: clock))
    let recording = store.recordTimings()
    let events = store.changes(of: Item.where { $0.rank >= 0 }, excluding: ["b"]).makeAsyncIterator()
    _ = events.nextIfReady()
    try store.write(origin: "a") { tx in
      try tx.insert(Item(1))
      clock.advance(by: .milliseconds(1_500))
    }
    clock.advance(by: .milliseconds(250))
    _ = events.nextIfReady()
    let inspection = store.inspection
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    let data = try encoder.encode(inspection)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    #expect(try encoder.encode(decoder.decode(StoreInspection.self, from: data)).count == data.count)
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(
      Set(json.keys) == [
        "identity", "version", "date", "isRecording", "metrics", "entities", "queries", "commitObservers",
        "commits",
        "pins",
      ])
    #expect(json["version"] as? Int == 1)
    let commit = try #require((json["commits"] as? [[String: Any]])?.first)
    #expect(commit["body"] as? Double == 1.5 && commit["origin"] as? String == "a")
    #expect(commit["rows"] as? [String: Int] == ["Item": 1])
    let query = try #require((json["queries"] as? [[String: Any]])?.first)
    #expect((query["delivery"] as? [String: Any])?["longest"] as? Double == 0.25)
    let observer = try #require((query["observers"] as? [[String: Any]])?.first)
    #expect(observer["kind"] as? String == "stream" && observer["excludedOrigins"] as? [String] == ["b"])
    #expect(observer["limit"] == nil)
    #expect((json["metrics"] as? [String: Any])?["upkeepTime"] is Double)
    recording.invalidate()
    withExtendedLifetime(events) {}
  }

  @Test func `no lock is held while a value of a filter prints itself`() async throws {
    let store = try Store(Speech.self)
    let events = store.changes(of: Speech.where { $0.value == Talkative(number: 7) }).makeAsyncIterator()
    _ = events.nextIfReady()
    Talkative.ask.withLock {
      $0 = {
        // Each would wait for ever on a lock that the inspection holds.
        _ = try? store.write { tx in try tx.upsert(Speech(id: 1)) }
        return store.metrics.liveQueries + store.snapshot().count(Speech.all)
      }
    }
    defer { Talkative.ask.withLock { $0 = nil } }
    let worker = Worker {
      let query = store.inspection.queries.first
      return (query?.text, query.flatMap { store.plan(ofQuery: $0.number) })
    }
    let (text, plan) = try await worker.value()
    #expect(text == "Speech.where { value == 7 of 2 }")
    #expect(try #require(plan).contains("value == 7 of 2"))
    withExtendedLifetime(events) {}
  }

  @Test func `an inspection waits for no writer's body, and can be taken in one`() async throws {
    let store = try Store(Item.self)
    let (isInside, isTaken) = (Signal(), Signal())
    let writer = Worker {
      try store.write { tx in
        try tx.insert(Item(1))
        isInside.send()
        isTaken.wait()
        return store.inspection.version
      }
    }
    await isInside.arrival()
    #expect(store.inspection.entities[0].rows == 0)
    isTaken.send()
    #expect(try await writer.value() == .zero)
    #expect(store.inspection.entities[0].rows == 1)
  }

  @Test func `inspections beside writers and observers that come and go are consistent in themselves`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<100).map { Item($0, rank: $0) }) }
    let isDone = Atomic(false)
    let follower = store.observe(Item.all, mode: .everyCommit) { _ in }
    let writer = Worker {
      for round in 0..<2_000 {
        try store.write(origin: "w\(round % 3)") { tx in
          try tx.update(Item.self, round % 100) { $0.rank = round % 50 }
        }
      }
    }
    let observer = Worker {
      var tokens: [NotificationToken] = []
      var round = 0
      while !isDone.load(ordering: .relaxed) {
        let recording = store.recordTimings()
        tokens.append(store.observe(Item.where { $0.rank >= round % 20 }, excluding: ["w1"]) { _ in })
        tokens.append(store.observe(Item.sorted(by: \.rank).sectioned(by: \.group)) { _ in })
        tokens.last?.pause()
        if tokens.count > 10 { tokens.removeFirst(5) }
        round += 1
        recording.invalidate()
      }
    }
    defer { isDone.store(true, ordering: .relaxed) }
    let inspector = Worker {
      var last = Version.zero
      var problems: [String] = []
      for _ in 0..<300 {
        let inspection = store.inspection
        if inspection.version < last { problems.append("version \(inspection.version) after \(last)") }
        last = inspection.version
        let numbers = inspection.queries.map(\.number)
        if Set(numbers).count != numbers.count || numbers != numbers.sorted() {
          problems.append("\(numbers)")
        }
        if inspection.commitObservers.contains(where: { $0.lag ?? -1 < 0 }) { problems.append("ahead") }
        for query in inspection.queries {
          if query.observers.contains(where: { $0.version ?? .zero > store.version }) {
            problems.append("early")
          }
          _ = store.plan(ofQuery: query.number)
        }
        if inspection.pins.last?.last != inspection.version { problems.append("pins \(inspection.pins)") }
        let versions = inspection.commits.map(\.version)
        if versions != versions.sorted() { problems.append("commits \(versions)") }
      }
      return problems
    }
    #expect(try await inspector.value() == [])
    try await writer.value()
    isDone.store(true, ordering: .relaxed)
    try await observer.value()
    follower.invalidate()
    #expect(!store.inspection.isRecording)
  }
}
