import Foundation
import LiveStorePostgreSQL

/// What the command line asks for.
struct Arguments {
  static let usage = """
    usage: live-feed [connection string] [--publication <name>] [--port <number>] [--heartbeat <seconds>]
                     [--streams <number>]

    Serves the posts of a PostgreSQL database live. The connection string is a URI or a list of
    key=value, by default that of the variable DATABASE_URL. All users of the machine can see arguments, so a
    password belongs in that variable or in a file that PGPASSFILE names. The publication is "feed" unless
    named. Port 0 is any that is free. Each client is sent something at every heartbeat, 5 seconds unless
    given. Beyond 1000 streams, unless another limit is given, clients are refused with status 429.
    setup.sql makes the table and the publication.
    """

  var connectionString: String
  var publication = "feed"
  var port: UInt16 = 8080
  var heartbeat = Duration.seconds(5)
  /// How many streams there may be at a time.
  var streams = 1000

  /// Reads the arguments after the program's name.
  ///
  /// - Throws: ``UsageError``.
  init(_ arguments: [String], environment: [String: String]) throws {
    var rest = arguments[...]
    var connectionString = environment["DATABASE_URL"]
    while let argument = rest.popFirst() {
      switch argument {
      case "--publication":
        publication = try Self.value(of: argument, &rest)
      case "--port":
        let text = try Self.value(of: argument, &rest)
        guard let port = UInt16(text) else { throw UsageError("--port needs a number from 0 to 65535.") }
        self.port = port
      case "--heartbeat":
        let text = try Self.value(of: argument, &rest)
        guard let seconds = Double(text), (0.01...3600).contains(seconds) else {
          throw UsageError("--heartbeat needs a number of seconds, from 0.01 to 3600.")
        }
        heartbeat = .seconds(seconds)
      case "--streams":
        let text = try Self.value(of: argument, &rest)
        guard let number = Int(text), number > 0 else {
          throw UsageError("--streams needs a number of at least 1.")
        }
        streams = number
      case _ where argument.hasPrefix("-"):
        throw UsageError("There is no option \(argument).")
      default:
        if PostgresReplica.hasPassword(in: argument) {
          throw UsageError(
            "All users of this machine can see a password among the arguments. Put the connection string in DATABASE_URL, or the password in a file that PGPASSFILE names."
          )
        }
        connectionString = argument
      }
    }
    guard let connectionString else {
      throw UsageError("Which database? Give a connection string, or set DATABASE_URL.")
    }
    self.connectionString = connectionString
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value.") }
    return value
  }
}

/// Why a command line makes no sense.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = "\(description)\n\n\(Arguments.usage)" }
}
