import Foundation
import TestSupport
import Testing

/// The built tool, run as a process.
@Suite(.timeLimit(.minutes(10))) struct `The tool social-feed` {
  @Test func `the tool plays its scenario to the end`() throws {
    let run = try run(["--fast"])
    #expect(run.status == 0 && run.errors == "")
    #expect(run.output.contains("\n  + Tea for Two, at 1\n"))
    #expect(run.output.hasSuffix("\nIn the end, users: 2, posts: 4, comments: 1\n"))
  }

  @Test func `the tool has help and refuses other arguments`() throws {
    let help = try run(["--help"])
    #expect(help.status == 0 && help.errors == "" && help.output.hasPrefix("usage: social-feed"))
    let unknown = try run(["--slow"])
    #expect(unknown.status == 64 && unknown.output == "")
    #expect(unknown.errors == "social-feed: unknown arguments: --slow; --help lists them\n")
  }

  @Test func `the tool shows a screen and does what is typed`() throws {
    let lines = """
      new Ice
      like 1
      publish 1
      like 1
      search ice
      edit 1 Snow
      others
      search
      delete 9
      dance
      """
    let run = try run(["--screen"], input: lines)
    #expect(run.status == 0 && run.errors == "")
    let frames = run.output.components(separatedBy: "\n\n")
    #expect(frames.count == 11)
    #expect(frames[0].contains("Posts: 4, published: 1") && frames[0].hasSuffix("draft: 3\n  published: 1"))
    #expect(frames[1].contains("Posts: 5, published: 1\n  1  Ice, by Ann (draft)"))
    #expect(frames[2].hasSuffix("! The post ice is not published."))
    #expect(frames[4].contains("  1  Ice, by Ann (1 like)"))
    #expect(frames[5].contains("searched for \"ice\"\n  1  Ice, by Ann (1 like)\n  published: 1"))
    #expect(frames[7].contains("Posts: 5, published: 3"))
    #expect(frames[8].contains("  1  Snow, by Ann (11 likes)"))
    #expect(frames[9].hasSuffix("! Say which post, by the number before it."))
    #expect(frames[10].contains("search WORDS"))
  }

  private func run(
    _ arguments: [String], input: String = ""
  ) throws -> (status: Int32, output: String, errors: String) {
    // A tool that has ended is an error of the write to it.
    signal(SIGPIPE, SIG_IGN)
    let (process, keys, output, errors) = (Process(), PrivatePipe(), PrivatePipe(), PrivatePipe())
    process.executableURL = try executable()
    process.arguments = arguments
    process.standardInput = keys.reading
    process.standardOutput = output.writing
    process.standardError = errors.writing
    try process.run()
    for end in [keys.reading, output.writing, errors.writing] { try end.close() }
    try keys.writing.write(contentsOf: Data(input.utf8))
    try keys.writing.close()
    // What it writes fits into the pipes.
    process.waitUntilExit()
    return (process.terminationStatus, try text(output), try text(errors))
  }

  private func text(_ pipe: PrivatePipe) throws -> String {
    String(decoding: try pipe.reading.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// Where the tool is: beside the bundle of the tests.
  private func executable() throws -> URL {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let bundle = paths.lazy.flatMap(ancestors).first { $0.pathExtension == "xctest" }
    return try #require(bundle).deletingLastPathComponent().appendingPathComponent("social-feed")
  }

  private func ancestors(of url: URL) -> [URL] {
    sequence(first: url) { $0.pathComponents.count > 1 ? $0.deletingLastPathComponent() : nil }.map(\.self)
  }
}
