import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite(
  "The inspector in a browser", .serialized, .timeLimit(.minutes(5)),
  .enabled(if: WebDriver.isThere, "chromium and chromedriver are not installed"))
struct InspectorBrowserTests {
  /// Opens the page of a store, and sees at the end that nothing was logged and nothing foreign was asked for.
  private static func run(
    _ store: Store, access: AccessRules = AccessRules(), fragment: String = "",
    _ body: @Sendable (TestServer, Browser) async throws -> Void
  ) async throws {
    let browser = try await SharedBrowser.instance.browser()
    try await TestServer.withInspector(store, access: access) { server async throws in
      try await browser.setScreen(width: 1_280, height: 800)
      try await browser.open("about:blank")
      _ = try await (browser.log("browser"), browser.requestedURLs())
      try await browser.open("http://localhost:\(server.port)/inspector" + fragment)
      try await body(server, browser)
      let foreign = try await browser.requestedURLs().filter {
        !$0.hasPrefix("http://localhost:\(server.port)/inspector") && !$0.hasPrefix("data:")
      }
      #expect(foreign == [])
      try await browser.open("about:blank")
    }
  }

  /// An address that stays the same while servers behind it come and go.
  private static func address() throws -> CuttingProxy {
    try CuttingProxy(SeededGenerator(1), cuttingWithin: .max)
  }

  private static let isConnected = "document.querySelector('#connection').dataset.state === 'live'"
  private static let ids =
    "[...document.querySelectorAll('#rows-table tbody tr')].map(row => row.dataset.key).join()"

  @Test("the page loads without an error, and a commit shows up in the rows and among the commits")
  func commits() async throws {
    let store = try makeStore(posts: 3)
    try await Self.run(store, fragment: "#rows/Post") { server, browser async throws in
      #expect(try await browser.waits(until: "\(Self.ids) === '1,2,3'"))
      try await browser.evaluate("document.querySelector('tr[data-key=\"2\"]').marked = true")
      try await store.write(origin: "ui") { tx in
        try tx.update(Post.self, 2) { $0.title = "Changed" }
        try tx.delete(Post.self, 1)
        try tx.insert(Post(id: 9, title: "New"))
      }
      #expect(try await browser.waits(until: "\(Self.ids) === '2,3,9'"))
      let row = try await browser.evaluate(
        "const row = document.querySelector('tr[data-key=\"2\"]'); return [row.marked, row.children[1].textContent]"
      )
      #expect(row == [true, "Changed"])
      try await browser.click("#tab-commits")
      #expect(
        try await browser.waits(
          until: "document.querySelector('#commits-table tbody tr td:nth-child(3)')?.textContent === 'ui'"))
      let commit = try await browser.evaluate(
        "return [...document.querySelectorAll('#commits-table tbody tr td')].map(cell => cell.textContent)")
      guard case .array(let cells) = commit else { throw Failure("no commit: \(commit)") }
      #expect(cells[0].text == "\(store.version)")
      #expect(cells[3].text == "3")
      #expect(cells[4].text == "Post 3")
      #expect(try await browser.log("browser") == [])
    }
  }

  @Test("a value that looks like HTML stays text, in the table and in the details")
  func hostileValue() async throws {
    let title = "<img src=x onerror='window.hit = 1'><b>&amp;\u{202E}"
    let store = try makeStore()
    try await store.write(origin: "<i>x</i>") { tx in try tx.insert(Post(id: 1, title: title)) }
    try await Self.run(store, fragment: "#rows/Post") { _, browser async throws in
      let cell = "document.querySelector('#rows-table td:nth-child(2)')"
      #expect(try await browser.waits(until: "\(cell)?.textContent === arguments[0]", .string(title)))
      try await browser.click("#rows-table tbody tr")
      #expect(
        try await browser.waits(
          until:
            "[...document.querySelectorAll('#detail dd')].some(node => node.textContent === arguments[0])",
          .string(title)))
      #expect(
        try await browser.evaluate(
          "return document.querySelector('main :is(img, b, i), aside :is(img, b, i)')") == .null)
      #expect(try await browser.evaluate("return window.hit ?? 0") == 0)
      try await browser.type("\u{E00C}", into: "#close")
      #expect(try await browser.waits(until: "document.querySelector('#detail').hidden"))
      #expect(try await browser.log("browser") == [])
    }
  }

  @Test("rows are filtered and sorted, and the error of a filter is shown at its column")
  func filter() async throws {
    try await Self.run(try makeStore(posts: 6), fragment: "#rows/Post") { _, browser async throws in
      #expect(try await browser.waits(until: "\(Self.ids) === '1,2,3,4,5,6'"))
      try await browser.type("likeCount > 30", into: "#where")
      #expect(try await browser.waits(until: "\(Self.ids) === '4,5,6'"))
      try await browser.click("#rows-table th:nth-child(3) button")
      try await browser.click("#rows-table th:nth-child(3) button")
      #expect(try await browser.waits(until: "\(Self.ids) === '6,5,4'"))
      try await browser.type(" AND likes == 1", into: "#where")
      #expect(try await browser.waits(until: "!document.querySelector('#where-error').hidden"))
      let error = try await browser.evaluate("return document.querySelector('#where-error pre').textContent")
      let lines = (error.text ?? "").split(separator: "\n").map(String.init)
      #expect(lines.first == "likeCount > 30 AND likes == 1")
      #expect(lines.last == String(repeating: " ", count: 19) + "▲ column 20")
      #expect(try await browser.evaluate("return document.querySelector('#where').ariaInvalid") == "true")
      // The rows so far stay.
      #expect(try await browser.evaluate("return \(Self.ids)") == "6,5,4")
    }
  }

  @Test("a live query of the app is listed with where it was made and what it costs, and its plan is shown")
  func liveQueries() async throws {
    let store = try makeStore(posts: 4)
    let token = store.observe(queue: DispatchQueue(label: "test"), Post.where { $0.likeCount > 20 }) { _ in }
    try await Self.run(store, fragment: "#queries") { _, browser async throws in
      let row =
        "[...document.querySelectorAll('#queries-table tbody tr')].find(row => row.textContent.includes('likeCount'))"
      #expect(try await browser.waits(until: "\(row)?.textContent.includes('InspectorBrowserTests.swift:')"))
      try await store.write { tx in try tx.update(Post.self, 1) { $0.likeCount = 99 } }
      #expect(try await browser.waits(until: "\(row).children[2].textContent === '3'"))
      #expect(try await browser.waits(until: "\(row).children[4].textContent.includes('+1')"))
      #expect(try await browser.waits(until: "/ms|µs/.test(\(row).children[5].textContent)"))
      try await browser.evaluate("\(row).click()")
      let plan = "document.querySelector('#detail dd:last-of-type').textContent"
      let hasPlan = try await browser.waits(until: "\(plan) === 'scan Post: 4 rows, filter likeCount > 20'")
      let shown = try await browser.evaluate("return \(plan)")
      #expect(hasPlan, "\(shown)")
      #expect(try await browser.log("browser") == [])
    }
    token.invalidate()
  }

  @Test("after the server was started again the page goes on, also with another store")
  func restart() async throws {
    let browser = try await SharedBrowser.instance.browser()
    let first = try makeStore(posts: 2)
    let address = try Self.address()
    try await TestServer.withInspector(first) { server async throws in
      address.lead(to: server.port)
      try await browser.open("http://localhost:\(address.port)/inspector#rows/Post")
      #expect(try await browser.waits(until: "\(Self.ids) === '1,2'"))
      address.leadNowhere()
    }
    #expect(
      try await browser.waits(until: "document.querySelector('#connection').dataset.state === 'waiting'"))
    // What was there stays readable.
    #expect(try await browser.evaluate("return \(Self.ids)") == "1,2")
    let second = try makeStore(posts: 3)
    let server = try StoreServer(second, configuration: .inspected, logger: .silent) {
      Expose(Post.self, fields: [\.title])
    }
    try await TestServer.with(server) { server in
      address.lead(to: server.port)
      #expect(try await browser.waits(until: "\(Self.isConnected) && \(Self.ids) === '1,2,3'"))
      try await second.write { tx in try tx.delete(Post.self, 2) }
      #expect(try await browser.waits(until: "\(Self.ids) === '1,3'"))
    }
    try await browser.open("about:blank")
  }

  @Test("after a start with another schema the page shows its columns and entities")
  func otherSchema() async throws {
    let browser = try await SharedBrowser.instance.browser()
    let first = try Store(Before.Post.self)
    try await first.write { tx in try tx.insert(Before.Post(id: 1, headline: "Old")) }
    let address = try Self.address()
    try await TestServer.withInspector(first) { server async throws in
      address.lead(to: server.port)
      try await browser.open("http://localhost:\(address.port)/inspector#rows/Post")
      #expect(try await browser.waits(until: "\(Self.titles) === 'id,headline'"))
      address.leadNowhere()
    }
    let server = try StoreServer(
      try makeStore(posts: 2), configuration: .inspected, logger: .silent
    ) { Expose(Post.self, fields: [\.title]) }
    try await TestServer.with(server) { server async throws in
      address.lead(to: server.port)
      #expect(
        try await browser.waits(until: "\(Self.titles).startsWith('id,title,') && \(Self.ids) === '1,2'"))
    }
    try await browser.open("about:blank")
  }

  private static let titles =
    "[...document.querySelectorAll('#rows-table thead th')].map(cell => cell.textContent).join()"

  @Test("a token is asked for, and may be the end of the address, where no server gets it")
  func token() async throws {
    var access = AccessRules()
    access.token = "sesame"
    try await Self.run(try makeStore(posts: 1), access: access) { server, browser async throws in
      #expect(try await browser.waits(until: "!document.querySelector('#access').hidden"))
      try await browser.type("sesame\n", into: "#token")
      #expect(try await browser.waits(until: Self.isConnected))
      try await browser.evaluate("sessionStorage.clear()")
      try await browser.open("about:blank")
      try await browser.open("http://localhost:\(server.port)/inspector/#token=sesame")
      #expect(try await browser.waits(until: Self.isConnected))
      #expect(try await browser.evaluate("return location.href.includes('sesame')") == false)
      try await browser.evaluate("sessionStorage.clear()")
    }
  }

  @Test("each view is reached by keys, and a row that is selected stays so while others come")
  func keys() async throws {
    let store = try makeStore(posts: 3)
    try await Self.run(store, fragment: "#rows/Post") { _, browser async throws in
      #expect(try await browser.waits(until: "\(Self.ids) === '1,2,3'"))
      let (down, right, enter) = ("\u{E015}", "\u{E014}", "\u{E007}")
      try await browser.type(down + down + enter, into: "#rows-table tbody tr")
      let selected = "document.querySelector('#rows-table [aria-selected=true]')"
      #expect(try await browser.evaluate("return \(selected).dataset.key") == "3")
      try await store.write { tx in
        try tx.delete(Post.self, 1)
        try tx.insert(Post(id: 4, title: "New"))
      }
      #expect(try await browser.waits(until: "\(Self.ids) === '2,3,4'"))
      #expect(try await browser.evaluate("return \(selected).dataset.key") == "3")
      #expect(try await browser.evaluate("return document.activeElement === \(selected)") == true)
      for view in ["queries", "commits", "memory", "schema", "followers", "rows"] {
        try await browser.type(right, into: "[role=tab][aria-selected=true]")
        #expect(try await browser.waits(until: "!document.getElementById('\(view)').hidden"))
      }
      #expect(try await browser.log("browser") == [])
    }
  }
}

/// The schema of an app before it was changed.
private enum Before {
  struct Post: Entity {
    let id: Int
    var headline: String
    static let schema = Schema<Post> { \.headline }
  }
}
