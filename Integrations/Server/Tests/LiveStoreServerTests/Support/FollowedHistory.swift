import Foundation
import LiveStore
import LiveStoreFollower
import LiveStoreServer
import Synchronization
import Testing

/// Random commits to a store that a server shows, and what a follower must be at each version that it has.
///
/// State: the generator, the snapshots of all versions and what the follower had, guarded by their mutex; `store`, which is
/// another one after the identity has changed.
final class FollowedHistory: Sendable {
  private struct State {
    var generator: SeededGenerator
    var store: Store
    var snapshots: [UUID: [Version: Snapshot]] = [:]
    var records: [(status: FollowerStatus, snapshot: Snapshot)] = []
  }

  private let state: Mutex<State>
  private let items: Query<Item>
  private static let ids = ["a", "7", "é\"\\\n", "", "/,?", "\u{1F600}"]

  /// - Parameters:
  ///   - commits: how many commits the store's history has.
  ///   - items: the items that the server shows.
  init(_ generator: SeededGenerator, commits: Int, items: Query<Item>) throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = commits
    let store = try Store(Item.self, Person.self, configuration: configuration)
    state = Mutex(State(generator: generator, store: store))
    self.items = items
    record()
  }

  var store: Store { state.withLock { $0.store } }
  /// How many steps the follower took.
  var stepCount: Int { state.withLock { $0.records.count } }

  func random(_ range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// Takes what a follower has after a step.
  func take(_ status: FollowerStatus, _ snapshot: Snapshot) {
    state.withLock { $0.records.append((status, snapshot)) }
  }

  private func record() {
    let snapshot = store.snapshot()
    state.withLock { $0.snapshots[$0.store.identity, default: [:]][snapshot.version] = snapshot }
  }

  /// Goes on with a copy of the store, which has another identity.
  func copy() {
    let copy = Store(copying: store.snapshot())
    state.withLock { $0.store = copy }
    record()
  }

  /// - Throws: where the follower was not what the server was.
  func check() throws {
    let (snapshots, records) = state.withLock { ($0.snapshots, $0.records) }
    for (status, snapshot) in records {
      guard let identity = status.identity, let version = status.version,
        let expected = snapshots[identity]?[version]
      else { throw Failure("the follower has a version that the server never had: \(status)") }
      if let difference = difference(snapshot, expected) {
        throw Failure("at version \(version): \(difference)")
      }
    }
  }

  func difference(_ follower: Snapshot, _ server: Snapshot) -> String? {
    let (own, others) = (Array(follower.fetch(Item.all)), Array(server.fetch(items)))
    if own != others {
      let place = zip(own, others).enumerated().first { $0.element.0 != $0.element.1 }
      return "\(own.map(\.id)), not \(others.map(\.id)); \(place.map { "\($0.element)" } ?? "")"
    }
    return follower.difference(from: server, Person.all)
  }

  // MARK: Commits

  func commit() throws {
    let store = store
    try store.write(origin: ["ui", "sync", nil, nil][random(0...3)]) { tx in
      for _ in 0..<random(1...4) { try edit(&tx) }
    }
    record()
  }

  private func edit(_ tx: inout WriteTransaction) throws {
    let (id, person) = (Self.ids[random(0...5)], random(1...4))
    switch random(0...13) {
    case 0, 1, 2: try tx.upsert(item(id))
    case 3: try tx.delete(Item.self, id)
    case 4:
      guard let item = tx[Item.self, id] else { return }
      try tx.delete(Item.self, id)
      try tx.insert(item)
    case 5: try tx.upsert(Person(id: person, name: "Name \(random(0...9))"))
    case 6: try tx.delete(Person.self, person)
    case 7 where tx[Item.self, id] != nil: try tx.update(Item.self, id) { $0.count = random(0...9) }
    case 8: try tx.update(Item.where { $0.count > 4 }) { $0.count -= 3 }
    case 9 where tx[Item.self, id] != nil:
      let persons = tx.fetch(Person.all).map { Ref<Person>($0.id) }
      guard let one = persons.first, let last = persons.last else { return }
      try tx.update(Item.self, id) { item in
        item.list.append(contentsOf: [last, one])
        if random(0...1) == 0 { item.list.move(from: 0, to: 1) }
        if random(0...2) == 0 { item.list.remove(one) }
        item.set.insert(last)
        item.map["k\(random(0...2))"] = one
        item.owner = random(0...1) == 0 ? one : nil
      }
    case 10 where tx[Person.self, person] != nil && tx[Item.self, id] != nil:
      try tx.update(Person.self, person) { $0.best = Ref(id) }
    case 11 where random(0...9) == 0: try tx.deleteAll(Item.self)
    case 12:
      // The order of all, the other way round.
      guard random(0...3) == 0 else { return }
      let items = Array(tx.fetch(Item.all))
      try tx.deleteAll(Item.self)
      try tx.insert(
        contentsOf: items.reversed().map { item in
          var item = item
          item.next = nil
          return item
        })
    default:
      guard tx[Item.self, id] != nil else { return }
      let target = Self.ids[random(0...5)]
      let link: Ref<Item>? = tx[Item.self, target] == nil ? nil : Ref(target)
      try tx.update(Item.self, id) { $0.next = link }
    }
  }

  private func item(_ id: String) -> Item {
    state.withLock { state in
      func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &state.generator) }
      var item = Item(id: id)
      item.text =
        "\(id) \(random(0...99))" + ["", "\"\\", "\u{1}\r\n", "e\u{301}", "\u{2028}"][random(0...4)]
      item.count = random(0...9)
      item.large = [UInt64.max, 0, 9_007_199_254_740_993, UInt64(random(0...99))][random(0...3)]
      item.measure.value =
        [
          .nan, .infinity, -.infinity, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1e-7,
          Double(random(-99...99)) / 7,
        ][random(0...7)]
      item.price =
        [
          Decimal(string: "12345678901234567890.123456789") ?? 0, Decimal(random(-999...999)) / 100, 0,
        ][random(0...2)]
      let interval = [
        Double(random(-9_999...9_999)) / 7, 800_000_000 + Double(random(0...999_999_999)) / 1e9, -0.1, 1e-20,
        -62_135_769_600,
      ][random(0...4)]
      item.date = Date(timeIntervalSinceReferenceDate: interval)
      item.data = Data((0..<random(0...9)).map { _ in UInt8(random(0...255)) })
      item.level = random(0...1) == 0 ? .low : .high
      item.mood = random(0...1) == 0 ? .plain : .noted("note \(random(0...9))", times: random(-9...9))
      if random(0...2) > 0 {
        item.spot = Spot(
          city: "City \(random(0...9))", seen: item.date, heights: [nil, Float(random(0...99)) / 3])
      }
      item.json = [.null, ["a": [1, 2.5, "x", nil], "b": ["c": true]], 12_345_678_901_234][random(0...2)]
      return item
    }
  }
}
