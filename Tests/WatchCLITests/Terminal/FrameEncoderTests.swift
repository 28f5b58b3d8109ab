import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct FrameEncoderTests {
  @Test(arguments: Seeds.forSuite(2, thorough: 6))
  func `what differs between two frames is enough to draw the second`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let texts = ["", "a", "日本", "👩‍👩‍👧", "e\u{301}x", "longer text"]
    for isColored in [true, false] {
      var terminal = EmulatedTerminal(rows: 6, columns: 24)
      terminal.receive(Array("\u{1B}[?7l".utf8))
      var encoder = FrameEncoder(isColored: isColored)
      var screen = TableScreen(size: .init(rows: 6, columns: 24), columns: nil, key: [["id"]])
      var shown: TableRows?
      for round in 0..<Environment.size(100, thorough: 200) {
        let documents = (0..<Int.random(in: 0...5, using: &random)).map { id in
          let body: JSONValue = [
            "id": JSONValue(id), "x": .string(texts.randomElement(using: &random) ?? ""),
          ]
          return Document(id: JSONValue(id), body: body)
        }
        let rows = TableRows(version: UInt64(round), count: documents.count) {
          documents[$0]
        } find: { document in
          documents.firstIndex { $0.id == document.id }
        }
        let lines = screen.lines(.init(rows: rows, previous: shown, summary: "\(documents.count) objects"))
        shown = rows
        // In pieces, as a slow terminal takes them.
        for byte in encoder.bytes(for: lines, columns: 24) { terminal.receive([byte]) }
        let expected = lines.map { line in String(line.text.reversed().drop { $0 == " " }.reversed()) }
        #expect(terminal.lines == expected, "seed \(seed), round \(round)")
        if terminal.lines != expected { return }
        let again = encoder.bytes(for: lines, columns: 24)
        #expect(again.isEmpty, "nothing is drawn twice")
      }
    }
  }

  @Test func `a line that reaches the last column keeps its last character`() {
    var terminal = EmulatedTerminal(rows: 1, columns: 5)
    terminal.receive(Array("\u{1B}[?7l".utf8))
    var encoder = FrameEncoder(isColored: true)
    var line = StyledLine()
    line.append("12345", width: 5, .bold)
    terminal.receive(encoder.bytes(for: [line], columns: 5))
    #expect(terminal.lines == ["12345"])
  }

  @Test(
    arguments: [
      ("\u{1B}[A", [TerminalKey.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
      ("\u{1B}[H\u{1B}[4~", [.home, .end]), ("\u{1B}[1;5C", [.right]),
      ("jkhlgGq", [.down, .up, .left, .right, .home, .end, .quit]),
      ("\u{1B}q", [.escape, .quit]), ("\u{1B}\u{1B}[D", [.escape, .left]), ("\u{1B}[200~", [.other]),
      ("/nNs\r\u{7F}\u{15}", [.find, .findNext, .findPrevious, .sort, .enter, .backspace, .deleteLine]),
      (" b\u{0C}", [.pageDown, .pageUp, .redraw]),
      ("é", [.character("é")]), ("\u{1F600}", [.character("\u{1F600}")]),
      ("\u{1B}[\(String(repeating: "1", count: 60))A", nil),
    ] as [(String, [TerminalKey]?)])
  func `keys are read wherever their bytes are cut`(text: String, keys: [TerminalKey]?) {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var reader = KeyReader()
      let read = reader.keys(in: bytes[..<cut]) + reader.keys(in: bytes[cut...])
      if let keys { #expect(read.map { keys.contains($0) ? $0 : $0.command } == keys) }
      let last = reader.keys(in: "q".utf8).last?.command
      #expect(last == .quit, "after anything, a key is read")
    }
  }
}
