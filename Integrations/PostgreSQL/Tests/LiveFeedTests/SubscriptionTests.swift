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

  @Test func `a client that does not read makes nothing grow, holds none back and gets merged changes`()
    async throws
  {
    try await Scenario.run { scenario in
      // Of each round: 19 MB.
      let (changes, characters, rounds) = (1000, 19_200, 3)
      try await scenario.client.execute("ALTER TABLE posts DROP CONSTRAINT posts_title_check")
      let (reader, slow, stuck) = (
        try FeedReader(scenario.feed), try FeedReader(scenario.feed), try FeedReader(scenario.feed)
      )
      for client in [reader, slow] { try await client.read { $0.count == 3 } }

      var sizes: [Int] = []
      for round in 1...rounds {
        let last = round * changes
        try await scenario.client.execute(
          """
          DO $$ BEGIN FOR i IN \(last - changes + 1)..\(last) LOOP
            UPDATE posts SET like_count = i, title = repeat(md5(i::text), \(characters / 32)) WHERE id = i % 3 + 1;
            COMMIT;
          END LOOP; END $$
          """)
        try await reader.read { $0.first?.likeCount == last }
        if let bytes = scenario.feed.residentBytes { sizes.append(bytes) }
      }
      let volume = rounds * changes * characters
      // Memory reaches its bound, with the store's history full and the allocator's free lists long, after some
      // rounds; queued events would take two thirds of the volume.
      if let first = sizes.first, let last = sizes.last { #expect(last - first < volume / 2, "\(sizes)") }

      let table = try await scenario.client.value(
        """
        SELECT json_agg(json_build_object('id', id, 'title', title, 'likeCount', like_count) ORDER BY like_count DESC)
        FROM posts
        """)
      let rows = try JSONDecoder().decode([FeedReader.Row].self, from: Data(try #require(table).utf8))
      #expect(reader.rows == rows)
      try await slow.read { $0 == rows }
      #expect(slow.bytes < volume / 4)
      #expect(slow.events < rounds * changes / 4)
      // A signal ends the service in spite of a client that never reads.
      #expect(try await scenario.feed.stop() == .status(0))
      withExtendedLifetime(stuck) {}
    }
  }
}
