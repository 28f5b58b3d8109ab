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
  @Test("keys are told apart in what a terminal sends")
  func keys() {
    #expect(
      Key.keys(in: Array("a\u{1B}[Bé\r\u{7F}".utf8)) == [
        .character("a"), .down, .character("é"), .enter, .backspace,
      ])
    #expect(Key.keys(in: [0x1B]) == [.escape])
    #expect(Key.keys(in: [0x03]) == [.end])
    #expect(Key.keys(in: Array("\u{1B}[5~\u{1B}[Z\u{1B}OH".utf8)) == [.pageUp, .backTab, .home])
    #expect(Key.keys(in: Array("\u{1B}[99;99X".utf8)) == [])
    #expect(Key.keys(in: Array("\u{1B}[9".utf8)) == [])
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
