import Dispatch
import Foundation
import LiveStore
import SocialFeedCore

/// `social-feed`: plays a short story of a social network and shows what a live feed tells of it.
@main
struct SocialFeedTool {
  static func main() async {
    switch Array(CommandLine.arguments.dropFirst()) {
    case []: exit(await play(pace: .milliseconds(200)))
    case ["--fast"]: exit(await play(pace: .zero))
    case ["--screen"]: exit(await show())
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

  /// Shows posts and does what the user types, to the end of the input.
  @MainActor
  private static func show() async -> Int32 {
    do {
      let feed = try SocialFeed()
      let cast = try await Cast(feed)
      let screen = PostScreen(PostListModel(feed, author: cast.ann.id, pageSize: 3), others: feed, cast)
      screen.draw { print($0) }
      while let line = await nextLine(), screen.perform(line) {
        // Who works beside the user has their say before the next frame.
        try await feed.store.settled()
        screen.draw { print($0) }
      }
      return EXIT_SUCCESS
    } catch {
      report("\(error)")
      return EX_SOFTWARE
    }
  }

  /// The next line of the standard input, read beside the main actor; nil at its end.
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

    Plays a story of a few users who post, like, follow and comment. Lines that begin with > are what happens,
    the lines below them what the observers of live queries are told:
      +  an object that has come in       ~  one that has other values
      -  one that has gone                ^  one that stands elsewhere

    --fast    does not wait between the steps
    --screen  shows a list of posts instead, and does what is typed line by line; help tells what
    --help    shows this text
    """
}
