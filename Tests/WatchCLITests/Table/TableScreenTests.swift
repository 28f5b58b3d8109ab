import LiveStore
import Synchronization
import Testing
import livestore_watch

/// The screen as a value, without a terminal.
@Suite struct TableScreenTests {
  private static func document(_ id: Int, _ members: (String, JSONValue)...) -> Document {
    Document(id: JSONValue(id), body: .object(JSONObject([("id", JSONValue(id))] + members)))
  }

  /// Rows of an array, counting how many are read.
  private static func rows(
    _ documents: [Document], version: UInt64 = 1, reads: ReadCounter = ReadCounter()
  ) -> TableRows {
    TableRows(version: version, count: documents.count) { position in
      reads.count.add(1, ordering: .relaxed)
      return documents[position]
    } find: { document in
      documents.firstIndex { $0.id == document.id }
    }
  }

  private final class ReadCounter: Sendable {
    let count = Atomic<Int>(0)
  }

  private static let mixed: [Document] = [
    document(1, ("name", "日本語"), ("n", 5)), document(2, ("name", "👩‍👩‍👧 family"), ("n", 1.5)),
    document(3, ("owner", ["name": "Ann", "age": 4])), document(4, ("name", nil), ("n", "text")),
    document(5, ("name", "e\u{301}"), ("tags", ["a", 1])),
    document(6, ("name", .string(String(repeating: "long ", count: 50)))),
  ]

  private func screen(_ rows: Int, _ columns: Int, showing shown: [Column]? = nil) -> TableScreen {
    TableScreen(size: .init(rows: rows, columns: columns), columns: shown, key: [["id"]])
  }

  private func texts(_ screen: inout TableScreen, _ content: TableScreen.Content) -> [String] {
    screen.lines(content).map(\.text)
  }

  @Test func `every size gives as many lines as there are, none of them wider`() {
    let content = TableScreen.Content(rows: Self.rows(Self.mixed), summary: "6 objects, version 1: 日本語")
    let typed: [TerminalKey] = [.find, .character("a"), .character("日")]
    for rows in 1...12 {
      for columns in 1...70 {
        for keys in [[], [.end], [.right, .right, .right], [.enter], [.enter, .end], typed] {
          let size = TableScreen.Size(rows: rows, columns: columns)
          var screen = TableScreen(
            size: size, columns: nil, key: [["id"]], chart: columns % 2 == 0 ? nil : TableChart(path: ["n"]))
          _ = screen.lines(content)
          for key in keys { _ = screen.perform(key) }
          let lines = screen.lines(content)
          #expect(lines.count == rows)
          #expect(
            lines.allSatisfy { $0.width <= columns && $0.text.displayWidth <= columns },
            "\(rows)x\(columns), \(keys)")
          #expect(lines[rows == 1 ? 0 : 1].width > 0, "\(rows)x\(columns), \(keys)")
        }
      }
    }
  }

  @Test
  func `columns are found in the rows, the key first, numbers on the right, nested objects by their paths`() {
    var screen = screen(9, 200)
    let lines = texts(&screen, .init(rows: Self.rows(Self.mixed.prefix(5).map { $0 })))
    let expected = [
      "", "  id  name       n     owner.name  owner.age  tags",
      "   1  日本語     5", "   2  👩‍👩‍👧 family  1.5", "   3                   Ann                 4",
      "   4  null       text", "   5  e\u{301}                                       [\"a\",1]",
    ]
    #expect(lines.prefix(7).map { String($0.reversed().drop { $0 == " " }.reversed()) } == expected)
  }

  @Test func `given columns are shown under their titles, also where they have no value`() {
    let columns = [Column(path: ["owner", "name"], title: "Owner"), Column(path: ["id"])]
    var screen = screen(4, 40, showing: columns)
    let lines = texts(&screen, .init(rows: Self.rows([Self.mixed[2], Self.mixed[0]])))
    #expect(lines == ["", "  Owner  id", "  Ann     3", "          1"])
  }

  @Test func `changed values and new rows are marked, also after scrolling, until the next version`() {
    let old = (1...9).map { Self.document($0, ("n", JSONValue($0)), ("x", "same")) }
    var new = old
    new[1] = Self.document(2, ("n", 20), ("x", "same"))
    new.insert(Self.document(10, ("n", 0)), at: 0)
    var screen = screen(5, 40)
    _ = screen.lines(.init(rows: Self.rows(old)))
    let content = TableScreen.Content(rows: Self.rows(new, version: 2), previous: Self.rows(old))
    func marks(_ lines: [StyledLine], _ style: StyledLine.Style) -> [String] {
      lines.flatMap(\.pieces).filter { $0.style == style }.map { $0.text.filter { $0 != " " } }
    }
    let lines = screen.lines(content)
    #expect(marks(lines, .changed) == ["~", "20"])
    #expect(marks(lines, .inserted) == ["+", "10", "0", ""])
    _ = screen.perform(.down)
    #expect(marks(screen.lines(content), .changed) == ["~", "20"])
    let next = TableScreen.Content(rows: Self.rows(new, version: 3), previous: Self.rows(new, version: 2))
    #expect(marks(screen.lines(next), .changed) == [] && marks(screen.lines(next), .inserted) == [])
  }

  @Test func `only the rows in view are read, however many there are`() {
    let reads = ReadCounter()
    let rows = TableRows(version: 1, count: 1_000_000_000) { position in
      reads.count.add(1, ordering: .relaxed)
      return Self.document(position)
    } find: { _ in
      reads.count.add(1, ordering: .relaxed)
      return nil
    }
    var screen = screen(20, 80)
    for key in [TerminalKey.down, .end, .pageUp, .home] {
      reads.count.store(0, ordering: .relaxed)
      _ = screen.lines(.init(rows: rows))
      #expect(reads.count.load(ordering: .relaxed) == screen.rowsPerPage)
      _ = screen.perform(key)
    }
  }

  @Test
  func `the cursor moves to both ends and scrolls at the margin, and the end follows rows that are added`() {
    var screen = screen(6, 40)
    func expect(_ keys: [TerminalKey] = [], _ count: Int = 10, row: Int, first: Int) {
      for key in keys { #expect(screen.perform(key) == .draw) }
      let lines = screen.lines(.init(rows: Self.rows((0..<count).map { Self.document($0) })))
      #expect(screen.cursor.row == row && screen.cursor.first.row == first, "\(keys)")
      if count > 0 {
        #expect(
          lines.filter(\.isCurrent).map { $0.text.suffix(2) } == [row < 10 ? " \(row)" : "\(row)"], "\(keys)")
      }
    }
    #expect(screen.rowsPerPage == 3)
    expect(row: 0, first: 0)
    expect([.up], row: 0, first: 0)
    expect([.down, .character("j")], row: 2, first: 0)
    expect([.down], row: 3, first: 1)
    expect([.character("k")], row: 2, first: 1)
    expect([.pageDown], row: 4, first: 3)
    expect([.pageDown, .pageDown, .pageDown], row: 9, first: 7)
    expect([.pageUp], row: 7, first: 5)
    expect([.character("g")], row: 0, first: 0)
    expect([.character("G")], row: 9, first: 7)
    for (count, row, first) in [(20, 19, 17), (5, 4, 2), (0, 0, 0), (9, 8, 6)] {
      expect([], count, row: row, first: first)
    }
    expect([.up], 9, row: 7, first: 6)
    expect([], 20, row: 7, first: 6)
  }

  @Test
  func
    `the cursor stays on its object and its line of the screen when rows move, and on the first row there`()
  {
    var screen = screen(6, 40)
    let order = livestore_watch.SortKey(path: .init(steps: ["id"]), isDescending: true)
    func cursor(_ ids: [Int], _ version: UInt64, _ order: livestore_watch.SortKey? = nil) -> [Int] {
      let rows = TableRows(version: version, count: ids.count, order: order) {
        Self.document(ids[$0])
      } find: { document in
        ids.firstIndex { JSONValue($0) == document.id }
      }
      _ = screen.lines(.init(rows: rows))
      return [screen.cursor.row, screen.cursor.first.row]
    }
    #expect(cursor([1, 2, 3, 4, 5, 6], 1) == [0, 0])
    #expect(cursor([9, 1, 2, 3, 4, 5, 6], 2) == [0, 0])
    for _ in 1...3 { _ = screen.perform(.down) }
    #expect(cursor([9, 1, 2, 3, 4, 5, 6], 2) == [3, 1])
    #expect(cursor([9, 8, 7, 1, 2, 3, 4, 5, 6], 3) == [5, 3], "two objects come before it")
    #expect(cursor([9, 8, 7, 6, 5, 4, 3, 2, 1], 3, order) == [6, 4], "another order of the same version")
    #expect(cursor([9, 8, 7, 6, 5, 4, 2, 1], 4, order) == [6, 4], "3 is removed")
    #expect(cursor([2, 9], 5, order) == [0, 0])
  }

  @Test func `the column of the cursor comes into view, and the key's columns stay where they are`() {
    let rows = Self.rows([Self.document(1, ("aaaaaaaa", "b"), ("cccccccc", "d"), ("eeeeeeee", "f"))])
    var screen = screen(4, 22)
    func titles(_ key: TerminalKey) -> [String] {
      _ = screen.perform(key)
      let line = screen.lines(.init(rows: rows))[1]
      return [line.text] + line.pieces.filter { $0.style == .currentTitle }.map(\.text)
    }
    let (left, right) = ("  id  aaaaaa…  cccccc…", "  id  cccccc…  eeeeee…")
    #expect(titles(.other) == [left, "id"])
    #expect(titles(.right) == [left, "aaaaaa…"] && titles(.right) == [left, "cccccc…"])
    #expect(titles(.right) == [right, "eeeeee…"] && titles(.right) == [right, "eeeeee…"])
    #expect(titles(.left) == [right, "cccccc…"] && titles(.left) == [left, "aaaaaa…"])
  }

  @Test func `numbers are never cut, and where paths begin alike the ends of titles are shown`() {
    let document = Self.document(
      1, ("text", "a long text"), ("n", 123_456_789),
      ("meta", ["labels": "x", "name": "the name"]), ("other", ["labels": "y"]))
    func lines(_ columns: Int) -> [String] {
      var screen = screen(4, columns)
      return texts(&screen, .init(rows: Self.rows([document]))).dropFirst().prefix(2).map(\.self)
    }
    #expect(
      lines(60) == [
        "  id  text               n  …a.labels  meta.name  other.lab…",
        "   1  a long t…  123456789  x          the name   y         ",
      ])
    #expect(lines(23) == ["  id  text            n", "   1  a lon…  123456789"])
    #expect(lines(16) == ["  id  text      ", "   1  a long te…"])
    let groups = [Column(path: ["metadata.labels.app"]), Column(path: ["metadata.namespace"])]
    var grouped = screen(4, 22, showing: groups)
    #expect(texts(&grouped, .init(rows: Self.rows([document])))[1] == "  …bels.app  …amespace")
    var narrow = screen(4, 8, showing: [Column(path: ["n"])])
    #expect(texts(&narrow, .init(rows: Self.rows([document])))[2] == "       …")
  }

  @Test func `a text is found from the row of the cursor on, some rows at a time, around both ends`() {
    let names = ["Ärger", "b", "x ärger", "c", "d"]
    let rows = Self.rows(names.enumerated().map { Self.document($0, ("name", .string($1))) })
    var screen = screen(8, 60)
    func search(_ keys: [TerminalKey]) -> [Int] {
      for key in keys { #expect(screen.perform(key) == .draw) }
      var steps = 0
      while screen.isSearching {
        screen.search(in: rows, atMost: 1)
        steps += 1
      }
      _ = screen.lines(.init(rows: rows))
      return [screen.cursor.row, screen.cursor.column, steps]
    }
    func typed(_ text: String) -> [TerminalKey] { text.unicodeScalars.map { .character($0) } }
    #expect(search([]) == [0, 0, 0] && search([.down]) == [1, 0, 0])
    #expect(search(typed("/ÄRx") + [.backspace]) == [1, 0, 0])
    #expect(texts(&screen, .init(rows: rows)).last == "/ÄR ")
    #expect(search([.enter]) == [2, 1, 2])
    #expect(search(typed("n")) == [0, 1, 3] && search(typed("N")) == [2, 1, 3])
    #expect(search(typed("/zz") + [.deleteLine, .enter]) == [2, 1, 1], "the text before is looked for")
    #expect(search(typed("/zz") + [.escape] + typed("n")) == [0, 1, 3], "Escape leaves it")
    #expect(search(typed("/q") + [.enter]) == [0, 1, 6])
    #expect(texts(&screen, .init(rows: rows)).last == "not found: q")
    for key in typed("n") { _ = screen.perform(key) }
    screen.search(in: rows, atMost: 2)
    #expect(texts(&screen, .init(rows: rows)).last == "looking for q: 2 of 5 rows, any key stops")
    _ = screen.perform(.other)
    #expect(!screen.isSearching)
    let more = Self.rows((0...9).map { Self.document($0, ("name", $0 == 8 ? "q" : "")) }, version: 2)
    for key in typed("Gn") { _ = screen.perform(key) }
    screen.search(in: more)
    _ = screen.lines(.init(rows: more))
    #expect(screen.cursor.row == 8 && !screen.isSearching, "in rows that have not been drawn")
  }

  @Test
  func `a column under the cursor is sorted up, down, and not, and its title shows the order of the rows`() {
    var screen = screen(4, 40)
    func order(_ isDescending: Bool) -> livestore_watch.SortKey {
      livestore_watch.SortKey(path: .init(steps: ["a", "b"]), isDescending: isDescending)
    }
    func titles(_ order: livestore_watch.SortKey?) -> String {
      let document = Self.document(1, ("a", ["b": 7]))
      let rows = TableRows(version: 1, count: 1, order: order) { _ in
        document
      } find: { _ in
        0
      }
      return screen.lines(.init(rows: rows))[1].text
    }
    #expect(titles(nil) == "  id  a.b")
    _ = screen.perform(.right)
    let keys = (1...4).map { _ in screen.perform(.character("s")) }
    #expect(keys == [.order(order(false)), .order(order(true)), .order(nil), .order(order(false))])
    #expect(titles(nil) == "  id  a.b")
    #expect(titles(order(false)) == "  id  a.b▲" && titles(order(true)) == "  id  a.b▼")
  }

  @Test
  func `Enter shows the newest value of the object under the cursor, and the last one when it is removed`() {
    let body: JSONValue = ["id": 2, "e": [], "o": ["x": "a\"{,:é", "n": [1, nil]]]
    let old = [Self.document(1), Document(id: 2, body: body), Self.document(3)]
    var screen = screen(20, 40)
    func lines(_ documents: [Document]) -> [String] {
      texts(&screen, .init(rows: Self.rows(documents))).dropFirst().filter { !$0.isEmpty }.map(\.self)
    }
    _ = lines(old)
    _ = screen.perform(.down)
    _ = screen.perform(.enter)
    let shown = [
      "{", #"  "id": 2,"#, #"  "e": [],"#, #"  "o": {"#, #"    "x": "a\"{,:é","#, #"    "n": ["#, "      1,",
      "      null", "    ]", "  }", "}",
    ]
    let footer = "Escape goes back, arrows and page keys …"
    #expect(lines(old) == ["object 2"] + shown + [footer])
    #expect(lines([old[0]]) == ["object 2, not in the result any more"] + shown + [footer])
    #expect(lines([Self.document(2, ("n", 5))]).prefix(4) == ["object 2", "{", #"  "id": 2,"#, #"  "n": 5"#])
    screen.size = .init(rows: 7, columns: 12)
    #expect(lines(old) == ["object 2", "{", #"  "id": 2,"#, #"  "e": [],"#, #"  "o": {"#, "lines 1-4 o…"])
    _ = screen.perform(.end)
    #expect(lines(old).dropFirst() == ["      null", "    ]", "  }", "}", "lines 9-12 …"])
    #expect(screen.perform(.character("q")) == .draw && screen.perform(.character("q")) == .quit)
  }

  @Test func `a chart has a bar for each total, and a course for each trend, behind the columns`() {
    let documents = [
      Self.document(1, ("n", 16)), Self.document(2, ("n", 1)), Self.document(3, ("n", -9)),
      Self.document(4, ("n", 8), ("trend", [0, 1, 2, -1, 14])), Self.document(5, ("n", 9)),
    ]
    var screen = TableScreen(
      size: .init(rows: 20, columns: 26), columns: nil, key: [["id"]], chart: TableChart(path: ["n"]))
    let lines = texts(&screen, .init(rows: Self.rows(documents)))
    #expect(
      lines.prefix(7) == [
        "", "  id   n", "   1  16  ████████", "   2   1  ▌", "   3  -9", "   4   8  ▁▂▂▁█", "   5   9  ████▌",
      ])
  }

  @Test func `widths do not shrink while values do`() {
    var screen = screen(4, 40)
    _ = screen.lines(.init(rows: Self.rows([Self.document(1, ("a", "long text"), ("b", 1))])))
    let lines = texts(&screen, .init(rows: Self.rows([Self.document(1, ("a", "x"), ("b", 2))])))
    #expect(lines[2] == "   1  x          2")
  }

  @Test func `text in a pipe is a table with all rows and whole values`() throws {
    let pipe = OutputPipe()
    var writer = pipe.writer()
    try PlainTable.write(
      Self.rows(Array(Self.mixed.prefix(3))), columns: nil, key: [["id"]], width: nil, isColored: false,
      to: &writer)
    try writer.flush()
    #expect(
      try pipe.text()
        == """
        id  name         n  owner.name  owner.age
         1  日本語       5
         2  👩‍👩‍👧 family  1.5
         3                  Ann                 4

        """)
  }
}
