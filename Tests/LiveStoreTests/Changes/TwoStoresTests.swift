import LiveStore
import TestSupport
import Testing

private typealias Plain = Thing<WithoutIndexes>

private struct Other: Entity {
  let id: Int
  static let schema = Schema<Other> {}
}

/// Bug: change sets between results of two stores were wrong: those of a store and its copy left out what differed,
/// those of stores with other entities were empty. Cause: row numbers and stamps mean something in one store alone.
/// Mend: across stores, results are compared by id and value.
@Suite struct `Results of two stores` {
  private func things(_ ids: [Int], _ generator: inout SplitMix64) -> [Plain] {
    ids.shuffled(using: &generator).map { id in
      var thing = Plain(id)
      thing.rank = generator.int(0...3)
      thing.name = generator.pick(["a", "b", "c"])
      return thing
    }
  }

  private func edit(_ store: Store, _ generator: inout SplitMix64) throws {
    for _ in 0..<generator.int(1...4) {
      try store.write { tx in
        for _ in 0..<generator.int(1...5) {
          let id = generator.int(0...24)
          switch generator.int(0...3) {
          case 0: try tx.delete(Plain.self, id)
          case 1: try tx.upsert(things([id], &generator)[0])
          case 2:
            try tx.delete(Plain.self, id)
            try tx.insert(things([id], &generator)[0])
          default: if tx[Plain.self, id] != nil { try tx.update(Plain.self, id) { $0.rank += 1 } }
          }
        }
      }
    }
  }

  private let queries = [
    Plain.all, Plain.where { $0.rank > 1 }, Plain.sorted(by: \.name).sorted(by: \.rank, .descending),
    Plain.sorted(by: \.rank).limit(5), Plain.sorted(by: \.rank).offset(2).limit(6).where { $0.name != "b" },
    Plain.all.distinct(by: \.name),
  ]

  @Test(arguments: Seeds.forSuite(10, thorough: 40))
  func `results of two stores have the change set that brute force finds, copies or not`(seed: UInt64)
    throws
  {
    var generator = SplitMix64(seed: seed)
    let first = try Store(Plain.self)
    try first.write { tx in try tx.insert(contentsOf: things(Array(0..<20), &generator)) }
    let copy = Store(copying: first.snapshot())
    let stranger = try Store(Other.self, Plain.self)
    try stranger.write { tx in try tx.insert(contentsOf: things(Array(5..<25), &generator)) }
    for store in [first, copy, stranger] { try edit(store, &generator) }
    let choices = MoveChoices()
    for (old, new) in [(first, copy), (copy, first), (first, stranger), (stranger, copy)] {
      for query in queries {
        let (before, after) = (old.snapshot().fetch(query), new.snapshot().fetch(query))
        do {
          try check(
            before.changes(to: after), from: Array(before), to: Array(after), choices: choices,
            mayBeEmpty: true)
        } catch {
          Issue.record("seed \(seed), \(query): \(error)")
        }
      }
    }
  }

  @Test func `results of two stores differ by linked values that the query names`() throws {
    let first = try makeSocialStore()
    try first.write { tx in
      try tx.insert(Writer(id: 1, name: "Ann"))
      try tx.insert(Article(id: 1, title: "x", author: 1))
    }
    let copy = Store(copying: first.snapshot())
    try copy.write { tx in try tx.update(Writer.self, 1) { $0.name = "Bea" } }
    try first.write { tx in try tx.update(Writer.self, 1) { $0.age = 3 } }
    let query = Article.all.tracking(\.author.name)
    let changes = first.snapshot().fetch(query).changes(to: copy.snapshot().fetch(query))
    #expect(changes.modifications.map(\.id) == [1])
    let plain = first.snapshot().fetch(Article.all).changes(to: copy.snapshot().fetch(Article.all))
    #expect(plain.isEmpty)
  }

  @Test func `objects of an entity that one of two stores does not have are insertions or deletions`() throws
  {
    let full = try Store(Plain.self)
    try full.write { tx in try tx.insert(contentsOf: [Plain(1), Plain(2)]) }
    let none = try Store(Other.self).snapshot().fetch(Plain.all)
    let some = full.snapshot().fetch(Plain.all)
    #expect(none.changes(to: some).insertions == [0, 1])
    #expect(some.changes(to: none).deletions == [0, 1])
  }

  @Test func `groups of two stores are compared by key and value`() throws {
    let first = try Store(Plain.self)
    try first.write { tx in try tx.insert(contentsOf: (0..<6).map { Plain($0) }) }
    let copy = Store(copying: first.snapshot())
    try first.write { tx in try tx.update(Plain.self, 1) { $0.rank = 1 } }
    try copy.write { tx in try tx.update(Plain.self, 2) { $0.rank = 2 } }
    let groups = Plain.all.grouped(by: \.rank).count
    let changes = first.snapshot().value(of: groups).changes(to: copy.snapshot().value(of: groups))
    #expect(changes.deletions == [1] && changes.insertions == [1] && changes.modifications.isEmpty)
  }
}
