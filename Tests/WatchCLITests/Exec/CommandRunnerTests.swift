import Foundation
import LiveStore
import Synchronization
import Testing
import livestore_watch

/// Commands in the process of the tests.
@Suite struct CommandRunnerTests {
  private let files = TemporaryFiles()
  private let store: Store

  init() throws {
    store = try Store(Document.self)
    // As in the tool: a command that does not read its input ends no process of the tests.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes objects, and gives the result.
  private func put(_ objects: String...) throws -> Results<Document> {
    try store.write { tx in
      for text in objects {
        let body = try JSONValue(parsing: text)
        try tx.upsert(Document(id: body.value(at: ["id"]) ?? .null, body: body))
      }
    }
    return store.fetch(Document.all)
  }

  /// A pipe with a name. Opening it waits until the command reads from it; closing it lets the command go on.
  private func gate() throws -> String {
    let path = try files.file("") + ".gate"
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Command   1 runs   2 runs to the gate                 2 ends   5 runs
  /// Test                                   offers 3, 4, 5
  @Test func `versions that come while a command runs are one change set for the next`() async throws {
    let (output, gate) = (try files.file(""), try gate())
    let command = """
      (cat; echo "$LIVESTORE_VERSION of $LIVESTORE_COUNT") >> \(output)
      if [ $LIVESTORE_VERSION = 2 ]; then read x < \(gate); fi; true
      """
    let runner = CommandRunner(command) { Issue.record("\($0)") }
    runner.offer(try put(#"{"id":1,"n":0}"#))
    await runner.finish()
    runner.offer(try put(#"{"id":2}"#))
    let reached = FileHandle(forWritingAtPath: gate)
    runner.offer(try put(#"{"id":3}"#, #"{"id":1,"n":7}"#))
    runner.offer(try put(#"{"id":3,"n":1}"#))
    runner.offer(try put(#"{"id":1,"n":8}"#))
    try reached?.close()
    await runner.finish()
    #expect(
      try lines(output) == [
        #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1,"n":0}}"#, "1 of 1",
        #"{"version":2,"change":"insert","id":2,"newIndex":1,"new":{"id":2}}"#, "2 of 2",
        #"{"version":5,"change":"insert","id":3,"newIndex":2,"new":{"id":3,"n":1}}"#,
        #"{"version":5,"change":"modify","id":1,"oldIndex":0,"newIndex":0,"old":{"id":1,"n":0},"#
          + #""new":{"id":1,"n":8}}"#, "5 of 3",
      ])
  }

  @Test func `a command is not run for versions in which nothing changes that it is given`() async throws {
    let output = try files.file("")
    let columns = Projection([Column(path: ["n"], title: "N")])
    let runner = CommandRunner("cat >> \(output)", projection: columns) { Issue.record("\($0)") }
    for objects in [#"{"id":1,"n":0}"#, #"{"id":1,"n":0,"m":1}"#, #"{"id":1,"n":2,"m":2}"#] {
      runner.offer(try put(objects))
      await runner.finish()
    }
    #expect(
      try lines(output) == [
        #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"N":0}}"#,
        #"{"version":3,"change":"modify","id":1,"oldIndex":0,"newIndex":0,"old":{"N":0},"new":{"N":2}}"#,
      ])
    let empty = CommandRunner("exit 1") { Issue.record("\($0)") }
    empty.offer(store.fetch(Document.all.limit(0)))
    await empty.finish()
    #expect(empty.exit(Exit(.success)) == Exit(.success))
  }

  @Test func `failures are reported five times, counted, and change the status of a success`() async throws {
    let reports = Mutex<[String]>([])
    let runner = CommandRunner("exit $LIVESTORE_VERSION") { line in reports.withLock { $0.append(line) } }
    for number in 1...7 {
      runner.offer(try put("{\"id\":\(number)}"))
      await runner.finish()
    }
    let expected = (1...5).map {
      "livestore-watch: --exec: the command ended with status \($0) at version \($0)"
    }
    #expect(
      reports.withLock { $0 } == expected + ["livestore-watch: --exec: further failures are only counted"])
    let line = "livestore-watch: --exec: 7 of 7 commands failed"
    #expect(runner.exit(Exit(.success)) == Exit(.commandFailed, details: [line]))
    #expect(runner.exit(Exit(.badLine, "stopped")) == Exit(.badLine, "stopped", details: [line]))
  }

  @Test func `once stopped, no command follows the one that runs`() async throws {
    let (output, gate) = (try files.file(""), try gate())
    let runner = CommandRunner("read x < \(gate); cat >> \(output)") { Issue.record("\($0)") }
    runner.offer(try put(#"{"id":1}"#))
    let reached = FileHandle(forWritingAtPath: gate)
    runner.offer(try put(#"{"id":2}"#))
    runner.stop()
    try reached?.close()
    await runner.finish()
    runner.offer(try put(#"{"id":3}"#))
    await runner.finish()
    #expect(
      try lines(output) == [#"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1}}"#])
  }
}
