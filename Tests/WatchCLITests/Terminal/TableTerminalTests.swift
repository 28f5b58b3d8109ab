import Foundation
import TestSupport
import Testing
import livestore_watch

/// The live table as a process draws it on a real pseudo-terminal.
@Suite(.serialized, .timeLimit(.minutes(20))) struct TableTerminalTests {
  private let files = TemporaryFiles()

  private func numbers(_ range: ClosedRange<Int>) -> String {
    range.map { "{\"id\":\($0),\"name\":\"name \($0)\"}\n" }.joined()
  }

  @Test
  func `a table is drawn on another screen, stays at the end of the input, and q gives the terminal back`()
    throws
  {
    let terminal = try PseudoTerminal()
    let modes = terminal.modes
    try terminal.startTool([try files.file(numbers(1...3)), "--output", "table"])
    try terminal.wait(for: "the end of the input") { $0.text.contains("end of input") }
    #expect(terminal.screen.isAlternate && !terminal.screen.isCursorVisible)
    #expect(terminal.modes != modes)
    #expect(
      terminal.screen.lines.prefix(5) == [
        "3 objects, version 1, end of input", "  id  name", "   1  name 1", "   2  name 2", "   3  name 3",
      ])
    terminal.type("q")
    #expect(try terminal.end() == 0)
    terminal.expectRestored(modes)
  }

  @Test func `keys scroll while the data comes through standard input`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 40)
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "table"], input: $0) }
    try pipe.say(numbers(1...20))
    try terminal.wait(for: "row 1") { $0.lines[2] == "   1  name 1" }
    terminal.type("\u{1B}[B\u{1B}[B\u{1B}[B")
    try terminal.wait(for: "row 2 first") { $0.lines[2] == "   2  name 2" }
    terminal.type("G")
    try terminal.wait(for: "row 20 last") { $0.lines[4] == "  20  name 20" }
    try pipe.say(numbers(21...21))
    try terminal.wait(for: "the new last row") { $0.lines[4] == "+ 21  name 21" }
    terminal.type("g")
    try terminal.wait(for: "row 1 again") { $0.lines[2] == "   1  name 1" }
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }

  @Test func `a changed value is marked until the next version`() throws {
    let terminal = try PseudoTerminal()
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "table"], input: $0) }
    try pipe.say(numbers(1...2))
    try terminal.wait(for: "both rows") { $0.lines[3] == "   2  name 2" }
    try pipe.say("{\"id\":2,\"name\":\"other\"}\n")
    try terminal.wait(for: "the change") { $0.lines[3] == "~  2  other" }
    #expect(terminal.screen.text(in: "1;33") == ["~other "])
    try pipe.say(numbers(3...3))
    try terminal.wait(for: "the next version") { $0.lines[4] == "+  3  name 3" }
    #expect(terminal.screen.lines[3] == "   2  other")
    #expect(terminal.screen.text(in: "1;33") == [])
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }

  @Test func `the table follows the size of the terminal, down to one character`() throws {
    let terminal = try PseudoTerminal(rows: 8, columns: 50)
    let modes = terminal.modes
    let wide = #"{"id":1,"name":"日本語のテキスト","face":"👩‍👩‍👧 ok"}"# + "\n"
    try terminal.startTool([try files.file(wide + numbers(2...30)), "--output", "table"])
    try terminal.wait(for: "the wide row") { $0.lines[2] == "   1  日本語のテキスト  👩‍👩‍👧 ok" }
    terminal.resize(rows: 8, columns: 20)
    try terminal.wait(for: "a cut row") { $0.lines[2] == "   1  日本語…  👩‍👩‍👧 ok" }
    terminal.resize(rows: 3, columns: 5)
    try terminal.wait(for: "a narrow table") { $0.lines == ["id", " 1", " 2"] }
    terminal.resize(rows: 1, columns: 1)
    try terminal.wait(for: "a single character") { $0.lines == ["1"] }
    terminal.type("j")
    try terminal.wait(for: "the next one") { $0.lines == ["2"] }
    terminal.resize(rows: 12, columns: 60)
    try terminal.wait(for: "a large table") {
      $0.lines[10].contains("name") && $0.lines[11].contains("rows 2-10")
    }
    terminal.type("q")
    #expect(try terminal.end() == 0)
    terminal.expectRestored(modes)
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal at any moment leaves the terminal as it was`(signal: Int32, status: Int32) throws {
    let path = try files.file(numbers(1...500))
    for moment in Environment.sizes([9, 200], thorough: [1, 40, 500]) {
      let terminal = try PseudoTerminal()
      let modes = terminal.modes
      try terminal.startTool([path, "--output", "table", "--batch", "1"])
      try terminal.read(bytes: moment)
      terminal.send(signal)
      #expect(try terminal.end() == status, "after \(moment) bytes")
      terminal.expectRestored(modes)
      #expect(terminal.screen.text.contains("livestore-watch: "), "the summary is on the normal screen")
    }
  }

  @Test(arguments: [SIGSEGV, SIGABRT, SIGQUIT, SIGILL])
  func `a crash leaves the terminal as it was`(signal: Int32) throws {
    let terminal = try PseudoTerminal()
    let modes = terminal.modes
    try terminal.startTool([try files.file(numbers(1...3)), "--output", "table"])
    try terminal.wait(for: "the table") { $0.text.contains("end of input") }
    terminal.send(signal)
    #expect(try terminal.end() == -signal)
    terminal.expectRestored(modes)
  }

  @Test func `Ctrl-Z gives the terminal to the shell, and fg draws the table again`() throws {
    let terminal = try PseudoTerminal(rows: 12, columns: 80)
    let path = try files.file(numbers(1...30))
    try terminal.start("/bin/bash", ["--norc", "--noprofile", "-i"])
    try terminal.wait(for: "the prompt") { $0.lines.contains("$") }
    terminal.type("stty -a | cksum; echo before\r")
    try terminal.wait(for: "the modes") { $0.lines.contains("before") }
    let before = try #require(terminal.screen.lines.last { $0.contains(#/^\d+ \d+$/#) })
    for round in 1...2 {
      if round == 1 { terminal.type("\(try Tool.executable().path) \(path) --output table\r") }
      try terminal.wait(for: "the table") { $0.isAlternate && $0.text.contains("end of input") }
      terminal.type(round == 1 ? "jjjjjjjjjj" : "jj")
      try terminal.wait(for: "scrolled rows") { $0.lines[2].hasSuffix("name \(round * 2 + 1)") }
      terminal.type("\u{1A}")
      try terminal.wait(for: "the shell") {
        !$0.isAlternate && $0.isCursorVisible && $0.text.contains("Stopped")
      }
      terminal.type("clear; stty -a | cksum; echo stopped\(round)\r")
      try terminal.wait(for: "the modes") { $0.lines.contains("stopped\(round)") }
      #expect(terminal.screen.lines.last { $0.contains(#/^\d+ \d+$/#) } == before)
      terminal.type("fg\r")
      try terminal.wait(for: "the table again") {
        $0.isAlternate && $0.lines[2].hasSuffix("name \(round * 2 + 1)")
      }
    }
    terminal.type("q")
    try terminal.wait(for: "the shell at the end") { !$0.isAlternate }
    terminal.type("clear; stty -a | cksum; echo status $?\r")
    try terminal.wait(for: "the status") { $0.text.contains("status 0") }
    #expect(terminal.screen.lines.last { $0.contains(#/^\d+ \d+$/#) } == before)
    terminal.type("exit\r")
    _ = try terminal.end()
  }

  @Test func `a terminal that takes nothing holds up neither the input nor the end`() throws {
    let terminal = try PseudoTerminal(rows: 40, columns: 100)
    let modes = terminal.modes
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "table"], input: $0) }
    // The terminal is not read, and takes a few kilobytes; the pipe takes 64 and must be read.
    for round in 0..<Environment.size(24, thorough: 60) {
      let lines = (0..<500).map { "{\"id\":\($0),\"round\":\(round),\"name\":\"name of \($0)\"}\n" }
      try pipe.say(lines.joined())
    }
    #if os(Linux)
      if !Tool.isSanitized { #expect(try #require(terminal.peakMemory()) < 100) }
    #endif
    terminal.send(SIGTERM)
    #expect(try terminal.end() == 143)
    terminal.expectRestored(modes)
  }

  @Test func `the newest version is what a slow terminal shows in the end`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 40)
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "table"], input: $0) }
    try pipe.say("{\"id\":1,\"round\":0}\n")
    try terminal.wait(for: "the first round") { $0.text.contains("version 1") }
    for round in 1...2_000 {
      try pipe.say("{\"id\":1,\"round\":\(round)}\n")
    }
    try pipe.finish()
    try terminal.wait(for: "the last round") { $0.text.contains("2000") && $0.text.contains("end of input") }
    // Twenty frames a second of at most 200 bytes.
    #expect(terminal.received < 100_000)
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }

  @Test func `bad lines are counted on the screen, and named when the terminal is back`() throws {
    let terminal = try PseudoTerminal(rows: 10, columns: 100)
    let path = try files.file("{\"id\":1}\nbad\n{\"id\":2}\n")
    try terminal.startTool([path, "--output", "table"])
    try terminal.wait(for: "the count") { $0.lines[0] == "2 objects, version 1, 1 bad line, end of input" }
    terminal.type("q")
    #expect(try terminal.end() == 0)
    #expect(terminal.screen.text.contains(":2: column 1: expected a value"))
  }

  @Test func `data cannot steer the terminal from a cell or a title`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 80)
    let line = #"{"id":1,"a\u001b[2J":"x\u001b[31my\u009b2J","b":"1\n2\t3","c":"\u202etxt"}"# + "\n"
    try terminal.startTool([try files.file(line), "--output", "table"])
    try terminal.wait(for: "the row") { $0.lines[2].contains("txt") }
    #expect(terminal.screen.lines[1] == #"  id  a\u001b[2J            b        c"#)
    #expect(terminal.screen.lines[2] == #"   1  x\u001b[31my\u009b2J  1\n2\t3  \u202etxt"#)
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }

  @Test func `rows are found, ordered by a column and shown as whole objects, and the last screen stays`()
    throws
  {
    let terminal = try PseudoTerminal(rows: 8, columns: 60)
    let (modes, pipe) = (terminal.modes, InputPipe())
    try pipe.give { try terminal.startTool(["--output", "table", "--keep-screen"], input: $0) }
    try pipe.say(numbers(1...20))
    try terminal.wait(for: "row 1") { $0.lines[2] == "   1  name 1" }
    terminal.type("/AME 1")
    try terminal.wait(for: "what is typed") { $0.lines[7] == "/AME 1" }
    terminal.type("\u{7F}7\r")
    try terminal.wait(for: "row 7") { $0.text(in: "7").first?.hasPrefix("   7  name 7") == true }
    terminal.type("s")
    try terminal.wait(for: "ascending order") { $0.lines[1] == "  id  name▲" }
    #expect(terminal.screen.text(in: "7").first?.hasPrefix("   7  name 7") == true)
    terminal.type("sg")
    try terminal.wait(for: "descending order") {
      $0.lines[1] == "  id  name▼" && $0.lines[2] == "   9  name 9"
    }
    try pipe.say(numbers(70...70))
    try terminal.wait(for: "a new row in its place") { $0.lines[4] == "+ 70  name 70" }
    terminal.type("\r")
    try terminal.wait(for: "the object") {
      $0.lines[1] == "object 9" && $0.lines[4] == #"  "name": "name 9""#
    }
    try pipe.say(#"{"id":9,"name":"name 99"}"# + "\n")
    try terminal.wait(for: "its newest value") { $0.lines[4] == #"  "name": "name 99""# }
    for key in ["\u{1B}", "\r", "q"] {
      terminal.type(key)
      try terminal.wait(for: "the table or the object") { ($0.lines[1] == "object 9") == (key == "\r") }
    }
    terminal.type("q")
    #expect(try terminal.end() == 0)
    terminal.expectRestored(modes)
    #expect(
      terminal.screen.lines.dropFirst() == [
        "  id  name▼", "~  9  name 99", "   8  name 8", "  70  name 70", "   7  name 7", "   6  name 6", "",
      ])
  }

  @Test func `without other input than the terminal, a table is refused`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 100)
    try terminal.startTool(["--output", "table"])
    #expect(try terminal.end() == 64)
    #expect(terminal.screen.text.contains("--output table reads keys from the terminal"))
  }

  @Test func `with --once a table is text on the terminal, cut to its width`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 20)
    let long = #"{"id":1,"name":"a name that is too long","n":2}"# + "\n"
    try terminal.startTool([try files.file(long), "--output", "table", "--once", "--color", "never"])
    #expect(try terminal.end() == 0)
    #expect(terminal.screen.lines.prefix(2) == ["id  name           n", " 1  a name that …  2"])
  }

  @Test func `the demo is drawn, too`() throws {
    let terminal = try PseudoTerminal(rows: 12, columns: 80)
    try terminal.startTool(["--demo", "--output", "table"])
    try terminal.wait(for: "posts") { $0.text.contains("Ann on ") }
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }
}
