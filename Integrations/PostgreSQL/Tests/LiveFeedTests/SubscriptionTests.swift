import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct `Subscriptions of the live feed` {
  @Test func `a subscription ends with its client, at the latest after two heartbeats`() async throws {
    try await Scenario.run(heartbeat: 0.05) { scenario in
      let readers = try (0..<3).map { _ in try FeedReader(scenario.feed) }
      for reader in readers { try await reader.read { $0.count == 3 } }
      #expect(try await scenario.feed.subscribers == 3)
      readers[0].disconnect()
      readers[2].disconnect()
      let end = ContinuousClock.now + .seconds(20)
      // There is no pause between: each look is a request.
      while try await scenario.feed.subscribers > 1, ContinuousClock.now < end {}
      #expect(try await scenario.feed.subscribers == 1)
      try await scenario.client.execute("DELETE FROM posts WHERE id = 1")
      try await readers[1].read { $0.count == 2 }
    }
  }

  @Test func `beyond the limit of streams a client is refused, until a stream ends`() async throws {
    try await Scenario.run(heartbeat: 0.05, options: ["--streams", "2"]) { scenario in
      let url = try #require(URL(string: FeedReader.path + "-1", relativeTo: scenario.feed.url)).absoluteURL
      let readers = try (0..<2).map { _ in try FeedReader(scenario.feed) }
      for reader in readers { try await reader.read { $0.count == 3 } }
      let refused = try await RawConnection.answer("GET", url)
      #expect(refused.status == 429)
      #expect(refused.body.contains("The server has as many streams as it may have."))
      readers[0].disconnect()
      let end = ContinuousClock.now + .seconds(20)
      var status = 429
      while status == 429, ContinuousClock.now < end {
        status = try await RawConnection.answer("GET", url).status
      }
      #expect(status == 200)
    }
  }

  @Test func `a client that does not read makes nothing grow, holds none back and gets merged changes`()
    async throws
  {
    try await Scenario.run { scenario in
      let (client, feed) = (scenario.client, scenario.feed)
      try await client.execute("ALTER TABLE posts DROP CONSTRAINT posts_title_check")
      let (reader, slow, stuck) = (try FeedReader(feed), try FeedReader(feed), try FeedReader(feed))
      for client in [reader, slow] { try await client.read { $0.count == 3 } }

      // Many changes fill the buffers of the two that do not read.
      try await client.execute(
        """
        DO $$ BEGIN FOR i IN 1..2000 LOOP
          UPDATE posts SET like_count = i, title = repeat(md5(i::text), 600) WHERE id = i % 3 + 1; COMMIT;
        END LOOP; END $$
        """)
      try await reader.read { $0.first?.likeCount == 2000 }
      let before = feed.residentBytes

      // Each of these is an event of 58 kB of its own for the one that reads.
      let (changes, size) = (300, 58_000)
      for number in 3001...(3000 + changes) {
        try await client.execute(
          "UPDATE posts SET like_count = \(number), title = repeat(md5(id::text || '\(number)'), 600)")
        try await reader.read { $0.last?.likeCount == number }
      }
      // None of them is queued for the others.
      if let before, let after = feed.residentBytes { #expect(after - before < changes * size / 2) }

      let table = try await client.value(
        """
        SELECT json_agg(json_build_object('id', id, 'title', title, 'likeCount', like_count) ORDER BY created_at DESC)
        FROM posts
        """)
      let rows = try JSONDecoder().decode([FeedReader.Row].self, from: Data(try #require(table).utf8))
      #expect(reader.rows == rows)
      try await slow.read { $0 == rows }
      // The system's buffers are a few megabytes.
      #expect(slow.bytes < reader.bytes / 2)
      #expect(slow.events < reader.events / 2)
      // A signal ends the service in spite of a client that never reads.
      #expect(try await feed.stop() == .status(0))
      withExtendedLifetime(stuck) {}
    }
  }
}
