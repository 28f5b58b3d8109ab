import Foundation
import LiveStore
import LiveStoreServer
import LiveStoreTool
import Testing

@Suite("What livestore attach shows")
struct AttachViewTests {
  private static func state(_ store: Store) throws -> InspectorState {
    InspectorState(
      process: .init(name: "feed", id: 7), server: .init(streams: 1, readers: 0, queries: 1),
      store: store.inspection, fields: ["Post": .init(names: ["title"], described: [])],
      reports: [.init(name: "file", figures: [.init(name: "durable version", value: "3")])])
  }

  @Test("keys go from view to view, into the rows of an entity, and back")
  func keys() throws {
    let store = try makeStore(posts: 3)
    var view = AttachView()
    view.state = try Self.state(store)
    func text() -> String { view.lines(width: 100, height: 20).joined(separator: "\n") }
    #expect(text().contains("feed (7)"))
    #expect(text().contains("Author"))
    view.press(.down)
    view.press(.enter)
    #expect(view.open == AttachView.Rows(entity: "Post"))
    view.take([.init(key: "1", value: ["title": "First"])], of: .init(entity: "Post"))
    #expect(text().contains("First"))
    for character in "/title == 'x'" { view.press(.character(character)) }
    #expect(text().contains("where title == 'x'"))
    view.press(.enter)
    #expect(view.open == AttachView.Rows(entity: "Post", filter: "title == 'x'"))
    // Rows of the filter before are late.
    view.take([], of: .init(entity: "Post"))
    #expect(text().contains("First"))
    view.press(.escape)
    #expect(view.open == nil)
    view.press(.character("6"))
    #expect(text().contains("durable version"))
    view.press(.tab)
    #expect(view.tab == .entities)
    view.press(.character("q"))
    #expect(view.isOver)
  }

  @Test("a refused filter is said until other rows or another view come, and the end of the input ends it")
  func refusedFilter() throws {
    let store = try makeStore(posts: 3)
    var view = AttachView()
    view.state = try Self.state(store)
    func text() -> String { view.lines(width: 120, height: 20).joined(separator: "\n") }
    view.press(.down)
    view.press(.enter)
    view.take([.init(key: "1", value: ["title": "First"])], of: .init(entity: "Post"))
    for character in "/x ==" { view.press(.character(character)) }
    view.press(.enter)
    view.refuse("late", of: .init(entity: "Post"))
    #expect(!text().contains("late"))
    view.refuse("There is no x.", of: .init(entity: "Post", filter: "x =="))
    view.connectionMessage = "silent"
    #expect(text().contains("silent"))
    view.state = try Self.state(store)
    #expect(text().contains("There is no x. The rows are those of the filter before."))
    view.take([], of: .init(entity: "Post", filter: "x =="))
    #expect(!text().contains("There is no x."))
    view.refuse("Again.", of: .init(entity: "Post", filter: "x =="))
    view.press(.escape)
    #expect(!text().contains("Again."))
    view.press(.enter)
    view.press(.character("/"))
    view.press(.closed)
    #expect(view.isOver)
  }

  @Test("rows are asked for again by the same filter, and when a server answers that did not")
  func again() throws {
    var view = AttachView()
    let state = try Self.state(try makeStore(posts: 1))
    view.state = state
    for key in [Key.down, .enter] { view.press(key) }
    let first = view.attempt
    for key in [Key.character("/"), .enter] { view.press(key) }
    #expect(view.attempt == first + 1)
    view.state = state
    #expect(view.attempt == first + 1)
    view.connectionMessage = "There is no server."
    #expect(view.attempt == first + 1)
    view.state = state
    #expect(view.attempt == first + 2)
    #expect(view.open == AttachView.Rows(entity: "Post"))
  }

  @Test("titles of columns have nothing that a terminal obeys")
  func titles() {
    let lines = TextTable([.init("a\u{1B}[2J\u{9B}")], [["b"]]).lines(in: nil)
    #expect(lines.titles == "a\\u001b[2J\\u009b")
  }

  @Test(
    "the screen has as many lines and columns as the terminal, whatever the values are",
    arguments: [(80, 24), (20, 6), (1, 1), (300, 3)])
  func size(width: Int, height: Int) throws {
    let store = try makeStore(posts: 60)
    var view = AttachView()
    view.state = try Self.state(store)
    view.press(.down)
    view.press(.enter)
    let title = JSONValue.string("早 \u{1B}[2J\n\(String(repeating: "x", count: 400))")
    let rows = (1...60).map { StreamRows.Row(key: "\($0)", value: ["title": title]) }
    view.take(rows, of: .init(entity: "Post"))
    for _ in 0..<30 { view.press(.down) }
    let lines = view.lines(width: width, height: height)
    #expect(lines.count <= height)
    for line in lines {
      let bare = line.replacing(/\u{1B}\[\d+m/, with: "")
      #expect(!bare.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
      #expect(bare.displayWidth <= width)
    }
  }

  @Test("the row that is selected is always on the screen")
  func scrolling() throws {
    var view = AttachView()
    view.state = try Self.state(try makeStore(posts: 1))
    view.press(.down)
    view.press(.enter)
    view.take((1...60).map { .init(key: "row\($0)", value: ["title": ""]) }, of: .init(entity: "Post"))
    func selected() -> String? {
      view.lines(width: 60, height: 12).dropFirst(3).first { $0.contains("\u{1B}[7m") }
    }
    _ = view.lines(width: 60, height: 12)
    for (key, row) in [
      (Key.last, "row60"), (.up, "row59"), (.pageUp, "row52"), (.home, "row1"), (.pageDown, "row8"),
    ] {
      view.press(key)
      #expect(selected()?.contains(row + " ") == true, "\(key)")
    }
  }

  @Test("columns for which there is no room are reached by the arrows, and the first one stays")
  func columns() {
    let columns = (0..<8).map { TextTable.Column("column \($0)") }
    let table = TextTable(columns, [(0..<8).map { "value \($0)" }])
    #expect(table.lines(in: nil).rows[0].hasSuffix("value 7"))
    #expect(!table.lines(in: 40).rows[0].contains("value 7"))
    let moved = table.lines(in: 40, skipping: 5)
    #expect(moved.titles.hasPrefix("column 0  column 6  column 7"))
    #expect(moved.rows[0].hasPrefix("value 0   value 6   value 7"))
  }

  @Test("tables are as text what they are on the screen, with nothing that a terminal obeys")
  func text() throws {
    let store = try makeStore()
    try store.write(origin: "\u{1B}]0;x\u{7}") { tx in try tx.insert(Post(id: 1, title: "A")) }
    let text = StateTables(try Self.state(store)).text
    #expect(text.contains("feed (7)  version 1  rows 1"))
    #expect(text.contains("Post"))
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 })
  }
}

@Suite("What livestore attach reads")
struct AttachInputTests {
  @Test("the bytes that a terminal sends are read as keys")
  func keys() {
    func keys(_ text: String) -> [Key] {
      var parser = KeyParser()
      return parser.keys(in: text.utf8) + parser.finish()
    }
    #expect(
      keys("a\u{1B}[Bé\r\u{7F}") == [.character("a"), .down, .character("é"), .enter, .backspace])
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("\u{1B}a") == [.escape, .character("a")])
    #expect(keys("\u{3}") == [.end])
    #expect(keys("\u{1B}[5~\u{1B}[Z\u{1B}OH") == [.pageUp, .backTab, .home])
    #expect(keys("\u{1B}[99;99X") == [])
    #expect(keys("\u{1B}[9") == [])
    var broken = KeyParser()
    #expect(broken.keys(in: [0xFF, 0xC3, 0x61, 0xE2, 0x82, 0x62]) == [.character("a"), .character("b")])
  }

  @Test("keys are the same wherever a terminal's bytes are cut")
  func cutKeys() {
    let bytes = Array("é早😀\u{1B}[Ba\u{1B}[5~".utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var parser = KeyParser()
        let keys = [bytes[..<first], bytes[first..<second], bytes[second...]].flatMap { parser.keys(in: $0) }
        #expect(
          keys == [
            .character("é"), .character("早"), .character("😀"), .down, .character("a"), .pageUp,
          ])
        #expect(!parser.isWaiting)
      }
    }
  }

  @Test("a server is named by a path or a URL, with the inspector where it is by default")
  func addresses() throws {
    #expect(
      try InspectorAddress("/run/app/store.sock").url == "http+unix://%2Frun%2Fapp%2Fstore%2Esock/inspector")
    #expect(try InspectorAddress("http://localhost:4321").url == "http://localhost:4321/inspector")
    #expect(
      try InspectorAddress("http://localhost:4321/admin/inspector/").url
        == "http://localhost:4321/admin/inspector")
    #expect(throws: ToolFailure.self) { _ = try InspectorAddress("http://") }
  }
}
