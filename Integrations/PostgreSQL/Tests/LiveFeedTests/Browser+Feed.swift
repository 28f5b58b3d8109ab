import PostgreSQLTestSupport

/// The page of the service.
extension Browser {
  private static let rowsExpression = """
    [...document.querySelectorAll("#posts li")].map(row =>
      row.querySelector(".title").textContent + " " + row.querySelector(".like").textContent)
    """

  /// The rows that the page shows, as "title ♥ likes".
  var rows: [String] {
    get async throws { try await evaluate("return \(Self.rowsExpression)") }
  }

  /// Waits until the page shows so many rows.
  func shows(count: Int) async throws {
    if try await waits(until: "\(Self.rowsExpression).length === arguments[0]", count) { return }
    throw Mismatch("the page shows \(try await rows.count) rows instead of \(count)")
  }

  /// Waits until the page shows rows.
  func shows(_ rows: [String]) async throws {
    let condition = "JSON.stringify(\(Self.rowsExpression)) === JSON.stringify(arguments[0])"
    if try await waits(until: condition, rows) { return }
    throw Mismatch("the page shows \(try await self.rows) instead of \(rows)")
  }

  /// Waits until the line about the connection starts with a text.
  func shows(state: String) async throws { try await shows(state, in: "state") }

  /// Waits until the line about what the user did starts with a text.
  func shows(message: String) async throws { try await shows(message, in: "message") }

  private func shows(_ text: String, in id: String) async throws {
    let content = "document.getElementById(arguments[0]).textContent"
    if try await waits(until: "\(content).startsWith(arguments[1])", id, text) { return }
    let shown: String = try await evaluate("return \(content)", [id])
    throw Mismatch("the page says '\(shown)' instead of '\(text)'")
  }

  /// Gives the page and the nodes of all rows a property that no reload would keep.
  func markRows() async throws {
    try await run(
      """
      window.mark = 1;
      document.querySelectorAll("#posts li").forEach(row => { row.mark = row.dataset.id });
      """)
  }

  /// The ids of the rows whose nodes were marked, in the order of the page; nil if the page was loaded again.
  var markedRows: [String]? {
    get async throws {
      try await evaluate(
        """
        return window.mark !== 1 ? null
          : [...document.querySelectorAll("#posts li")].filter(row => row.mark === row.dataset.id).map(row => row.mark)
        """, as: [String]?.self)
    }
  }

  /// What on the page is wider than its place: the page itself, if it scrolls sideways, or an element.
  var overflowing: [String] {
    get async throws {
      try await evaluate(
        """
        return [...document.querySelectorAll("*")]
          .filter(node => node.clientWidth > 0 && node.scrollWidth > node.clientWidth).map(node => node.outerHTML)
        """)
    }
  }
}
