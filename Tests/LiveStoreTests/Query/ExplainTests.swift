import LiveStore
import TestSupport
import Testing

private struct Address: Equatable, Sendable {
  var city = ""
  var zip: Int?
}

private struct Shop: Entity {
  let id: Int
  var address = Address()
  var branch: Address?
  static let schema = Schema<Shop> {
    \.address
    \.branch
    Property(\.address.city, .indexed)
    Property(\.branch?.city, .indexed)
    Property(\.branch?.zip, "branchZip", .indexed)
  }
}

/// The plans of queries, by the words that matter.
@Suite struct ExplainTests {
  typealias T = Thing<WithIndexes>

  private func filled() async throws -> Snapshot {
    let store = try Store(T.self, Thing<WithoutIndexes>.self)
    try await store.write { tx in
      for id in 0..<500 {
        try tx.insert(
          thing(id) {
            $0.level = id % 50
            $0.tag = "tag-\(id % 20)"
            $0.code = "c\(id)"
            $0.score = Double(id)
          })
      }
    }
    return store.snapshot()
  }

  @Test func `an id is looked up by id`() async throws {
    let snapshot = try await filled()
    #expect(T.where { $0.id == 4 }.explain(in: snapshot).contains("id"))
    #expect(!T.where { $0.id == 4 }.explain(in: snapshot).contains("scan"))
    #expect(!T.where { $0.id.in([4, 5]) }.explain(in: snapshot).contains("scan"))
  }

  @Test func `equality, lists, ranges and prefixes use the index of their property`() async throws {
    let snapshot = try await filled()
    let queries: [(Query<T>, String)] = [
      (T.where { $0.level == 3 }, "level"), (T.where { $0.level.in([3, 4]) }, "level"),
      (T.where { $0.level > 45 }, "level"), (T.where { $0.level <= 2 }, "level"),
      (T.where { $0.level.in(3..<5) }, "level"), (T.where { $0.level.in(...2) }, "level"),
      (T.where { $0.tag == "tag-1" }, "tag"), (T.where { $0.tag.beginsWith("tag-5") }, "tag"),
      (T.where { $0.code == "c7" }, "code"), (T.where { $0.score.in(3.0...5.0) }, "score"),
      (T.where { $0.level == 3 && $0.name.contains("x") }, "level"),
      (T.where { $0.level == 3 && $0.rank > 1 && $0.isDone }, "level"),
      (T.where { $0.level == 3 || $0.level > 47 || $0.level == 4 && $0.isDone }, "level"),
    ]
    for (query, property) in queries {
      let plan = query.explain(in: snapshot)
      #expect(
        plan.contains("index") && plan.contains(property) && !plan.contains("scan"), "\(query): \(plan)")
    }
  }

  /// Bug: an index on a property of a nested value served no filter and no sort. Cause: the filter walked to it in two
  /// steps, and the schema in one. Mend: a path is known by its members.
  @Test func `a property of a nested value uses its index, however it is written`() throws {
    let store = try Store(Shop.self)
    try store.write { tx in
      for id in 0..<200 {
        let address = Address(city: "\(id % 50)", zip: id % 2 == 0 ? id : nil)
        try tx.insert(Shop(id: id, address: address, branch: id % 3 == 0 ? nil : address))
      }
    }
    let snapshot = store.snapshot()
    let queries: [(Query<Shop>, String, Int)] = [
      (Shop.where { $0.address.city == "7" }, "address.city", 4),
      (Shop.where { $0[\.address.city] == "7" }, "address.city", 4),
      (Shop.where { $0.branch.city == "8" }, "branch?.city", 3),
      (Shop.where { $0[\.branch?.city] == "8" }, "branch?.city", 3),
      (Shop.where { $0.branch.zip == 8 }, "branchZip", 1),
      (Shop.sorted(by: \.address.city).limit(4), "address.city", 4),
    ]
    for (query, property, count) in queries {
      let plan = query.explain(in: snapshot)
      #expect(plan.hasPrefix("index Shop.\(property)"), "\(query): \(plan)")
      #expect(snapshot.fetch(query).count == count, "\(query)")
    }
  }

  @Test func `what no index serves is a scan`() async throws {
    let snapshot = try await filled()
    let queries: [Query<T>] = [
      T.where { $0.rank == 3 }, T.where { $0.name.contains("x") }, T.filter { $0.level == 3 },
      T.where { $0.tag.beginsWith("tag-1", options: .caseInsensitive) }, T.where { $0.tag.endsWith("1") },
      T.where { $0.level == 3 || $0.rank == 2 },
    ]
    for query in queries {
      let plan = query.explain(in: snapshot)
      #expect(plan.contains("scan"), "\(query): \(plan)")
    }
    let plain = Thing<WithoutIndexes>.where { $0.level == 3 }.explain(in: snapshot)
    #expect(plain.contains("scan") && !plain.contains("index "), "\(plain)")
  }

  @Test func `an index gives the order of a small window`() async throws {
    let snapshot = try await filled()
    for query in [T.sorted(by: \.level).limit(5), T.sorted(by: \.score, .descending).limit(5)] {
      let plan = query.explain(in: snapshot)
      #expect(plan.contains("index") && !plan.contains("scan"), "\(query): \(plan)")
    }
  }

  @Test func `the text of a window of all rows says that it is one`() throws {
    let query = T.all.offset(0)
    #expect(try T.query(format: query.format ?? "") == query && query != T.all)
    #expect(T.all.limit(3).format == "TRUEPREDICATE LIMIT(3)")
  }

  /// Bug: `offset(0)` was no window, so that what came after it changed its meaning with the number.
  @Test func `a sort after an offset orders the window, also when the offset is zero`() async throws {
    let store = try Store(T.self)
    try await store.write { tx in
      try tx.insert(thing(1) { ($0.level, $0.rank) = (1, 2) })
      try tx.insert(thing(2) { ($0.level, $0.rank) = (2, 1) })
    }
    let query = T.sorted(by: \.level).offset(0).sorted(by: \.rank)
    #expect(store.snapshot().fetch(query).map(\.id) == [2, 1])
  }
}
