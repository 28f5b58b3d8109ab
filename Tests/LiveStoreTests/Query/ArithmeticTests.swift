import Foundation
import LiveStore
import Testing

private struct Gauge: Entity {
  var id = 0, small: Int8 = 0, big: UInt64 = 0, price = Decimal(0)
  var count: Int?
  var float: Float?
  var marks: Set<Int>?
  var prices: [Double]?
  var names: Set<String>?
  var labels: [String: String] = [:]
  static let schema = Schema<Gauge> {
    \.small
    \.big
    \.price
    \.count
    \.float
    \.marks
    \.prices
    \.names
    \.labels
  }
}

@Suite("Arithmetic in filters, and aggregates of optional collections") struct ArithmeticTests {
  private static let extremes: [Decimal] = [
    0, 1, -1, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .nan,
    Decimal(sign: .minus, exponent: 100, significand: 7),
    Decimal(sign: .plus, exponent: -100, significand: 3),
  ]

  @Test func `no value of a decimal ends the process, and what has no result is nil`() throws {
    let store = try Store(Gauge.self)
    try store.write { tx in
      for (id, price) in Self.extremes.enumerated() { try tx.insert(Gauge(id: id, price: price)) }
    }
    for constant in Self.extremes {
      for query in [
        Gauge.where { $0.price + constant == nil }, Gauge.where { $0.price - constant == nil },
        Gauge.where { $0.price * constant == nil }, Gauge.where { $0.price / constant == nil },
        Gauge.where { constant / $0.price == nil }, Gauge.where { $0.price * $0.price == nil },
      ] {
        #expect(store.fetch(query).contains { $0.price.isNaN }, "\(query)")
      }
    }
    #expect(store.count(Gauge.where { $0.price / 0 == nil }) == Self.extremes.count)
    #expect(Array(store.fetch(Gauge.where { $0.price * $0.price == 1 }).ids) == [1, 2])
    #expect(try Array(store.fetch(Gauge.where(format: "price * price == 1")).ids) == [1, 2])
  }

  @Test func `integers of all types are computed as Int, up to the nearest`() throws {
    let store = try Store(Gauge.self)
    try store.write { tx in
      try tx.insert(Gauge(id: 1, small: -128, big: .max, count: .min))
      try tx.insert(Gauge(id: 2, small: 127, big: 0, count: .max))
      try tx.insert(Gauge(id: 3, small: 1, big: 5))
    }
    let expected: [(String, Query<Gauge>, [Int])] = [
      ("small * 2 < -200", Gauge.where { $0.small * 2 < -200 }, [1]),
      ("small + 1 == 128", Gauge.where { $0.small + 1 == 128 }, [2]),
      ("big + 1 == 9223372036854775807", Gauge.where { $0.big + 1 == Int.max }, [1]),
      ("0 - count == 9223372036854775807", Gauge.where { 0 - $0.count == Int.max }, [1]),
      ("count + count > 0", Gauge.where { $0.count + $0.count > 0 }, [2]),
      ("count * -1 < 0", Gauge.where { $0.count * -1 < 0 }, [2]),
      ("count / -1 == 9223372036854775807", Gauge.where { $0.count / -1 == Int.max }, [1]),
      ("count + 1 == nil", Gauge.where { $0.count + 1 == nil }, [3]),
      ("count + 1 != 7", Gauge.where { $0.count + 1 != 7 }, [1, 2, 3]),
      ("7 / big == 1", Gauge.where { 7 / $0.big == 1 }, [3]),
    ]
    for (text, typed, ids) in expected {
      #expect(Array(store.fetch(typed).ids) == ids, "\(text)")
      #expect(try Gauge.where(format: text) == typed, "\(text)")
      #expect(try Gauge.query(format: #require(typed.format)) == typed, "\(text)")
    }
    #expect(Array(store.fetch(Gauge.all.sorted(.descending) { 10 - $0.small }).ids) == [1, 3, 2])
  }

  @Test
  func `aggregates of optional collections are those of the collections, and of none where they are nil`()
    throws
  {
    let store = try Store(Gauge.self)
    try store.write { tx in
      try tx.insert(Gauge(id: 1, marks: [1, 5], prices: [1.5, 2.5], names: ["b", "a"]))
      try tx.insert(Gauge(id: 2, marks: [], prices: []))
      try tx.insert(Gauge(id: 3))
    }
    let expected: [(String, Query<Gauge>, [Int])] = [
      ("marks.@sum == 6", Gauge.where { $0.marks.sum() == 6 }, [1]),
      ("marks.@sum == 0", Gauge.where { $0.marks.sum() == 0 }, [2, 3]),
      ("marks.@avg == 3", Gauge.where { $0.marks.average() == 3 }, [1]),
      ("marks.@avg == nil", Gauge.where { $0.marks.average() == nil }, [2, 3]),
      ("marks.@max > 4", Gauge.where { $0.marks.max() > 4 }, [1]),
      ("marks.@min == nil", Gauge.where { $0.marks.min() == nil }, [2, 3]),
      ("prices.@sum == 4", Gauge.where { $0.prices.sum() == 4 }, [1]),
      ("prices.@avg == 2", Gauge.where { $0.prices.average() == 2 }, [1]),
      ("names.@min == 'a'", Gauge.where { $0.names.min() == "a" }, [1]),
    ]
    for (text, typed, ids) in expected {
      #expect(Array(store.fetch(typed).ids) == ids, "\(text)")
      #expect(try Gauge.where(format: text) == typed, "\(text)")
      #expect(try Gauge.query(format: #require(typed.format)) == typed, "\(text)")
    }
  }

  @Test func `CONTAINS and IN look for a value of a dictionary`() throws {
    let store = try Store(Gauge.self)
    try store.write { tx in
      try tx.insert(Gauge(id: 1, labels: ["a": "x", "b": "y"]))
      try tx.insert(Gauge(id: 2, labels: ["y": "X"]))
    }
    let typed = Gauge.where { $0.labels.contains(value: "y") }
    #expect(Array(store.fetch(typed).ids) == [1])
    for text in ["labels CONTAINS 'y'", "'y' IN labels"] { #expect(try Gauge.where(format: text) == typed) }
    #expect(typed.format == "labels CONTAINS \"y\"")
    let folded = try Gauge.where(format: "labels CONTAINS[c] 'x'")
    #expect(Array(store.fetch(folded).ids) == [1, 2])
    #expect(try Gauge.query(format: #require(folded.format)) == folded)
    let error = #expect(throws: StoreError.self) { try Gauge.where(format: "labels CONTAINS 5") }
    #expect("\(try #require(error))".contains("labels"))
  }
}
