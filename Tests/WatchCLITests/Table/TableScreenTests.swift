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
      documents.first { $0.id == document.id }
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
    for rows in 1...12 {
      for columns in 1...70 {
        var screen = screen(rows, columns)
        let lines = screen.lines(content)
        #expect(lines.count == rows)
        #expect(
          lines.allSatisfy { $0.width <= columns && $0.text.displayWidth <= columns }, "\(rows)x\(columns)")
        #expect(lines[rows == 1 ? 0 : 1].width > 0, "\(rows)x\(columns)")
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

  @Test func `scrolling stops at both ends, and the end follows rows that are added`() {
    var screen = screen(6, 40)
    func first(_ count: Int) -> Int {
      _ = screen.lines(.init(rows: Self.rows((0..<count).map { Self.document($0) })))
      return screen.first.row
    }
    func expect(_ key: TerminalKey, first row: Int) {
      let before = screen.first.row
      let isScrolled = screen.perform(key)
      #expect(first(10) == row && isScrolled == (row != before), "\(key)")
    }
    #expect(screen.rowsPerPage == 3 && first(10) == 0)
    expect(.up, first: 0)
    for (key, row) in [(TerminalKey.down, 1), (.pageDown, 3), (.pageDown, 5), (.pageDown, 7), (.pageUp, 5)] {
      expect(key, first: row)
    }
    _ = screen.perform(.end)
    #expect(first(10) == 7 && first(20) == 17 && first(5) == 2 && first(0) == 0 && first(9) == 6)
    _ = screen.perform(.up)
    #expect(first(9) == 5 && first(20) == 5, "the end is left by scrolling up")
    _ = screen.perform(.home)
    #expect(first(20) == 0)
  }

  @Test func `columns to the right come into view by scrolling`() {
    let rows = Self.rows([Self.document(1, ("aaaaaaaa", "b"), ("cccccccc", "d"), ("eeeeeeee", "f"))])
    var screen = screen(4, 20)
    #expect(texts(&screen, .init(rows: rows))[1] == "  id  aaaaa…  ccccc…")
    for titles in ["  aaaaaaaa  cccccccc", "  cccccccc  eeeeeeee", "  eeeeeeee"] {
      _ = screen.perform(.right)
      let line = texts(&screen, .init(rows: rows))[1]
      #expect(line == titles)
    }
    _ = screen.perform(.right)
    #expect(screen.first.column == 3)
    _ = screen.perform(.left)
    #expect(screen.first.column == 2)
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
