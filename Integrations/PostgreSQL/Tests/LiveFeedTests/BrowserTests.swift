import Foundation
import PostgreSQLTestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct `Live feed in a browser` {
  @Test func `the page shows the query's rows in order, and keeps the nodes of rows through changes by SQL`()
    async throws
  {
    try await Scenario.runInBrowser { scenario, browser in
      #expect(try await browser.markedRows == ["1", "2", "3"])

      try await scenario.client.execute(
        "INSERT INTO posts (author, title, like_count) VALUES ('Dan', 'New', 4), ('Dan', 'Old', 0)")
      try await browser.shows([Scenario.rows[0], "New ♥ 4", Scenario.rows[1], Scenario.rows[2], "Old ♥ 0"])
      #expect(try await browser.markedRows == ["1", "2", "3"])

      // The last but one moves to the front.
      try await scenario.client.execute("UPDATE posts SET like_count = 9 WHERE id = 3")
      let moved = "What a publication publishes ♥ 9"
      try await browser.shows([moved, Scenario.rows[0], "New ♥ 4", Scenario.rows[1], "Old ♥ 0"])
      #expect(try await browser.markedRows == ["3", "1", "2"])

      try await scenario.client.execute("DELETE FROM posts WHERE id = 1")
      try await browser.shows([moved, "New ♥ 4", Scenario.rows[1], "Old ♥ 0"])
      #expect(try await browser.markedRows == ["3", "2"])

      // All kinds of changes at once: an insertion behind a row that moves.
      try await scenario.client.execute(
        """
        BEGIN; DELETE FROM posts WHERE title = 'Old'; UPDATE posts SET title = 'Newer' WHERE title = 'New';
        INSERT INTO posts (author, title, like_count) VALUES ('Eve', 'Second', 15);
        UPDATE posts SET like_count = 20 WHERE id = 2; COMMIT
        """)
      try await browser.shows(["Change sets instead of polling ♥ 20", "Second ♥ 15", moved, "Newer ♥ 4"])
      #expect(try await browser.markedRows == ["2", "3"])
    }
  }

  @Test func `what a page writes is in the table and at other clients, and text stays text`() async throws {
    try await Scenario.runInBrowser { scenario, browser in
      let other = try FeedReader(scenario.feed)
      try await browser.click("[data-id='3'] .like")
      let liked = [Scenario.rows[0], Scenario.rows[1], "What a publication publishes ♥ 2"]
      try await browser.shows(liked)
      try await other.read { $0.last?.likeCount == 2 }

      let title = "<img src=x onerror='window.mark = 2'> \"&amp;\" ü 🙂"
      try await browser.type("Eve <b>", into: "#author")
      // The driver types characters of the first plane alone.
      try await browser.run("document.getElementById('title').value = arguments[0]", title)
      try await browser.click("form button")
      try await browser.shows(liked + ["\(title) ♥ 0"])
      try await other.read { $0.last?.title == title }
      #expect(try await browser.markedRows == ["1", "2", "3"])
      #expect(try await browser.evaluate("return document.querySelector('#posts :is(img, b)') === null"))
      // The like was shown before the server had it; the post was committed after it.
      #expect(try await scenario.client.value("SELECT title FROM posts WHERE author = 'Eve <b>'") == title)
      #expect(try await scenario.client.value("SELECT like_count FROM posts WHERE id = 3") == "2")
    }
  }

  @Test func `what the database refuses is said, and what was typed is still there`() async throws {
    try await Scenario.runInBrowser { scenario, browser in
      try await browser.type("Eve", into: "#author")
      try await browser.type("Refused", into: "#title")
      try await scenario.client.execute("ALTER TABLE posts ADD CHECK (title <> 'Refused')")
      try await browser.click("form button")
      try await browser.shows(message: "An author has 1 to 40 characters")
      #expect(try await browser.evaluate("return document.getElementById('title').value") == "Refused")
      #expect(try await browser.rows == Scenario.rows)
    }
  }

  @Test func `a page whose database restarts says so, and goes on without a reload`() async throws {
    let server = try await TestServer.own()
    try await Scenario.runInBrowser(on: server) { scenario, browser in
      try await server.kill()
      try await browser.shows(state: "The database cannot be reached")
      #expect(try await browser.rows == Scenario.rows)
      try await browser.click("[data-id='1'] .like")
      try await browser.shows(message: "The database cannot do that now")
      #expect(try await browser.rows == Scenario.rows)

      try await server.restart()
      try await browser.shows(state: "Live")
      let client = try await scenario.database.connect()
      try await client.execute("UPDATE posts SET like_count = 8 WHERE id = 2")
      let rows = ["Change sets instead of polling ♥ 8", Scenario.rows[0], Scenario.rows[2]]
      try await browser.shows(rows)
      try await browser.click("[data-id='3'] .like")
      try await browser.shows([rows[0], rows[1], "What a publication publishes ♥ 2"])

      // The stream of the replica alone is lost, with a change before it is there again.
      try await client.execute(
        """
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'walsender';
        DELETE FROM posts WHERE id = 1;
        """)
      try await browser.shows([rows[0], "What a publication publishes ♥ 2"])
      try await browser.shows(state: "Live")
      #expect(try await browser.markedRows == ["2", "3"])
    }
    try await server.stop()
  }

  @Test func `a page connects to the next run of the service, and shows what changed between`() async throws {
    try await Scenario.runInBrowser { scenario, browser in
      #expect(try await scenario.feed.stop(SIGINT) == .status(0))
      try await browser.shows(state: "Connection lost")
      #expect(try await browser.rows == Scenario.rows)
      try await scenario.client.execute(
        "UPDATE posts SET like_count = 8 WHERE id = 2; DELETE FROM posts WHERE id = 3")
      let port = try #require(scenario.feed.url.port)
      let next = try await FeedProcess(scenario.database.connectionString, port: port)
      try await browser.shows(["Change sets instead of polling ♥ 8", Scenario.rows[0]])
      try await browser.shows(state: "Live")
      #expect(try await browser.markedRows == ["2", "1"])
      #expect(try await next.stop() == .status(0))
    }
  }

  /// `LIVESTORE_SCREENSHOTS` names a folder for pictures of the pages.
  @Test func `a page of long words fits into a window and onto a phone`() async throws {
    try await Scenario.runInBrowser { scenario, browser in
      try await scenario.client.execute(
        """
        INSERT INTO posts (author, title, like_count) VALUES
          (repeat('W', 40), repeat('W', 200), 2000000000), ('Dan', repeat('Some words ', 18), 12)
        """)
      for screen in [Browser.Screen.desktop, .phone] {
        try await browser.setScreen(screen)
        try await browser.open(scenario.feed.url)
        try await browser.shows(state: "Live")
        try await browser.shows(count: 5)
        #expect(try await browser.overflowing == [], "\(screen)")
        if let folder = ProcessInfo.processInfo.environment["LIVESTORE_SCREENSHOTS"] {
          try await browser.writeScreenshot(to: "\(folder)/feed-\(screen).png")
        }
      }
    }
  }
}
