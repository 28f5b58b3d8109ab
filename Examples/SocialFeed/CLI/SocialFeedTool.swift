import Foundation

/// `social-feed`: plays a short story of a social network and shows what a live feed tells of it.
@main
struct SocialFeedTool {
  static func main() async {
    switch Array(CommandLine.arguments.dropFirst()) {
    case []: exit(await play(pace: .milliseconds(200)))
    case ["--fast"]: exit(await play(pace: .zero))
    case ["--help"], ["-h"]: print(help)
    case let arguments:
      report("unknown arguments: \(arguments.joined(separator: " ")); --help tells what there is")
      exit(EX_USAGE)
    }
  }

  private static func play(pace: Duration) async -> Int32 {
    do {
      try await Demo(pace: pace) { print($0) }.run()
      return EXIT_SUCCESS
    } catch {
      report("\(error)")
      return EX_SOFTWARE
    }
  }

  private static func report(_ message: String) {
    FileHandle.standardError.write(Data("social-feed: \(message)\n".utf8))
  }

  private static let help = """
    usage: social-feed [--fast]

    Plays a story of a few users who post, like, follow and comment. Lines that begin with > are what happens,
    the lines below them what the observers of live queries are told:
      +  an object that has come in       ~  one that has other values
      -  one that has gone                ^  one that stands elsewhere

    --fast  does not wait between the steps
    --help  shows this text
    """
}
