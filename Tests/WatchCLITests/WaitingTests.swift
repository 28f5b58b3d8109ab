import Foundation
import Testing
import livestore_watch

/// Files that grow, and ends that scripts wait for.
@Suite(.timeLimit(.minutes(20))) struct WaitingTests {
  private let files = TemporaryFiles()

  private func append(_ text: String, to path: String) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test func `a file is read on when it grows, is truncated, and is replaced by another`() throws {
    let path = try files.file("{\"id\":1}\n{\"id\":2}\n")
    let tool = try Conversation([path, "--follow", "--output", "count"])
    #expect(try tool.line() == "2")
    try append("{\"id\":3}\n{\"id\"", to: path)
    #expect(try tool.line() == "3")
    try append(":4}\n", to: path)
    #expect(try tool.line() == "4")
    // Truncated to less than what has been read.
    Data("{\"id\":5}\n".utf8).withUnsafeBytes { bytes in
      let descriptor = open(path, O_WRONLY | O_TRUNC)
      #expect(write(descriptor, bytes.baseAddress, bytes.count) == bytes.count)
      close(descriptor)
    }
    #expect(try tool.line() == "5")
    // The last line of a file that is rotated away needs no newline.
    try append("{\"id\":6}", to: path)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    try Data("{\"id\":7}\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try tool.line() == "6")
    #expect(try tool.line() == "7")
    try append("{\"id\":8}\n", to: path)
    #expect(try tool.line() == "8")
    tool.interrupt()
    #expect(try tool.end().status == 130)
  }

  @Test func `--until ends with the object that meets it, and shows it`() throws {
    let tool = try Conversation(["--until", "state == 'done'", "--output", "json", "--columns", "state"])
    try tool.say(#"{"id":1,"state":"new"}"# + "\n")
    #expect(try tool.line()?.contains(#""new":{"state":"new"}"#) == true)
    try tool.say(#"{"id":1,"state":"done"}"# + "\n" + #"{"id":2,"state":"late"}"# + "\n")
    #expect(try tool.line()?.contains(#""new":{"state":"done"}"#) == true)
    #expect(try tool.line() == nil)
    #expect(try tool.end() == (0, ""))
  }

  @Test func `--until of which nothing comes is status 2, and an object that is removed does not meet it`()
    throws
  {
    let input = #"{"id":1,"n":1}"# + "\n" + #"{"id":2,"n":2}"# + "\n"
    let run = try Tool.run(
      ["--until", "n == 2", "--delete-when", "n == 2", "--output", "count"], input: input)
    #expect(run.status == 2 && run.output == "1\n")
    #expect(run.errors == "livestore-watch: the input ended before --until was met\n")
    let once = try Tool.run(["--until", "n == 1", "--once", "--output", "json"], input: input)
    #expect(once.status == 0 && once.output == #"{"id":1,"n":1}"# + "\n")
  }

  @Test func `--timeout ends the tool with status 124 and a summary`() throws {
    var line: String?
    var end: (status: Int32, errors: String) = (0, "")
    var seconds = 0.2
    // Twice the time if it was over before the tool had read the line.
    repeat {
      let tool = try Conversation(["--timeout", "\(seconds)", "--output", "count"])
      try? tool.say("{\"id\":1}\n")
      line = try tool.line()
      end = try tool.end()
      seconds *= 2
    } while line == nil && end.status == 124 && seconds < 60
    #expect(line == "1" && end.status == 124)
    #expect(end.errors == "livestore-watch: the time is over: 1 line, version 1, 1 in the result\n")
    let path = try files.file("{\"id\":1}\n")
    #expect(try Tool.run([path, "--follow", "--timeout", "0.1"]).status == 124)
  }

  /// Bug: the tool waited in the system for a writer, and neither the time nor a signal ended it.
  @Test func `a pipe that nothing writes to is waited for as other input is`() throws {
    let path = try files.file("") + "-pipe"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    #expect(try Tool.run([path, "--timeout", "0.1"]).status == 124)
    // What is written to it is read, to the end.
    let tool = try Conversation([path, "--output", "count"])
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let line = Array("{\"id\":1}\n".utf8)
    #expect(write(descriptor, line, line.count) == line.count)
    #expect(try tool.line() == "1")
    close(descriptor)
    #expect(try tool.end() == (0, ""))
  }

  @Test func `with a time, a transaction has the lines that have come by then, or as many as asked for`()
    throws
  {
    let tool = try Conversation(["--batch", "4,100ms", "--output", "json"])
    try tool.say("{\"id\":1}\n")
    #expect(try tool.line() == #"{"version":1,"change":"initial","id":1,"newIndex":0,"new":{"id":1}}"#)
    try tool.say((2...6).map { "{\"id\":\($0)}\n" }.joined())
    let versions = try (2...6).map { _ in try tool.line()?.prefix(12).last }
    #expect(versions == ["2", "2", "2", "2", "3"])
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  @Test func `--distinct shows the first object of each value, in the order asked for`() throws {
    let input = (1...6).map { "{\"id\":\($0),\"k\":\($0 % 3),\"n\":\(10 - $0)}\n" }.joined()
    let run = try Tool.run(
      ["--distinct", "k", "--sort", "n", "--once", "--output", "csv", "--columns", "id,k"], input: input)
    #expect(run.lines == ["id,k", "6,0", "5,2", "4,1"])
  }

  @Test func `--explain says how the query is evaluated`() throws {
    let input = (1...6).map { "{\"id\":\($0)}\n" }.joined()
    for more in [[], ["--once"]] {
      let run = try Tool.run(["--where", "id > 2", "--sort", "id:desc", "--explain"] + more, input: input)
      #expect(run.errors.hasPrefix("livestore-watch: plan: scan Document: 6 rows, filter "), "\(run.errors)")
      #expect(run.errors.split(separator: "\n").count == 1)
    }
  }
}
