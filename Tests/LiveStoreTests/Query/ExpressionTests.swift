import LiveStore
import TestSupport
import Testing

/// Not `Equatable`.
private struct Unit: Sendable {
  var name: String
}

private struct Part: Equatable, Sendable {
  var count = 0
  var unit: Unit?

  static func == (lhs: Part, rhs: Part) -> Bool {
    lhs.count == rhs.count && lhs.unit?.name == rhs.unit?.name
  }
}

private struct Gauge: Entity {
  let id: Int
  var label: String?
  var isOn: Bool?
  var level: Float = 0
  var part = Part()

  static let schema = Schema<Gauge> {
    \.label
    \.isOn
    \.level
    \.part
  }
}

@Suite struct `Expressions` {
  private func ids(_ query: Query<Gauge>, _ gauges: [Gauge]) throws -> [Int] {
    let store = try Store(Gauge.self)
    try store.write { tx in try tx.insert(contentsOf: gauges) }
    return store.snapshot().fetch(query).map(\.id)
  }

  @Test func `a condition on many values finds what conditions on few values find`() throws {
    let gauges = (0..<40).map { Gauge(id: $0, label: $0 % 3 == 0 ? nil : "l\($0)") }
    let labels = (0..<30).map { Optional("l\($0)") }
    #expect(try ids(Gauge.where { $0.label.in(labels) }, gauges) == (0..<30).filter { $0 % 3 != 0 })
    #expect(try ids(Gauge.where { $0.label.in(labels + [nil]) }, gauges).count == 20 + 14)
    let parts = (0..<20).map { Part(count: $0) }
    let counted = (0..<40).map { Gauge(id: $0, part: Part(count: $0 * 2)) }
    #expect(try ids(Gauge.where { $0.part.in(parts) }, counted) == Array(0..<10), "values without a hash")
  }

  @Test func `a condition finds whether a value is missing that cannot be compared`() throws {
    let gauges = [Gauge(id: 1), Gauge(id: 2, part: Part(unit: Unit(name: "bar")))]
    #expect(try ids(Gauge.where { $0.part.unit == nil }, gauges) == [1])
    #expect(try ids(Gauge.where { $0.part.unit != nil }, gauges) == [2])
  }

  @Test func `a condition may compare two conditions, and is kept up to date`() async throws {
    let store = try Store(Gauge.self)
    try await store.write { tx in
      try tx.insert(contentsOf: [
        Gauge(id: 1), Gauge(id: 2, level: 5), Gauge(id: 3, level: 5, part: Part(count: 1)),
      ])
    }
    let query = Gauge.where { ($0.level > 1) == ($0.part.count > 0) }
    var iterator = store.changes(of: query).makeAsyncIterator()
    #expect(await iterator.next()?.results?.map(\.id) == [1, 3])
    try await store.write { tx in try tx.update(Gauge.self, 1) { $0.part.count = 7 } }
    #expect(await iterator.next()?.changes?.deletions == [0])
  }

  @Test func `rows sorted by an optional condition are in the order of nothing, false, true`() throws {
    let gauges = [Gauge(id: 1, isOn: true), Gauge(id: 2), Gauge(id: 3, isOn: false)]
    #expect(try ids(Gauge.all.sorted(by: \.isOn), gauges) == [2, 3, 1])
    #expect(try ids(Gauge.all.sorted(by: \.isOn, .descending), gauges) == [1, 3, 2])
  }

  @Test func `numbers of single precision are ordered, and summed exactly`() throws {
    let store = try Store(Gauge.self)
    try store.write { tx in
      for (id, level) in [1e8, 1, -1e8, .nan, -0.5].enumerated() {
        try tx.insert(Gauge(id: id, level: Float(level)))
      }
    }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Gauge.sorted(by: \.level)).map(\.id) == [3, 2, 4, 1, 0])
    let numbers = Gauge.where { $0.id != 3 }
    #expect(snapshot.value(of: numbers.sum(\.level)) == 0.5)
    #expect(snapshot.value(of: numbers.max(\.level)) == 1e8)
  }
}
