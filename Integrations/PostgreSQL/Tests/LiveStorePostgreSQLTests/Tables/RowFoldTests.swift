import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

/// Transactions in which ids swap, rows come before others leave, and tables are emptied and filled again.
@Suite struct `Transactions are folded by id` {
  private let store: Store
  private let reader: any RowReader

  init() throws {
    store = try Store(Page.self, Remark.self)
    reader = try Page.reader()
  }

  private func row(_ id: Int, _ title: String) -> TupleData { Page.rows((id, title))[0] }

  private func fill(_ pages: [(Int, String)]) throws {
    try store.write { tx in
      for (id, title) in pages {
        try tx.insert(Page(id, title))
        try tx.insert(Remark(id: id, page: Ref(id)))
      }
    }
  }

  private func transaction(
    _ reader: (any RowReader)? = nil, leftOut: LeftOutRows = [:],
    _ body: (inout WriteTransaction) throws -> Void
  ) throws {
    let reader = reader ?? self.reader
    try store.write { tx in
      reader.beginChanges(leftOut, after: nil)
      try body(&tx)
      try reader.finishChanges(in: &tx)
    }
  }

  private var pages: [String] { store.fetch(Page.all).map { "\($0.id)\($0.title)" } }
  private var linked: [Int] { store.fetch(Remark.all).compactMap { $0.page == nil ? nil : $0.id } }

  @Test func `two rows swap their ids`() throws {
    try fill([(1, "a"), (2, "b")])
    try transaction { tx in
      try reader.update(row(1, "a"), isFull: true, to: row(2, "a"), in: &tx)
      try reader.update(row(2, "b"), isFull: true, to: row(1, "b"), in: &tx)
    }
    #expect(pages == ["1b", "2a"])
    #expect(linked == [1, 2])
  }

  @Test func `each row takes the id of the next`() throws {
    try fill([(1, "a"), (2, "b"), (3, "c")])
    try transaction { tx in
      for (id, title) in [(1, "a"), (2, "b"), (3, "c")] {
        try reader.update(row(id, title), isFull: true, to: row(id + 1, title), in: &tx)
      }
    }
    #expect(pages == ["2a", "3b", "4c"])
    #expect(linked == [2, 3])
  }

  @Test func `a row is inserted before the one of its id is deleted`() throws {
    try fill([(4, "old")])
    try transaction { tx in
      try reader.insert(row(4, "new"), in: &tx)
      try reader.delete(row(4, "old"), isFull: true, in: &tx)
    }
    #expect(pages == ["4new"])
    #expect(linked == [4])
  }

  @Test
  func `rows that come one behind the other are decoded and written together, and each table by itself`()
    throws
  {
    let rows = Page.rows((1...2_500).map { ($0, "page \($0)") })
    var runs: [RowRun] = []
    for (table, index) in (0..<2_000).map({ (7, $0) }) + [(8, 2_000), (7, 2_001), (7, 2_002)] {
      if runs.last?.table == UInt32(table), runs[runs.count - 1].append(UInt32(table), rows[index]) {
        continue
      }
      runs.append(RowRun(UInt32(table), rows[index]))
    }
    #expect(runs.map(\.table) == Array(repeating: 7, count: 16) + [8, 7])
    #expect(runs.map(\.rows.count) == Array(repeating: 128, count: 15) + [80, 1, 2])
    try transaction { tx in
      for run in runs { try reader.insert(run.rows, in: &tx) }
    }
    #expect(store.fetch(Page.all).map(\.id) == Array(1...2_003))
    #expect(store[Page.self, 2_002]?.title == "page 2002")
  }

  @Test func `rows in other bytes, with other columns or of another kind begin another run`() {
    var run = RowRun(7, row(1, "a"))
    let isAdded = [
      run.append(7, row(2, "b")), run.append(7, TupleData(bytes: run.rows.bytes, fields: [.null])),
      run.append(7, run.rows[0], areUpdates: true), run.append(7, run.rows[0]),
    ]
    #expect(isAdded == [false, false, false, true])
    #expect(run.rows.count == 2)
  }

  @Test func `rows that are updated together replace those with their ids in their order`() throws {
    try fill((1...9).map { ($0, "old") })
    try transaction { tx in
      try reader.update(
        Page.rows((1...9).map { ($0, "new") } + [(3, "newer"), (3, "newest")]), in: &tx)
    }
    #expect(pages == ["1new", "2new", "3newest"] + (4...9).map { "\($0)new" })
    #expect(linked == Array(1...9))
  }

  @Test func `rows are updated together while a row of another id waits for its own`() throws {
    try fill((1...9).map { ($0, "old") })
    try transaction { tx in
      try reader.insert(row(4, "waiting"), in: &tx)
      try reader.update(Page.rows((1...9).filter { $0 != 4 }.map { ($0, "new") }), in: &tx)
      try reader.delete(row(4, "old"), isFull: true, in: &tx)
    }
    #expect(pages == (1...3).map { "\($0)new" } + ["4waiting"] + (5...9).map { "\($0)new" })
    #expect(linked == Array(1...9))
  }

  @Test func `a row that is deleted and inserted again is an update in its place`() throws {
    try fill([(1, "a"), (2, "b")])
    try transaction { tx in
      try reader.delete(row(1, "a"), isFull: false, in: &tx)
      try reader.insert(row(1, "c"), in: &tx)
    }
    #expect(pages == ["1c", "2b"])
    #expect(linked == [1, 2])
  }

  @Test func `a table that is truncated and filled again loses what is not there any more`() throws {
    try fill([(1, "a"), (2, "b"), (3, "c")])
    try transaction { tx in
      reader.truncate()
      for (id, title) in [(3, "x"), (4, "y")] { try reader.insert(row(id, title), in: &tx) }
    }
    #expect(pages == ["3x", "4y"])
    #expect(linked == [3])
    try transaction { _ in reader.truncate() }
    #expect(pages == [] && linked == [])
  }

  @Test func `two rows that have one id at the end are refused, and nothing is applied`() throws {
    try fill([(1, "a")])
    let error = #expect(throws: PostgresError.self) {
      try transaction { tx in
        try reader.insert(row(2, "b"), in: &tx)
        try reader.insert(row(1, "c"), in: &tx)
      }
    }
    #expect(error?.code == PostgresError.invalidTable)
    #expect(error?.message.contains("the id 1 of Page") == true)
    #expect(pages == ["1a"])
  }

  @Test func `another description of the table in a transaction changes nothing about what it did before`()
    throws
  {
    try fill([(1, "a"), (2, "b")])
    let second = try Page.reader()
    try store.write { tx in
      reader.beginChanges([:], after: nil)
      try reader.delete(row(1, "a"), isFull: false, in: &tx)
      second.beginChanges([:], after: reader)
      try second.insert(row(1, "c"), in: &tx)
      try second.finishChanges(in: &tx)
    }
    #expect(pages == ["1c", "2b"])
    #expect(linked == [1, 2])
  }

  /// The rows of a table whose key is checked at the end of a transaction: a list, in which ids may be there twice.
  private struct Table {
    var rows: [(id: Int, title: String)] = []
    var next = 0

    mutating func title(_ isUnreadable: Bool = false) -> String {
      next += 1
      return "t\(next)" + (isUnreadable ? "!" : "")
    }
  }

  @Test(arguments: Seeds.forSuite(400))
  func `random transactions leave the rows that the table has, in their places and with their links`(
    seed: UInt64
  ) throws { try checkRandom(seed, reader) }

  /// Of rows whose title has an exclamation mark there are no objects.
  @Test(arguments: Seeds.forSuite(400))
  func `random transactions leave out the rows that cannot be read, until they can`(seed: UInt64) throws {
    let table = try #require(
      try Replicated("pages", Page.self, unreadable: .leaveOut) { row in
        let title = try row.decode("title", as: String.self)
        if title.contains("!") { throw Unreadable() }
        return Page(try row.decode("id"), title)
      }.replicated.table())
    try checkRandom(seed, try table.makeReader(Page.layout), unreadable: 3)
  }

  private struct Unreadable: Error {}

  // All rows that are left out were copied in each transaction that changed one of them.
  @Test func `a transaction has the changes of rows that are left out, and not all of them`() throws {
    let unread = try #require(
      try Replicated("pages", Page.self, unreadable: .leaveOut) { _ in throw Unreadable() }.replicated.table()
    )
    let reader = try unread.makeReader(Page.layout)
    var rows: LeftOutRows = [:]
    func expect(_ count: Int, _ body: (inout WriteTransaction) throws -> Void) throws {
      try transaction(reader, leftOut: rows, body)
      let changes = reader.takeLeftOut()
      #expect(changes.count == count)
      for (id, refusal) in changes { rows[id] = refusal }
    }
    try expect(9) { tx in for id in 1...9 { try reader.insert(row(id, "a"), in: &tx) } }
    try expect(1) { tx in try reader.update(nil, isFull: false, to: row(4, "b"), in: &tx) }
    try expect(2) { tx in
      try reader.insert(row(10, "a"), in: &tx)
      try reader.delete(row(5, "a"), isFull: true, in: &tx)
    }
    #expect(Set(rows.keys) == Set([1, 2, 3, 4, 6, 7, 8, 9, 10].map { RowID($0) }))
  }

  /// - Parameter unreadable: of how many rows about one is unreadable; 0 for none.
  private func checkRandom(_ seed: UInt64, _ reader: any RowReader, unreadable: Int = 0) throws {
    var random = SplitMix64(seed: seed)
    var table = Table()
    func isUnreadable() -> Bool { unreadable > 0 && random.int(1...unreadable) == 1 }
    for id in 0..<random.int(0...7) { table.rows.append((id, table.title())) }
    try fill(table.rows)
    var rows: LeftOutRows = [:]
    for _ in 0..<6 {
      let order = store.fetch(Page.all).map(\.id)
      let links = Set(linked)
      try transaction(reader, leftOut: rows) { tx in
        for _ in 0..<random.int(0...11) {
          let place = table.rows.isEmpty ? 0 : random.int(0...table.rows.count - 1)
          switch random.int(0...12) {
          case 0..<4:
            // One, or as many as are written together.
            let ids = random.int(0...3) == 0 ? Array(8...15) : [random.int(0...7)]
            let new = ids.map { ($0, table.title(isUnreadable())) }
            table.rows += new
            try reader.insert(Page.rows(new), in: &tx)
          case 4..<7 where !table.rows.isEmpty:
            let old = table.rows.remove(at: place)
            try reader.delete(row(old.id, old.title), isFull: true, in: &tx)
          case 7..<11 where !table.rows.isEmpty:
            let (old, id) = (table.rows[place], random.int(0...7))
            table.rows[place] = (id, table.title(isUnreadable()))
            let new = row(id, table.rows[place].title)
            try reader.update(row(old.id, old.title), isFull: true, to: new, in: &tx)
          case 12:
            // Those whose ids other rows have are known by all their columns.
            let unique = table.rows.indices.filter { index in
              table.rows.count { $0.id == table.rows[index].id } == 1
            }
            for index in unique { table.rows[index].title = table.title(isUnreadable()) }
            try reader.update(Page.rows(unique.map { table.rows[$0] }), in: &tx)
          case 11 where random.int(0...3) == 0:
            table.rows = []
            reader.truncate()
          default: break
          }
        }
        // The key is unique at the end.
        var ids: Set<Int> = []
        for old in table.rows where !ids.insert(old.id).inserted {
          try reader.delete(row(old.id, old.title), isFull: true, in: &tx)
          table.rows.removeAll { $0 == old }
        }
      }
      let (leftOut, readable) = (
        table.rows.filter { $0.title.contains("!") }, table.rows.filter { !$0.title.contains("!") }
      )
      let expected = Dictionary(uniqueKeysWithValues: readable.map { ($0.id, $0.title) })
      for (id, refusal) in reader.takeLeftOut() { rows[id] = refusal }
      #expect(Set(rows.keys) == Set(leftOut.map { RowID($0.id) }), "seed \(seed)")
      let pages = store.fetch(Page.all)
      #expect(Dictionary(uniqueKeysWithValues: pages.map { ($0.id, $0.title) }) == expected, "seed \(seed)")
      let stayed = Set(order).intersection(expected.keys)
      #expect(pages.map(\.id).prefix(stayed.count) == order.filter(stayed.contains)[...], "seed \(seed)")
      #expect(Set(linked) == links.intersection(stayed), "seed \(seed)")
    }
  }
}
