import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct `Made up command lines` {
  private static let pieces = [
    "--key", "--where", "--sort", "--limit", "--batch", "--output", "--color", "--once", "--strict", "--demo",
    "--help", "--version", "-h", "--man", "--completions", "--completions=bash",
    "--", "-", "--limt", "--", "", "=", "--key=", "--key=a.b", "--sort=a:desc,b", "--sort=a:b:c", "--limit=0",
    "--limit=-1",
    "--limit=9223372036854775807", "--limit=9223372036854775808", "--batch=0", "--batch=9223372036854775807",
    "--output=json",
    "--output=xml", "--once=1", "--where=a == 1", "--where=a ==", "a", "file", "a.b", "a..b", ".", "a:desc",
    ",", "1", "1e3", "٣", "+5",
    "json", "never", "a\nb", "\u{1B}[31m", "--\n", "--where=a\r\n== 'x", "--sort=\u{7}", "é", "\u{301}",
    "\u{2028}",
  ]

  @Test func `made up command lines are understood, or refused in one clear line`() async {
    await Fuzzing.run("command lines", inputs: 1_000) { random in
      let arguments = random.some(of: Self.pieces, upTo: 6)
      switch Result(catching: { () throws(Exit) in try Invocation(arguments: arguments) }) {
      case .success(.watch(let options)):
        try require(options.limit ?? 0 >= 0 && options.batch ?? 1 >= 1, "\(options) of \(arguments)")
        try require(!options.objectKey.paths.contains { $0.steps.contains("") }, "\(options) of \(arguments)")
        _ = options.query.description
      case .success: break
      case .failure(let error):
        try require(error.status == .usage, "\(error) of \(arguments)")
        try require(error.message?.isEmpty == false, "no message for \(arguments)")
      }
    }
  }
}
