import Foundation
import TestSupport
import Testing
import livestore_watch

/// What the tool, as a process, makes of input that is bad or large.
@Suite struct BadInputTests {
  private let files = TemporaryFiles()

  /// The inputs that the fuzzing tests keep.
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Verification/Tests/FuzzTests/Corpus/Lines").path

  static let names = (try? FileManager.default.contentsOfDirectory(atPath: corpus).sorted()) ?? []

  @Test func `there are inputs to read`() {
    #expect(Self.names.count >= 15, "\(Self.names.count) files in \(Self.corpus)")
  }

  @Test(arguments: names)
  func `a bad line is one line of standard error, and the rest is read`(name: String) throws {
    let run = try Tool.run(["\(Self.corpus)/\(name)", "--once", "--output", "count"])
    let isAccepted = name.hasPrefix("accept-")
    #expect(run.status == (isAccepted || run.output != "0\n" ? 0 : 65))
    #expect(run.errors.isEmpty == isAccepted, "\(run.errors)")
    let errors = run.errors.split(separator: "\n")
    let badLines = errors.prefix { !$0.hasPrefix("livestore-watch: ") }
    for error in badLines { #expect(error.contains("\(name):")) }
    if !isAccepted {
      #expect(errors[badLines.count].hasPrefix("livestore-watch: \(badLines.count) bad line"))
    }
  }

  @Test(arguments: [
    ["no\nsuch\nfile"], ["--limit", "1\n2"], ["--sort", "a:\u{1B}[31m"], ["--output", "\u{2028}"],
    ["--x\r\ny"],
    ["--where", "a == '\\\n'"], ["--where", "a \u{7} 1"], ["--where", "a\u{85}\u{2028}=="],
  ])
  func `an error is shown without control characters, whatever arguments hold`(arguments: [String]) throws {
    let run = try Tool.run(arguments)
    #expect(
      run.status == (arguments.count == 1 && !arguments[0].hasPrefix("--") ? 66 : 64) && run.output == "")
    #expect(run.errors.hasPrefix("livestore-watch: ") && run.errors.hasSuffix("\n"))
    // With a filter, the line of it and the caret below.
    let lines = run.errors.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == (arguments[0] == "--where" ? 4 : 2), "\(run.errors.debugDescription)")
    let isPlain = lines.joined().unicodeScalars.allSatisfy {
      !(0..<0x20).contains($0.value) && !(0x7F...0x9F).contains($0.value) && $0 != "\u{2028}"
        && $0 != "\u{2029}"
    }
    #expect(isPlain, "\(run.errors.debugDescription)")
  }

  @Test func `names of files in messages about lines are shown on one line, too`() throws {
    let folder = NSTemporaryDirectory() + "/livestore-watch-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data("bad\n".utf8).write(to: URL(fileURLWithPath: folder + "/a\nb"))
    let run = try Tool.run(["a\nb"], in: folder)
    #expect(run.errors.split(separator: "\n").count == 2 && run.errors.contains("a\\u000ab:1: column 1"))
  }

  static let megabytes = Environment.isLong ? 100 : 4

  @Test func `a long line takes memory by its length`() throws {
    let text = String(repeating: "0123456789abcdef", count: Self.megabytes << 16)
    let lines = ["{\"id\":1,\"x\":\"\(text)\"}", "{\"id\":2,\"x\":\"\(text)", text, "{\"id\":3}"]
    let file = try files.file(lines.joined(separator: "\n"))
    // Chunks gathered to a line, what growing them copies, the line's text and its value; and the runtime's own.
    let run = try Tool.run(
      [file, "--once", "--output", "count"],
      upTo: Tool.isSanitized ? nil : 64 + 16 * Self.megabytes)
    #expect(run.status == 0 && run.output == "2\n")
    #expect(run.errors.split(separator: "\n").count == 3 && run.errors.utf8.count < 1_000)
  }
}
