import Dispatch
import Foundation
import LiveStore
import SocialFeedCore

/// `social-feed`: plays a short scenario of a social network and shows the events of live queries.
@main
struct SocialFeedTool {
  static func main() async {
    switch Array(CommandLine.arguments.dropFirst()) {
    case []: exit(await play(pace: .milliseconds(200)))
    case ["--fast"]: exit(await play(pace: .zero))
    case ["--screen"]: exit(await show())
    case ["--help"], ["-h"]: print(help)
    case let arguments:
      report("unknown arguments: \(arguments.joined(separator: " ")); --help lists them")
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

  /// Shows posts and performs the user's commands, to the end of the input.
  @MainActor
  private static func show() async -> Int32 {
    do {
      let feed = try SocialFeed()
      let fixture = try await Fixture(feed)
      let screen = PostScreen(PostListModel(feed, author: fixture.ann.id, pageSize: 3), others: feed, fixture)
      screen.draw { print($0) }
      while let line = await nextLine(), screen.perform(line) {
        // Writes by another user are shown in the next frame.
        try await feed.store.settled()
        screen.draw { print($0) }
      }
      return EXIT_SUCCESS
    } catch {
      report("\(error)")
      return EX_SOFTWARE
    }
  }

  /// The next line of the standard input, read outside the main actor; nil at its end.
  private static func nextLine() async -> String? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: readLine()) }
    }
  }

  private static func report(_ message: String) {
    FileHandle.standardError.write(Data("social-feed: \(message)\n".utf8))
  }

  private static let help = """
    usage: social-feed [--fast | --screen]

    Plays a scenario of a few users who post, like, follow and comment. Lines that begin with > are its steps, the
    lines below them the events of live queries:
      +  an inserted object       ~  a modified one
      -  a deleted one            ^  a moved one

    --fast    does not wait between the steps
    --screen  shows a list of posts instead, and performs the commands typed; help lists them
    --help    shows this text
    """
}
