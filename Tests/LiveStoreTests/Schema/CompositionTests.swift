import LiveStore
import Testing

private struct City: Entity {
  let id: Int
  var name: String
  var code: String

  static let schema = Schema<City> {
    Property(\.name, .indexed)
    Property(\.code, .unique)
  }
}

/// Equal texts are equal to indexes, however they are written.
@Suite struct `Texts in several forms of writing` {
  private static let pairs = [
    ("é", "e\u{301}"), ("각", "가\u{11A8}"), ("각", "\u{1100}\u{1161}\u{11A8}"), ("가", "\u{1100}\u{1161}"),
    ("ab각", "ab가\u{11A8}"), ("ệ", "e\u{302}\u{323}"), ("각\u{301}", "가\u{11A8}\u{301}"),
    ("\u{CCB}", "\u{CC6}\u{CC2}\u{CD5}"), ("\u{105C9}", "\u{105D2}\u{307}"),
    ("\u{16D6A}", "\u{16D63}\u{16D67}\u{16D67}"), ("\u{344}", "\u{308}\u{301}"),
    ("a\u{323}\u{301}", "á\u{323}"),
  ]

  @Test(arguments: pairs)
  func `equal texts in two forms are found through an index, and violate a unique property`(
    _ one: String, _ other: String
  ) throws {
    let store = try Store(City.self)
    try store.write { tx in
      try tx.insert(City(id: 1, name: one, code: one))
      try tx.insert(City(id: 2, name: "z", code: "z"))
    }
    #expect(store.snapshot().fetch(City.where { $0.name == other }).map(\.id) == [1])
    let (found, _) = try store.subscribe(City.where { $0.name == other })
    #expect(found.map(\.id) == [1])
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in try tx.insert(City(id: 3, name: "", code: other)) }
    }
    #expect(error?.code == StoreError.uniqueViolation)
  }

  /// One scalar beyond those that compose.
  @Test(arguments: [
    ("\u{1100}\u{1176}", "까"), ("\u{1100}\u{1161}\u{11C3}", "개"), ("\u{1100}\u{1161}\u{11A7}", "가"),
  ])
  func `texts in two forms that are not equal are two values`(_ one: String, _ other: String) throws {
    let store = try Store(City.self)
    try store.write { tx in
      try tx.insert(City(id: 1, name: one, code: one))
      try tx.insert(City(id: 2, name: other, code: other))
    }
    #expect(store.snapshot().fetch(City.where { $0.name == one }).map(\.id) == [1])
    #expect(store.snapshot().fetch(City.where { $0.name == other }).map(\.id) == [2])
    #expect(store.snapshot().fetch(City.sorted(by: \.name)).count == 2)
  }
}
