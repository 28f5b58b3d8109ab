import LiveStore
import TestSupport
import Testing

/// Bodies as people write them. Closures and local functions that use the transaction compile as long as they do not
/// leave the body, and what would leave it is an error that says so: see `Scripts/check-bodies.py`. With a borrowed
/// transaction in place of an `inout` one the first of these crashed the compiler.
@Suite struct `Bodies of writes` {
  private let store: Store

  init() throws {
    store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (1...5).map { Item($0, name: "\($0)", rank: $0) }) }
  }

  private var ranks: [Int] { store.fetch(Item.all).map(\.rank) }

  @Test func `the body of a write may declare local functions, also generic and recursive ones`() async throws
  {
    try await store.write { tx in
      func raise(_ id: Int) throws { try tx.update(Item.self, id) { $0.rank += 10 } }
      func raise(upTo id: Int) throws {
        if id == 0 { return }
        try raise(id)
        try raise(upTo: id - 1)
      }
      func add<Number: BinaryInteger>(_ number: Number) throws { try tx.insert(Item(Int(number))) }
      func addBoth() throws {
        try add(UInt8(6))
        try add(Int64(7))
      }
      try raise(upTo: 3)
      try addBoth()
    }
    #expect(ranks == [11, 12, 13, 4, 5, 0, 0])
  }

  /// Bug: did not compile, since the closure gave the body's result a type that its last line does not have.
  @Test func `the body of a write may end with any line in a closure that gives nothing`() async throws {
    func perform(_ action: () throws -> Void) rethrows { try action() }
    func performLater(_ action: nonisolated(nonsending) () async throws -> Void) async rethrows {
      try await action()
    }
    try perform { try store.write { tx in try tx.delete(Item.self, 1) } }
    try perform { try store.write { tx in try tx.update(Item.all) { $0.rank += 10 } } }
    try perform { try store.write { try $0.delete(Item.where { $0.id == 2 }) } }
    try perform { try store.write { tx in try tx.insert(Item(6)) } }
    try await performLater { try await store.write { tx in try tx.delete(Item.self, 3) } }
    try await performLater {
      try await store.write(origin: "ui") { tx in try tx.delete(Item.where { $0.id == 4 }) }
    }
    #expect(ranks == [15, 0])
    let isDeleted = try await store.write { tx in try tx.delete(Item.self, 5) }
    let count = try await store.write { tx in try tx.delete(Item.all) }
    #expect(isDeleted && count == 1)
  }

  @Test func `the body of a write may pass local functions and closures to functions that do not keep them`()
    async throws
  {
    try await store.write { tx in
      func raise(_ id: Int) throws { try tx.update(Item.self, id) { $0.rank += 10 } }
      try [1, 2].forEach(raise)
      try [3].forEach { try raise($0) }
      try [4, 5].forEach { try tx.update(Item.self, $0) { $0.rank += 10 } }
    }
    #expect(ranks == [11, 12, 13, 14, 15])
  }

  @Test func `the body of a write may read the transaction in closures of the standard library`() throws {
    try store.write { tx in
      let ranks = (1...5).map { tx[Item.self, $0]?.rank ?? 0 }
      #expect(ranks == [1, 2, 3, 4, 5])
      #expect((1...9).filter { tx[Item.self, $0] != nil } == [1, 2, 3, 4, 5])
      #expect((1...9).compactMap { tx[Item.self, $0] }.count == 5)
      #expect((1...5).reduce(0) { $0 + (tx[Item.self, $1]?.rank ?? 0) } == 15)
      #expect((1...5).contains { tx[Item.self, $0]?.rank == 3 })
      #expect([3, 1, 2].sorted { tx[Item.self, $0]?.rank ?? 0 < tx[Item.self, $1]?.rank ?? 0 } == [1, 2, 3])
      #expect((1...5).max { tx[Item.self, $0]?.rank ?? 0 < tx[Item.self, $1]?.rank ?? 0 } == 5)
      #expect((1...5).first { tx[Item.self, $0]?.rank == 4 } == 4)
      #expect(Dictionary(grouping: 1...4) { (tx[Item.self, $0]?.rank ?? 0) % 2 } == [0: [2, 4], 1: [1, 3]])
      #expect((1...5).allSatisfy { tx[Item.self, $0] != nil })
      #expect((1...5).flatMap { Array(repeating: 0, count: tx[Item.self, $0]?.rank ?? 0) }.count == 15)
      #expect([1, 2].map { "\(tx[Item.self, $0]?.name ?? "")" }.joined() == "12")
    }
  }

  @Test func `the body of a write may write from within queries, sorts and edits of arrays`() throws {
    try store.write { tx in
      for item in tx.fetch(Item.where { $0.rank > 1 }) where item.rank < 4 {
        try tx.update(Item.self, item.id) { $0.rank = -item.rank }
      }
      try tx.fetch(Item.all).forEach { item in if item.rank == 4 { try tx.delete(item) } }
      var ids = [1, 9, 5]
      try ids.removeAll { id in try !tx.delete(Item.self, id) }
      try ids.withUnsafeMutableBufferPointer { ids in try tx.insert(Item(ids.count + 4)) }
    }
    #expect(ranks == [-2, -3, 0])
  }

  @Test func `the body of a write may use the transaction inside the closures of its own calls`() throws {
    try store.write { tx in
      try tx.update(Item.self, 1) { item in
        item.rank = tx.count(Item.all)
        try tx.update(Item.self, 2) { other in
          other.rank = item.rank + (tx[Item.self, 3]?.rank ?? 0)
          try tx.insert(Item(6, rank: other.rank))
        }
      }
      try tx.update(Item.where { $0.rank == 4 }) { item in
        func double() -> Int { (tx[Item.self, item.id]?.rank ?? 0) * 2 }
        item.rank = double()
      }
      try tx.upsert(Item(5)) { old, new in new.rank = old.rank + tx.count(Item.all) }
      try tx.insert(contentsOf: (7...8).map { Item($0, rank: tx.count(Item.all)) })
    }
    #expect(ranks == [5, 8, 3, 8, 11, 8, 6, 6])
  }

  @Test func `the body of a write may nest savepoints, and use the outer transaction within`() throws {
    struct Stop: Error {}
    try store.write { tx in
      try tx.savepoint { tx in
        func add(_ id: Int) throws { try tx.insert(Item(id)) }
        try add(6)
        try? tx.savepoint { tx in
          try tx.insert(Item(7))
          throw Stop()
        }
      }
      try tx.savepoint { inner in
        try tx.insert(Item(8))
        try inner.insert(Item(9))
      }
      let kept = tx.savepoint { tx in tx[Item.self, 7] == nil && tx[Item.self, 8] != nil }
      #expect(kept)
    }
    #expect(store.fetch(Item.all).map(\.id) == [1, 2, 3, 4, 5, 6, 8, 9])
  }

  private func borrow(_ tx: borrowing WriteTransaction, _ id: Int) throws { try tx.insert(Item(id)) }
  private func edit(_ tx: inout WriteTransaction, _ id: Int) throws { try tx.insert(Item(id)) }
  private func run(_ body: (borrowing WriteTransaction) throws -> Void, _ tx: borrowing WriteTransaction)
    throws
  {
    try body(tx)
  }

  @Test func `the body of a write may pass the transaction to functions, borrowed or inout`() async throws {
    try await store.write { tx in
      try borrow(tx, 6)
      try edit(&tx, 7)
      try run({ tx in try tx.insert(Item(8)) }, tx)
      try [9, 10].forEach { try borrow(tx, $0) }
    }
    try await store.transaction { tx in
      try borrow(tx, 11)
      await Task.yield()
      try edit(&tx, 12)
    }
    #expect(store.count(Item.all) == 12)
  }

  @Test func `the body of a write may use every statement and expression of Swift`() throws {
    try store.write { tx in
      defer { #expect(tx.count(Item.all) == 10) }
      guard let first = tx[Item.self, 1] else { return }
      let second = if first.rank > 0 { tx[Item.self, 2] } else { tx[Item.self, 3] }
      switch tx[Item.self, 3]?.rank {
      case 3?: try tx.insert(Item(6, rank: second?.rank ?? 0))
      default: break
      }
      do { try tx.insert(Item(6)) } catch StoreError.duplicateID { try tx.insert(Item(7)) }
      var next = 8
      while tx.count(Item.all) < 9 {
        try tx.insert(Item(next))
        next += 1
      }
      repeat { try tx.upsert(Item(next)) } while tx[Item.self, next] == nil
      let (ranks, name) = (tx.fetch(Item.all).map(\.rank), tx[Item.self, 4]?.name)
      let isFirst = false || tx[Item.self, 1] != nil && name != nil
      let either = try tx[Item.self, 99] ?? { try tx.update(Item.self, 5) { $0 } }()
      #expect(isFirst && either.id == 5 && ranks.count == 10, "\(tx.count(Item.all)) items")
      if let item = tx[Item.self, 4], case let rank = item.rank, rank == 4 { try tx.delete(item) }
      struct Report { var count: Int }
      let report = Report(count: tx.count(Item.all))
      precondition(report.count == tx.count(Item.all))
      try tx.insert(Item(4))
    }
    #expect(store.count(Item.all) == 10)
  }

  @Test func `the body of a write may return what it read, throw any error, and end early`() async throws {
    struct Stop: Error {}
    let (item, count) = try await store.write { tx in (tx[Item.self, 1], tx.count(Item.all)) }
    #expect(item?.rank == 1 && count == 5)
    let names = try await store.write { $0.fetch(Item.all).map(\.name) }
    #expect(names == ["1", "2", "3", "4", "5"])
    await #expect(throws: Stop.self) {
      try await store.write { tx in
        try tx.deleteAll()
        func stop() throws -> Never { throw Stop() }
        try stop()
      }
    }
    try await store.write { tx in
      for id in 1...5 {
        if tx[Item.self, id]?.rank == 3 { return }
        try tx.delete(Item.self, id)
      }
    }
    #expect(store.fetch(Item.all).map(\.id) == [3, 4, 5])
  }

  @Test func `the body of an optimistic transaction may do what a write may, and suspend in between`()
    async throws
  {
    try await store.transaction { tx in
      func raise(_ id: Int) throws { try tx.update(Item.self, id) { $0.rank += 10 } }
      func raiseLater(_ id: Int) async throws {
        await Task.yield()
        try raise(id)
      }
      try raise(1)
      await Task.yield()
      try await raiseLater(2)
      for id in [3, 4] { try await raiseLater(id) }
      async let five = Task.detached { 5 }.value
      try tx.savepoint { tx in try tx.insert(Item(6)) }
      try await raise(five)
    }
    #expect(ranks == [11, 12, 13, 14, 15, 0])
  }

  @Test
  func `bodies that swap the transactions of two stores are refused, and both stores stay as they were`()
    throws
  {
    let other = try Store(Item.self)
    let error = #expect(throws: StoreError.self) {
      try store.write { first in
        try first.insert(Item(6))
        try other.write { second in
          try second.insert(Item(1))
          swap(&first, &second)
          try second.insert(Item(7))
        }
      }
    }
    #expect(error?.code == StoreError.nestedWrite)
    #expect(store.version.number == 1 && other.version.number == 0)
    // Also when the error of the inner one is caught.
    #expect(throws: StoreError.self) {
      try store.write { first in
        try? other.write { second in swap(&first, &second) }
        try first.insert(Item(6))
      }
    }
    #expect(store.version.number == 1 && other.version.number == 0)
    // Swapped back, all is well.
    try store.write { first in
      try other.write { second in
        swap(&first, &second)
        try second.insert(Item(6))
        swap(&first, &second)
      }
    }
    #expect(store.count(Item.all) == 6 && other.version.number == 0)
  }
}
