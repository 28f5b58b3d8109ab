import Foundation
import Testing
import livestore_watch

/// `--progress` of the tool's process, on a pseudo-terminal and without one.
@Suite(.timeLimit(.minutes(20))) struct ProgressTerminalTests {
  private let files = TemporaryFiles()

  private func numbers(_ range: ClosedRange<Int>) -> String {
    range.map { "{\"id\":\($0)}\n" }.joined()
  }

  @Test func `the bar is full when the result follows it`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 80)
    let path = try files.file(numbers(1...20_000))
    try terminal.startTool([path, path, "--once", "--output", "count", "--progress"])
    #expect(try terminal.end() == 0)
    let lines = terminal.screen.lines.filter { !$0.isEmpty }
    #expect(lines.count == 2 && lines[1] == "20000", "\(lines)")
    #expect(lines[0].hasPrefix("100% [====") && lines[0].contains("]  40.0k lines  498 kB  "), "\(lines)")
  }

  @Test func `lines of the output replace the bar, which is below them at the end`() throws {
    let terminal = try PseudoTerminal(rows: 40, columns: 120)
    let path = try files.file(numbers(1...25_000) + "bad\n")
    try terminal.startTool([path, "--output", "count", "--progress", "--batch", "1000"])
    #expect(try terminal.end() == 0)
    let lines = terminal.screen.lines.filter { !$0.isEmpty }
    let counts = (1...25).map { "\($0 * 1_000)" }
    #expect(lines.filter { Int($0) != nil } == counts)
    // The bad line is named when it is read, which is before the last versions are printed.
    #expect(lines.count == 28 && lines.count { $0.contains("1.ndjson:25001: column 1: ") } == 1, "\(lines)")
    #expect(
      lines[26].hasPrefix("100% [===") && lines[27] == "livestore-watch: 1 bad line skipped", "\(lines)")
  }

  @Test func `of a pipe there is no percentage`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 80)
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--once", "--output", "count", "--progress"], input: $0) }
    try pipe.say(numbers(1...10))
    try pipe.finish()
    #expect(try terminal.end() == 0)
    #expect(terminal.screen.lines[0].hasPrefix("10 lines  91 B  ") && terminal.screen.lines[1] == "10")
  }

  @Test func `a live table has it in its first line, and not at the end of the input`() throws {
    let terminal = try PseudoTerminal(rows: 5, columns: 100)
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "table", "--progress"], input: $0) }
    // Frames are at least a twentieth of a second apart, so that a report is due after some of them.
    var round = 0
    while round < 1_000, !terminal.screen.lines[0].contains(" lines/s, in 0:") {
      round += 1
      try pipe.say("{\"id\":1,\"round\":\(round)}\n")
      try terminal.wait(for: "round \(round)") { $0.lines[2].hasSuffix(" \(round)") }
    }
    #expect(terminal.screen.lines[0].hasPrefix("1 object, version "))
    #expect(terminal.screen.lines[0].contains(" lines/s, in 0:"))
    try pipe.finish()
    try terminal.wait(for: "the end") { $0.lines[0] == "1 object, version \(round), end of input" }
    terminal.type("q")
    #expect(try terminal.end() == 0)
  }

  @Test func `an interrupt leaves the line complete, with the summary below it`() throws {
    let terminal = try PseudoTerminal(rows: 6, columns: 80)
    let pipe = InputPipe()
    try pipe.give { try terminal.startTool(["--output", "count", "--progress"], input: $0) }
    try pipe.say(numbers(1...1))
    try terminal.wait(for: "the count") { $0.lines[0] == "1" }
    terminal.send(SIGINT)
    #expect(try terminal.end() == 130)
    #expect(terminal.screen.lines[1].hasPrefix("1 line  9 B  "))
    #expect(terminal.screen.lines[2] == "livestore-watch: interrupted: 1 line, version 1, 1 in the result")
  }

  @Test func `where standard error is no terminal, a short run says nothing`() throws {
    let run = try Tool.run(["--once", "--output", "count", "--progress"], input: numbers(1...9))
    #expect(run.status == 0 && run.output == "9\n" && run.errors == "")
  }
}
