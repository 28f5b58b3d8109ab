import LiveStore
import TestSupport
import Testing

private struct Reading: Entity, Hashable {
  let id: Int
  var small: Int8 = 0
  var natural: UInt64 = 0
  var wide = 0
  var maybe: Int?
  var level = 0.0
  var weak: Float?
  static let schema = Schema<Reading> {
    \.small
    \.natural
    \.wide
    \.maybe
    \.level
    \.weak
  }
}

private struct Meter: Entity, Hashable {
  let id: Int
  var readings = RefList<Reading>()
  static let schema = Schema<Meter> { Relation(\.readings) }
}

/// One rule for the sums of a query and those over links: exact, rounded once, and of integers the nearest value that
/// their type holds.
@Suite struct `Sums and means over links` {
  private func makeStore(_ readings: [Reading]) throws -> Store {
    let store = try Store(Meter.self, Reading.self)
    try store.write { tx in
      try tx.insert(contentsOf: readings)
      try tx.insert(contentsOf: [Meter(id: 1, readings: RefList(ids: readings.map(\.id))), Meter(id: 2)])
    }
    return store
  }

  /// Whether a meter that lists all readings has a value, and one without readings does not.
  private func isFirst(_ store: Store, _ filter: (Row<Meter>) -> Expr<Bool>) -> Bool {
    store.fetch(Meter.where(filter)).map(\.id) == [1]
  }

  @Test func `a sum of integers beyond their type is the nearest value of the type`() throws {
    let store = try makeStore([
      Reading(id: 1, small: 100, natural: .max, wide: .max, maybe: .min),
      Reading(id: 2, small: 100, natural: 2, wide: 5, maybe: nil),
      Reading(id: 3, small: 0, natural: 0, wide: 0, maybe: -1),
    ])
    #expect(isFirst(store) { $0.readings.objects.sum(\.small) == 127 })
    #expect(isFirst(store) { $0.readings.objects.sum(\.natural) == .max })
    #expect(isFirst(store) { $0.readings.objects.sum(\.wide) == .max })
    #expect(isFirst(store) { $0.readings.objects.sum(\.maybe) == .min })
    let snapshot = store.snapshot()
    #expect(snapshot.value(of: Reading.all.sum(\.small)) == 127)
    #expect(snapshot.value(of: Reading.all.sum(\.natural)) == .max)
    #expect(snapshot.value(of: Reading.all.sum(\.wide)) == .max)
    #expect(snapshot.value(of: Reading.all.sum(\.maybe)) == .min)
  }

  @Test func `a sum of integers that is beyond their type on the way is exact, in any order`() throws {
    let values: [Int8] = [127, 127, -128, -100]
    for order in [[0, 1, 2, 3], [2, 3, 0, 1], [1, 2, 3, 0], [3, 2, 1, 0]] {
      let store = try makeStore(order.map { Reading(id: $0, small: values[$0]) })
      #expect(isFirst(store) { $0.readings.objects.sum(\.small) == 26 }, "\(order)")
    }
  }

  @Test func `sums of numbers with fractions are exact and rounded once`() throws {
    let store = try makeStore([
      Reading(id: 1, level: 1e16, weak: 1e9), Reading(id: 2, level: 1, weak: 1),
      Reading(id: 3, level: -1e16, weak: -1e9), Reading(id: 4, level: 0.5),
    ])
    #expect(isFirst(store) { $0.readings.objects.sum(\.level) == 1.5 })
    #expect(isFirst(store) { $0.readings.objects.sum(\.weak) == 1 })
    #expect(isFirst(store) { $0.readings.objects.average(\.level) == 0.375 })
    #expect(store.snapshot().value(of: Reading.all.sum(\.level)) == 1.5)
    #expect(store.snapshot().value(of: Reading.all.average(\.level)) == 0.375)
  }

  @Test func `means over links are of the exact sum, also where the sum is beyond the type`() throws {
    let big = Double.greatestFiniteMagnitude
    let store = try makeStore([
      Reading(id: 1, wide: .max, level: big), Reading(id: 2, wide: .max, level: big),
    ])
    #expect(isFirst(store) { $0.readings.objects.average(\.level) == big })
    #expect(isFirst(store) { $0.readings.objects.average(\.wide) == Double(Int.max) })
    #expect(isFirst(store) { $0.readings.objects.sum(\.level) == .infinity })
    #expect(store.fetch(Meter.where { $0.readings.objects.average(\.maybe) == nil }).count == 2)
  }
}
