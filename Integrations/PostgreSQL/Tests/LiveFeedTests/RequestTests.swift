import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct `Requests to the live feed` {
  private typealias Answer = RawConnection.Answer

  /// - Parameter message: as JSON has it, which escapes quotation marks and slashes.
  private func refusal(_ status: Int, _ message: String) -> Answer {
    Answer(status: status, body: "{\"error\":\"\(message)\"}")
  }

  @Test func `what a client may not do is refused, each with its code and a sentence`() async throws {
    try await Scenario.run { scenario in
      func post(_ path: String, _ body: String, type: String = "application/json") async throws -> Answer {
        let url = scenario.feed.url.appendingPathComponent(path)
        return try await RawConnection.answer("POST", url, body, type: type)
      }
      let lengths = refusal(422, "An author has 1 to 40 characters, and a title 1 to 200.")
      let texts = refusal(400, #"The body must have the texts \"author\" and \"title\"."#)
      let created = try await post("posts", #"{"author": "Ann", "title": "Fine"}"#)
      #expect(created.status == 201, "\(created)")
      #expect(try await post("posts", #"{"author": "Ann"}"#) == texts)
      #expect(try await post("posts", #"{"author": "Ann", "title""#) == texts)
      #expect(try await post("posts", #"{"author": "Ann", "title": ""}"#) == lengths)
      #expect(try await post("posts", #"{"author": "Ann", "title": "a\u0000"}"#) == lengths)
      let plain = try await post("posts", #"{"author": "Ann", "title": "No"}"#, type: "text/plain")
      #expect(plain == refusal(415, #"The body must be application\/json."#))
      #expect(try await post("posts/1/like", "{}") == Answer(status: 204, body: ""))
      for id in ["99", "99999999999999999999", "x"] {
        #expect(try await post("posts/\(id)/like", "{}") == refusal(404, "There is no such post."))
      }
      #expect(try await post("users", "{}") == refusal(404, #"There is no POST \/users."#))
      #expect(try await post("", "{}") == refusal(404, #"There is no POST \/."#))
      #expect(try await scenario.client.value("SELECT count(*) FROM posts") == "4")
      #expect(try await scenario.client.value("SELECT sum(like_count) FROM posts") == "10")
    }
  }

  @Test(arguments: [20_000, 3_000_000])
  func `a body that is too large is refused, and is not taken for the next request`(size: Int) async throws {
    try await Scenario.run { scenario in
      let url = scenario.feed.url
      let answers = try await Worker {
        let connection = try RawConnection(to: url)
        let body = String(repeating: "GET / HTTP/1.1\r\n\r\n", count: size / 18 + 1)
        return try [
          ("POST", "/posts"), ("POST", "/posts/1/like"), ("POST", "/users"), ("GET", "/users"),
          ("GET", "/posts"),
          ("PUT", "/posts"),
        ].map { method, path in
          try connection.send(method, path, body)
          return try connection.readAnswer()
        }
      }.value()
      let tooLarge = refusal(413, "The body must have at most 16,384 bytes.")
      let unknown = ["POST", "GET"].map { refusal(404, #"There is no \#($0) \/users."#) }
      #expect(answers.prefix(4) == [tooLarge, tooLarge] + unknown)
      // A body that no route reads is not taken for a request, either.
      #expect(answers[4].status == 200 && answers[4].body.hasPrefix("["))
      #expect(answers[5] == refusal(404, #"There is no PUT \/posts."#))
    }
  }

  /// Bug: a page of another site whose name leads to this machine could read and write the feed.
  @Test func `a request to a host of another name is refused`() async throws {
    try await Scenario.run { scenario in
      let url = scenario.feed.url
      let hosts = ["example.org:\(url.port ?? 0)", "127.0.0.1.example.org", "localhost:1", "127.0.0.1"]
      let answers = try await Worker {
        let connection = try RawConnection(to: url)
        return try hosts.flatMap { host in
          try [("GET", "/posts"), ("POST", "/posts/1/like")].map { method, path in
            try connection.send(method, path, "{}", host: host)
            return try connection.readAnswer().status
          }
        }
      }.value()
      #expect(answers == [421, 421, 421, 421, 200, 204, 200, 204])
    }
  }

  @Test func `what is no HTTP ends the connection alone`() async throws {
    try await Scenario.run { scenario in
      let url = scenario.feed.url
      let answer = try await Worker {
        let connection = try RawConnection(to: url)
        try connection.send("nonsense\r\n\r\n")
        let line = try connection.read(through: "\r\n")
        while try connection.read(through: "\r\n") != nil {}
        return line
      }.value()
      #expect(answer == "HTTP/1.1 400 Bad Request")
      #expect(try await scenario.feed.subscribers == 0)
    }
  }

  @Test(arguments: [
    ("--heartbeat 0", 2, "--heartbeat needs a number of seconds, from 0.01 to 3600."),
    ("--port", 2, "--port needs a value."), ("--port x", 2, "--port needs a number from 0 to 65535."),
    ("--streams 0", 2, "--streams needs a number of at least 1."),
    ("dbname=feed password=secret", 2, "see a password among the arguments"),
    ("postgresql://feed:secret@127.0.0.1:1/", 2, "see a password among the arguments"),
    ("postgresql://127.0.0.1:1/?sslpassword=secret", 2, "see a password among the arguments"),
    ("--colour", 2, "There is no option --colour."),
    ("postgresql://127.0.0.1:1/", 1, "live-feed: "),
  ])
  func `a start that fails says why and gives a status`(
    arguments: String, status: Int32, message: String
  ) async throws {
    // Those of a connection string are one argument.
    let words =
      arguments.contains("=") ? [arguments] : arguments.split(separator: " ").map(String.init)
    let (end, output) = try await Worker { try ChildProcess.run(try FeedProcess.program(), words) }.value()
    #expect(end == .status(status))
    #expect(output.contains(message))
    #expect(!output.contains("secret"))
  }

  @Test func `the service says at its start that it knows no users`() async throws {
    try await Scenario.run { scenario in
      #expect(
        scenario.feed.firstLines == [
          "live-feed: The service knows no users: all programs of this machine can read and write the feed."
        ])
    }
  }

  @Test func `a role that may not log in ends the start with the reason`() async throws {
    try await TestServer.shared().withDatabase { database in
      let client = try await database.connect()
      let role = "barred_\(database.name)"
      try await client.execute("CREATE ROLE \(role) NOLOGIN")
      let string = database.connectionString + " user=\(role)"
      let (end, output) = try await Worker { try ChildProcess.run(try FeedProcess.program(), [string]) }
        .value()
      #expect(end == .status(1))
      #expect(output.contains("role \"\(role)\" is not permitted to log in"))
      try await client.execute("DROP ROLE \(role)")
    }
  }
}
