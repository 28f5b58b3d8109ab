import LiveStore
import Testing

private struct Label: Entity {
  let id: Int
  var name: String
  static let schema = Schema<Label> { \.name }
}

private struct Incident: Entity {
  let id: Int
  var number = 5_000
  var meta: JSONValue = nil
  var other: JSONValue = nil
  var tags: [String] = []
  var labels = RefList<Label>()
  var grid: [[String]] = []
  static let schema = Schema<Incident> {
    \.number
    \.meta
    \.other
    \.tags
    \.labels
    \.grid
  }
}

/// Bug: an element whose type is seen when it is read was looked for in another row by a condition inside it: the memory of
/// that row was taken for a value, or the process ended.
@Suite struct `Variables of elements without a type` {
  private let store: Store

  init() throws {
    store = try Store(Label.self, Incident.self)
    try store.write { tx in
      for (id, name) in ["disk", "net", "web"].enumerated() { try tx.insert(Label(id: id, name: name)) }
      try tx.insert(
        Incident(
          id: 1, meta: ["disk", "x"], other: [1, "x"], tags: ["x"], labels: [Ref(0), Ref(1)], grid: [["x"]]))
      try tx.insert(
        Incident(
          id: 2, meta: [["a": "net"], 7], other: [7], tags: ["net", "abc"], labels: [Ref(1)],
          grid: [["a", "b"], ["net"]]))
      try tx.insert(Incident(id: 3, meta: ["web"], other: ["web"], tags: [], labels: [Ref(0)]))
      try tx.insert(Incident(id: 4, meta: "disk", other: nil, tags: ["disk"], labels: [Ref(0)]))
    }
  }

  @Test(arguments: [
    ("SUBQUERY(meta, $m, SUBQUERY(labels, $l, $l.name == $m).@count > 0).@count > 0", [1]),
    ("SUBQUERY(meta, $m, SUBQUERY(labels, $l, $l.name == $m.a).@count > 0).@count > 0", [2]),
    ("SUBQUERY(meta, $m, SUBQUERY(labels, $l, length($l.name) == length($m)).@count > 1).@count > 0", []),
    ("SUBQUERY(meta, $m, SUBQUERY(labels, $l, length($l.name) >= length($m)).@count > 1).@count > 0", [1]),
    ("SUBQUERY(meta, $m, SUBQUERY(tags, $t, $t == $m).@count > 0).@count > 0", [1]),
    ("SUBQUERY(meta, $m, SUBQUERY(tags, $t, $t == $m.a).@count > 0).@count > 0", [2]),
    ("SUBQUERY(meta, $m, NOT SUBQUERY(tags, $t, $t == $m).@count > 0).@count > 1", [2]),
    ("SUBQUERY(meta, $m, SUBQUERY(other, $o, $o == $m).@count > 0).@count > 0", [1, 2, 3]),
    (
      "SUBQUERY(meta, $m, SUBQUERY(other, $o, SUBQUERY(labels, $l, $l.name == $o AND $o == $m).@count == 0).@count > 0).@count > 0",
      [1, 2, 3]
    ),
    ("SUBQUERY(labels, $l, SUBQUERY(meta, $m, $m == $l.name).@count > 0).@count > 0", [1]),
    ("SUBQUERY(grid, $g, SUBQUERY(labels, $l, $l.name IN $g).@count > 0).@count > 0", [2]),
    ("SUBQUERY(grid, $g, SUBQUERY(tags, $t, $t IN $g).@count > 0).@count > 0", [1, 2]),
    ("SUBQUERY(meta, $m, SUBQUERY(labels, $l, $m == 'disk').@count == 2).@count == 1", [1]),
    ("SUBQUERY(meta, $m, SUBQUERY(tags, $t, $m == 7).@count == 2).@count == 1", [2]),
  ])
  func `a condition inside an element reads that element`(text: String, ids: [Int]) throws {
    #expect(store.fetch(try Incident.where(format: text)).map(\.id) == ids)
    #expect(
      store.fetch(try Incident.where(format: "NOT \(text)")).map(\.id) == (1...4).filter { !ids.contains($0) }
    )
  }

  @Test(arguments: [
    ("ANY grid[0][*] == 'b'", [2]), ("ANY grid[LAST][*] == 'net'", [2]),
    ("ANY grid[0][*] == 7", []), ("ANY meta[*].a == 'net'", [2]),
  ])
  func `a path leads on within lists that are computed`(text: String, ids: [Int]) throws {
    #expect(store.fetch(try Incident.where(format: text)).map(\.id) == ids)
  }

  @Test(arguments: ["length", "uppercase", "abs", "double"])
  func `a function of one value is not applied to several`(name: String) throws {
    let error = #expect(throws: StoreError.self) { try Incident.where(format: "\(name)(ANY meta) == other") }
    #expect(error?.message.contains("\(name) takes one value") == true, "\(String(describing: error))")
  }
}
