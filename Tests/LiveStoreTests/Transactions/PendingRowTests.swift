import TestSupport
import Testing

import LiveStore

private struct Town: Entity, Equatable {
  let id: Int
  var name = ""
  static let schema = Schema<Town> { \.name }
}

/// One index of each kind.
private struct Letter: Entity, Equatable {
  let id: Int
  var number = 0
  var code: Int? = nil
  var title = ""
  var kind = Kind.note
  var tags: [String] = []
  var text = ""
  var town: Ref<Town>? = nil

  enum Kind: Int, CaseIterable, Sendable { case note, bill, card }

  static let schema = Schema<Letter> {
    Property(\.number, .indexed)
    Property(\.code, .unique)
    Property(\.title, .indexed)
    Property(\.kind, .indexed)
    Property(\.tags, .indexedElements)
    Property(\.text, .searchable)
    Relation(\.town)
  }
}

extension Letter {
  /// Few values, so that many are equal; titles that begin alike.
  static func random(_ id: Int, _ random: inout SeededGenerator) -> Letter {
    let number = Int.random(in: 0..<12, using: &random)
    return Letter(
      id: id, number: number, code: id % 3 == 0 ? nil : id,
      title: "title with a long beginning \(number % 5)", kind: Kind.allCases[number % 3],
      tags: ["a", "b", "c", "a"].filter { _ in Bool.random(using: &random) }, text: "word\(number) and word",
      town: number < 6 ? Ref(number) : nil)
  }
}

extension TransactionState {
  fileprivate var hasPendingRows: Bool { tables.contains(where: \.hasPendingRows) }

  fileprivate var breach: String? {
    for (table, info) in zip(tables, catalog.entities) {
      if let breach = table._checkInvariants(info) { return breach }
    }
    return nil
  }
}

@Suite struct `Pending rows` {
  private let store: Store

  init() throws {
    store = try Store(Letter.self, Town.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<6).map { Town(id: $0) }) }
  }

  /// A transaction beside what it should hold, in insertion order.
  private struct Draft {
    var letters: [Letter] = []
    var nextID = 0

    func index(of id: Int) -> Int? { letters.firstIndex { $0.id == id } }
  }

  private static func compare(_ tx: borrowing WriteTransaction, _ draft: Draft, _ trace: String) {
    let expected = draft.letters
    func expect(_ query: Query<Letter>, _ rows: [Letter]) {
      let found = Array(tx.fetch(query))
      check(found == rows, "\(trace): \(query) gives \(found.map(\.id)) and not \(rows.map(\.id))")
    }
    expect(Letter.where { $0.number == 3 }, expected.filter { $0.number == 3 })
    expect(Letter.where { $0.tags.contains("b") }, expected.filter { $0.tags.contains("b") })
    expect(Letter.where { $0.kind == .bill }, expected.filter { $0.kind == .bill })
    expect(Letter.where { $0.code == 7 }, expected.filter { $0.code == 7 })
    let sorted = expected.enumerated().sorted { ($0.1.title, $0.0) < ($1.1.title, $1.0) }.map(\.1)
    expect(Letter.sorted(by: \.title).limit(9), Array(sorted.prefix(9)))
    expect(
      Letter.where { $0.town == Ref<Town>(2) }, expected.filter { $0.town == Ref(2) })
  }

  /// One random step.
  private static func step(
    _ tx: inout WriteTransaction, _ draft: inout Draft, _ random: inout SeededGenerator, depth: Int = 0,
    _ trace: String
  ) throws {
    let some = draft.letters.randomElement(using: &random)?.id
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2:
      let count = [1, 2, 3, 40].randomElement(using: &random) ?? 1
      let letters = (0..<count).map { Letter.random(draft.nextID + $0, &random) }
      try tx.insert(contentsOf: letters)
      draft.letters += letters
      draft.nextID += count
    case 3, 4:
      guard let some, let index = draft.index(of: some) else { return }
      draft.letters[index] = .random(some, &random)
      try tx.upsert(draft.letters[index])
    case 5, 6:
      guard let some else { return }
      try tx.delete(Letter.self, some)
      draft.letters.removeAll { $0.id == some }
    case 7:
      compare(tx, draft, trace)
      check(!tx.state.hasPendingRows, "\(trace): P2")
    case 8 where depth < 2:
      var inner = draft
      let fails = Bool.random(using: &random)
      do {
        try tx.savepoint { tx in
          for number in 0..<3 {
            try step(&tx, &inner, &random, depth: depth + 1, "\(trace).\(number)")
          }
          if fails { throw Mismatch("undone") }
        }
        draft = inner
      } catch is Mismatch {
        draft.nextID = inner.nextID
      }
    case 9 where Int.random(in: 0..<8, using: &random) == 0:
      try tx.delete(Letter.all)
      draft.letters = []
    default:
      guard let some, let town = draft.letters.first(where: { $0.id == some })?.town else { return }
      // Its links become nil, in pending rows, too.
      try tx.delete(Town.self, town.id)
      try tx.insert(Town(id: town.id))
      for index in draft.letters.indices where draft.letters[index].town == town {
        draft.letters[index].town = nil
      }
    }
    check(tx.state.breach == nil, "\(trace): \(tx.state.breach ?? "")")
  }

  @Test(arguments: Seeds.forSuite(3, thorough: 400))
  func `edits of rows that no index lists yet give what edits of listed rows give`(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var draft = Draft()
    for transaction in 0..<4 {
      let before = store.snapshot()
      let held = Array(before.fetch(Letter.sorted(by: \.number)))
      try store.write { tx in
        for number in 0..<12 {
          try Self.step(&tx, &draft, &random, "seed \(seed), \(transaction).\(number)")
        }
      }
      let after = store.snapshot()
      let breach = try after.breachOfTables()
      check(breach == nil, "seed \(seed): \(breach ?? "")")
      check(Array(after.fetch(Letter.all)) == draft.letters, "seed \(seed)")
      check(Array(before.fetch(Letter.sorted(by: \.number))) == held, "seed \(seed): a held version")
    }
  }

  @Test func `lookups by id, updates and deletions leave inserted rows pending`() throws {
    try store.write { tx in
      try tx.insert(contentsOf: (0..<10).map { Letter(id: $0, number: $0) })
      try tx.update(Letter.self, 3) { $0.number = 30 }
      try tx.upsert(Letter(id: 4, number: 40))
      try tx.delete(Letter.self, 5)
      #expect(tx[Letter.self, 3]?.number == 30 && tx[Letter.self, 5] == nil)
      #expect(tx.state.hasPendingRows)
      #expect(tx.fetch(Letter.where { $0.number >= 30 }).map(\.id) == [3, 4])
      #expect(!tx.state.hasPendingRows)
    }
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `rows that are read in a savepoint are listed once more when it is undone, and not again`()
    throws
  {
    try store.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Letter(id: $0, number: $0) })
      for _ in 0..<2 {
        #expect(throws: Mismatch.self) {
          try tx.savepoint { tx in
            try tx.insert(Letter(id: 200, number: 3))
            #expect(tx.count(Letter.where { $0.number == 3 }) == 2)
            try tx.insert(Letter(id: 201, number: 3))
            throw Mismatch("undone")
          }
        }
        #expect(!tx.state.hasPendingRows)
      }
      #expect(tx.count(Letter.where { $0.number == 3 }) == 1)
    }
  }

  @Test func `a commit without an index, and one whose rows are deleted again, have nothing pending`() throws
  {
    try store.write { tx in
      try tx.insert(Town(id: 9))
      #expect(!tx.state.hasPendingRows)
    }
    try store.write { tx in
      try tx.insert(Letter(id: 1))
      try tx.delete(Letter.self, 1)
    }
    #expect(store.version.number == 2)
    try store.write { tx in try tx.insert(Letter(id: 2, number: 2)) }
    #expect(store.snapshot().fetch(Letter.where { $0.number == 2 }).map(\.id) == [2])
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `many inserted rows are listed in nodes with room for an eighth more`() throws {
    var random = SeededGenerator(seed: 5)
    let numbers = (0..<3_200).shuffled(using: &random)
    try store.write { tx in
      try tx.insert(contentsOf: numbers.enumerated().map { Letter(id: $0, number: $1) })
    }
    let table = store.snapshot().state.tables[0]
    #expect(table.indexes[0].statistics.leaves == (3_200 + 27) / 28)
  }
}

@Suite struct `Unique values of many rows` {
  private let store: Store

  init() throws { store = try Store(Letter.self, Town.self) }

  @Test(arguments: [2, 100, 1_000])
  func `the violation of many rows is that of the first row`(count: Int) throws {
    try store.write { tx in try tx.insert(contentsOf: (0..<50).map { Letter(id: $0, code: $0) }) }
    let error = try #require(throws: StoreError.self) {
      try store.write { tx in
        // Missing values are no violation, and the last two rows have values of others.
        try tx.insert(
          contentsOf: (0..<count).map { Letter(id: 100 + $0, code: $0 % 2 == 0 ? nil : 100 + $0) })
        try tx.insert(contentsOf: [Letter(id: 9_000, code: 7), Letter(id: 9_001, code: 101)])
      }
    }
    // Of rows in order of insertion, the first that has another row's value.
    #expect(error.code == StoreError.uniqueViolation && error.property == "code" && error.id == "101")
    #expect(store.snapshot().count(Letter.all) == 50)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Letter(id: 100 + $0, code: $0 % 2 == 0 ? nil : 100 + $0) })
    }
    #expect(store.snapshot().count(Letter.all) == 50 + count)
  }
}
