import Foundation
import Testing

/// Files and pipes that are read on as they grow.
@Suite(.timeLimit(.minutes(20))) struct FollowTests {
  private let files = TemporaryFiles()

  /// Writes at the end of a file, or at a place.
  private func write(_ bytes: [UInt8], to path: String, at place: UInt64? = nil) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    if let place { try file.seek(toOffset: place) } else { try file.seekToEnd() }
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  private func append(_ text: String, to path: String) throws {
    try write(Array(text.utf8), to: path)
  }

  /// Ends a tool that has met no bad line.
  private func stop(_ tool: Conversation, lines: Int) throws {
    tool.interrupt()
    let end = try tool.end()
    #expect(end.status == 130)
    #expect(end.errors.hasPrefix("livestore-watch: interrupted: \(lines) line"), "\(end.errors)")
    #expect(!end.errors.contains("bad"), "\(end.errors)")
  }

  @Test func `every file is followed, and not the last one alone`() throws {
    let paths = try (0..<3).map { try files.file("{\"id\":\($0)}\n") }
    let tool = try Conversation(paths + ["--follow", "--output", "count"])
    while try tool.line() != "3" {}
    for number in 3..<9 {
      try append("{\"id\":\(number)}\n", to: paths[number % 3])
      #expect(try tool.line() == "\(number + 1)")
    }
    try stop(tool, lines: 9)
  }

  @Test func `lines of files that grow at the same time stay whole`() throws {
    let paths = try (0..<3).map { _ in try files.file("") }
    let tool = try Conversation(paths + ["--follow", "--no-key", "--output", "count"])
    try append("{\"a\":", to: paths[0])
    try append("{\"b\":", to: paths[1])
    // When the second line of the third file has been shown, the others have been looked at.
    for number in 1...2 {
      try append("{}\n", to: paths[2])
      #expect(try tool.line() == "\(number)")
    }
    try append("1}\n", to: paths[0])
    #expect(try tool.line() == "3")
    try append("2}\n", to: paths[1])
    #expect(try tool.line() == "4")
    try stop(tool, lines: 4)
  }

  @Test func `each file that is followed has titles of its own, and so has one that replaces it`() throws {
    let (first, second) = (try files.file("id,a\n"), try files.file("b,id\n"))
    let tool = try Conversation([first, second, "--follow", "--input", "csv", "--output", "json"])
    func object() throws -> String? {
      try tool.line()?.components(separatedBy: "\"new\":").last
    }
    for (path, line, expected) in [
      (first, "1,x\n", #"{"id":1,"a":"x"}}"#), (second, "y,2\n", #"{"b":"y","id":2}}"#),
      (first, "3,z\n", #"{"id":3,"a":"z"}}"#),
    ] {
      try append(line, to: path)
      #expect(try object() == expected)
    }
    try FileManager.default.moveItem(atPath: second, toPath: second + ".1")
    try Data("c,id\nw,4\n".utf8).write(to: URL(fileURLWithPath: second))
    #expect(try object() == #"{"c":"w","id":4}}"#)
    try stop(tool, lines: 4)
  }

  @Test func `pipes are read beside files that are followed, and end by themselves`() throws {
    let path = try files.file("{\"id\":1}\n")
    let pipe = path + "-pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let tool = try Conversation([pipe, path, "-", "--follow", "--output", "count"])
    #expect(try tool.line() == "1")
    try tool.say("{\"id\":2}\n")
    #expect(try tool.line() == "2")
    let descriptor = open(pipe, O_WRONLY | O_CLOEXEC)
    let line = Array("{\"id\":3}\n".utf8)
    #expect(Foundation.write(descriptor, line, line.count) == line.count)
    #expect(try tool.line() == "3")
    // The last line of a pipe needs no newline.
    try tool.say("{\"id\":4}")
    try tool.finish()
    close(descriptor)
    #expect(try tool.line() == "4")
    try append("{\"id\":5}\n", to: path)
    #expect(try tool.line() == "5")
    try stop(tool, lines: 5)
  }

  @Test func `the tool ends when all that is followed were pipes, and they have ended`() throws {
    let pipe = try files.file("") + "-pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    // Less than a batch is shown at the end of its pipe.
    let tool = try Conversation([pipe, "-", "--follow", "--batch", "10", "--output", "count"])
    try tool.say("{\"id\":1}\n")
    try tool.finish()
    #expect(try tool.line() == "1")
    close(open(pipe, O_WRONLY | O_CLOEXEC))
    #expect(try tool.end() == (0, ""))
  }

  @Test func `a file that is not there yet is waited for, which is said once`() throws {
    let path = try files.file("{\"id\":1}\n")
    let (soon, late) = (path + ".soon", path + ".d/late")
    let tool = try Conversation([soon, late, path, "--follow", "--output", "count"])
    for number in 1...3 {
      #expect(try tool.line() == "\(number)")
      try append("{\"id\":\(number + 1)}\n", to: path)
    }
    #expect(try tool.line() == "4")
    try Data("{\"id\":5}\n".utf8).write(to: URL(fileURLWithPath: soon))
    #expect(try tool.line() == "5")
    try FileManager.default.createDirectory(atPath: path + ".d", withIntermediateDirectories: false)
    try Data("{\"id\":6}\n".utf8).write(to: URL(fileURLWithPath: late))
    #expect(try tool.line() == "6")
    tool.interrupt()
    let errors = try tool.end().errors.split(separator: "\n")
    #expect(
      errors.dropLast()
        == [soon, late].map { "livestore-watch: waiting for \($0), which is not there yet" }[...])
  }

  @Test func `a file that is replaced by one of the same length is read to its end, and then the other`()
    throws
  {
    let path = try files.file("{\"id\":1}\n")
    let tool = try Conversation([path, "--follow", "--output", "json"])
    #expect(try tool.line()?.contains("\"id\":1") == true)
    for number in stride(from: 2, through: 10, by: 2) {
      try tool.whileSuspended {
        try append("{\"id\":\(number)}", to: path)
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).\(number)")
        try Data("{\"id\":\(number + 1)}\n".utf8).write(to: URL(fileURLWithPath: path))
      }
      #expect(try tool.line()?.contains("\"id\":\(number),") == true)
      #expect(try tool.line()?.contains("\"id\":\(number + 1),") == true)
    }
    try stop(tool, lines: 11)
  }

  @Test(arguments: [
    "{\"id\":5}\n{\"id\":6}\n", "{\"id\":500}\n{\"id\":600}\n", "{\"id\":5}\n{\"id\":6}\n{\"id\":7}\n",
  ])
  func `a file that was overwritten by as many or more bytes is read from its beginning`(text: String) throws
  {
    for isTruncated in [false, true] {
      let path = try files.file("{\"id\":1}\n{\"id\":2}\n")
      let tool = try Conversation([path, "--follow", "--output", "count"])
      #expect(try tool.line() == "2")
      try tool.whileSuspended {
        if isTruncated { try #require(truncate(path, 0) == 0) }
        try write(Array(text.utf8), to: path, at: 0)
      }
      let count = text.split(separator: "\n").count
      #expect(try tool.line() == "\(2 + count)")
      try append("{\"id\":9}\n", to: path)
      #expect(try tool.line() == "\(3 + count)")
      try stop(tool, lines: 3 + count)
    }
  }

  /// As `logrotate` does with `copytruncate` and a writer that does not append.
  @Test func `NULs before the text of a file that was truncated under its writer are skipped`() throws {
    let path = try files.file("{\"id\":1}\n{\"id\":2}\n")
    let tool = try Conversation([path, "--follow", "--output", "count"])
    #expect(try tool.line() == "2")
    var place: UInt64 = 18
    for number in 3..<9 {
      let line = Array("{\"id\":\(number)}\n".utf8)
      let change = {
        try #require(truncate(path, 0) == 0)
        try write(line, to: path, at: place)
      }
      if number % 2 == 0 { try change() } else { try tool.whileSuspended(change) }
      #expect(try tool.line() == "\(number)")
      place += UInt64(line.count)
    }
    try stop(tool, lines: 8)
  }

  /// Files with a hole, at the beginning or after a line, and with NULs that are stored.
  @Test(arguments: [(hole: 1 << 40, stored: 0), (1 << 30, 1 << 20), (0, 96 << 20)])
  func `any number of NULs takes no memory, and a hole no time`(hole: Int, stored: Int) throws {
    let path = try files.file("{\"id\":1}\n")
    let tool = try Conversation([path, "--follow", "--output", "count"])
    #expect(try tool.line() == "1")
    for (number, isTruncated) in [(2, false), (3, true)] {
      if isTruncated { try #require(truncate(path, 0) == 0) }
      let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      try #require(truncate(path, off_t(size + hole)) == 0)
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      for _ in 0..<stored >> 20 { try write(zeros, to: path) }
      try append("{\"id\":\(number)}\n", to: path)
      #expect(try tool.line() == "\(number)")
    }
    #if os(Linux)
      if !Tool.isSanitized {
        let peak = try #require(tool.peakMemory())
        #expect(peak < 60, "\(peak) MB")
      }
    #endif
    try stop(tool, lines: 3)
  }

  /// A look at fixed intervals would take most of the interval, as each line is written when the tool waits.
  @Test(arguments: [false, true])
  func `a line that is appended, or stands in a file that takes the name, is shown at once`(isReplacing: Bool)
    throws
  {
    let path = try files.file("{\"id\":0}\n")
    let tool = try Conversation([path, "--follow", "--output", "count"])
    #expect(try tool.line() == "1")
    var times: [Duration] = []
    for number in 1...31 {
      let line = "{\"id\":\(number)}\n"
      // Otherwise it finds the line without an event.
      tool.waitUntilIdle()
      let start = ContinuousClock.now
      if isReplacing {
        try Data(line.utf8).write(to: URL(fileURLWithPath: path + ".new"))
        try #require(rename(path + ".new", path) == 0)
      } else {
        try append(line, to: path)
      }
      #expect(try tool.line() == "\(number + 1)")
      times.append(.now - start)
    }
    #expect(times.sorted()[15] < .milliseconds(50), "\(times)")
    try stop(tool, lines: 32)
  }
}
