import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Subscriptions of the live feed` {
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

  /// Each change is a title of 19,200 characters: 19 MB in a round.
  @Test func `a client that does not read makes nothing grow, holds none back and gets merged changes`()
    async throws
  {
    try await Scenario.run { scenario in
      let count = 1000
      try await scenario.client.execute("ALTER TABLE posts DROP CONSTRAINT posts_title_check")
      let (reader, slow, stuck) = (
        try FeedReader(scenario.feed), try FeedReader(scenario.feed), try FeedReader(scenario.feed)
      )
      for client in [reader, slow] { try await client.read { $0.count == 3 } }

      var sizes: [Int] = []
      for round in 1...3 {
        let last = round * count
        try await scenario.client.execute(
          """
          DO $$ BEGIN FOR i IN \(last - count + 1)..\(last) LOOP
            UPDATE posts SET like_count = i, title = repeat(md5(i::text), 600) WHERE id = i % 3 + 1; COMMIT;
          END LOOP; END $$
          """)
        try await reader.read { $0.first?.likeCount == last }
        if let bytes = scenario.feed.residentBytes { sizes.append(bytes) }
      }
      // The first rounds fill the store's history and the buffers of the system.
      if sizes.count == 3 { #expect(sizes[2] - sizes[1] < 8 << 20, "\(sizes)") }
      print("sizes", sizes, reader.events, reader.bytes, slow.events, slow.bytes)

      let table = try await scenario.client.value(
        """
        SELECT json_agg(json_build_object('id', id, 'title', title, 'likeCount', like_count) ORDER BY like_count DESC)
        FROM posts
        """)
      let rows = try JSONDecoder().decode([FeedReader.Row].self, from: Data(try #require(table).utf8))
      #expect(reader.rows == rows)
      try await slow.read { $0 == rows }
      print("slow", slow.events, slow.bytes)
      #expect(slow.bytes < 3 * count * 19_200 / 4)
      #expect(slow.events < 3 * count / 4)
      // A signal ends the service in spite of a client that never reads.
      #expect(try await scenario.feed.stop() == .status(0))
      withExtendedLifetime(stuck) {}
    }
  }
}
