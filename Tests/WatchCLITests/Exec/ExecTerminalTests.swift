import Foundation
import Testing
import livestore_watch

/// `--exec` beside a live table on a pseudo-terminal.
@Suite(.timeLimit(.minutes(20))) struct ExecTerminalTests {
  private let files = TemporaryFiles()

  @Test func `a command prints nothing over a table, and q ends both`() throws {
    let terminal = try PseudoTerminal()
    let modes = terminal.modes
    let path = try files.file("{\"id\":1}\n")
    let gate = try NamedPipe(path + ".gate")
    let command = "echo OVER; echo OVER >&2; (echo ready; cat) > \(gate.path); sleep 300"
    try terminal.startTool([path, "--output", "table", "--exec", command])
    let line = #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1}}"#
    #expect(try gate.text() == "ready\n\(line)\n")
    try terminal.wait(for: "the end of the input") { $0.text.contains("end of input") }
    #expect(!terminal.screen.text.contains("OVER"))
    terminal.type("q")
    #expect(try terminal.end() == 0)
    terminal.expectRestored(modes)
    #expect(!terminal.screen.text.contains("OVER"))
  }
}
