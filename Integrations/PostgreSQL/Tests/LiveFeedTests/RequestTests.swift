import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1))) struct `Requests to the live feed` {
  /// The status code of the answer to a request, and what it says is wrong.
  private func send(
    _ feed: FeedProcess, _ path: String, _ body: String, type: String = "application/json"
  ) async throws -> (Int, String?) {
    struct Refusal: Decodable { var error: String? }
    var request = URLRequest(url: feed.url.appendingPathComponent(path), timeoutInterval: 20)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    let (data, response) = try await URLSession.shared.data(for: request)
    let refusal = try data.isEmpty ? nil : JSONDecoder().decode(Refusal.self, from: data)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, refusal?.error)
  }

  @Test func `what a client may not do is refused, each with its code and a sentence`() async throws {
    try await Scenario.run { scenario in
      let feed = scenario.feed
      let lengths = "An author has 1 to 40 characters, and a title 1 to 200."
      let texts = "The body must have the texts \"author\" and \"title\"."
      let noPost = "There is no such post."
      #expect(try await send(feed, "posts", #"{"author": "Ann", "title": "Fine"}"#) == (201, nil))
      #expect(try await send(feed, "posts", #"{"author": "Ann"}"#) == (400, texts))
      #expect(try await send(feed, "posts", #"{"author": "Ann", "title""#) == (400, texts))
      #expect(try await send(feed, "posts", #"{"author": "Ann", "title": ""}"#) == (422, lengths))
      #expect(try await send(feed, "posts", #"{"author": "Ann", "title": "a\u0000"}"#) == (422, lengths))
      let mine = try await send(feed, "posts", #"{"author": "Ann", "title": "No"}"#, type: "text/plain")
      #expect(mine == (415, "The body must be application/json."))
      #expect(try await send(feed, "posts/1/like", "{}") == (204, nil))
      for id in ["99", "99999999999999999999", "x"] {
        #expect(try await send(feed, "posts/\(id)/like", "{}") == (404, noPost))
      }
      #expect(try await send(feed, "users", "{}") == (404, "There is no POST /users."))
      #expect(try await send(feed, "", "{}") == (404, "There is no POST /."))
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
        let paths = ["posts", "posts/1/like", "users"]
        return try paths.map { path in
          try connection.send(
            """
            POST /\(path) HTTP/1.1\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r

            """)
          try connection.send(body)
          let answer = try connection.readAnswer()
          return "\(answer?.status ?? 0) \(answer?.body ?? "")"
        }
      }.value()
      let refusal = #"413 {"error":"The body must have at most 16,384 bytes, and say how many."}"#
      #expect(answers == [refusal, refusal, #"404 {"error":"There is no POST \/users."}"#])
    }
  }
}
