/// A whole object on a screen, as JSON on several lines: the newest value, or the last one if the result has it no more.
struct ObjectView: Sendable {
  /// The object; nil before it is shown for the first time.
  private(set) var document: Document?
  /// Whether the result has it.
  private(set) var isInResult = true
  /// The first line in view.
  private(set) var first = 0
  /// How many lines there are.
  var count: Int { lines.count }
  private var lines: [String] = []
  private var width = 0
  /// How many lines are in view.
  private var page = 1

  /// How many lines are made of an object at most.
  private static let limit = 10_000

  /// Scrolls.
  mutating func perform(_ key: TerminalKey) {
    switch key {
    case .up: first -= 1
    case .down: first += 1
    case .pageUp: first -= max(1, page - 1)
    case .pageDown: first += max(1, page - 1)
    case .home: first = 0
    case .end: first = lines.count
    default: break
    }
    first = max(0, min(first, lines.count - page))
  }

  /// The lines in view of the newest value.
  ///
  /// - Parameter chosen: the object that is shown if there was none.
  mutating func lines(of chosen: Document, in rows: TableRows, width: Int, page: Int) -> ArraySlice<String> {
    let newest = rows.row(like: document ?? chosen)
    isInResult = newest != nil
    let shown = newest ?? document ?? chosen
    if width != self.width || shown != document {
      lines = shown.indentedLines(atMost: Self.limit).flatMap { $0.wrapped(to: width).map(String.init) }
      if lines.count > Self.limit { lines = lines.prefix(Self.limit) + ["…"] }
    }
    (document, self.width, self.page) = (shown, width, page)
    first = max(0, min(first, lines.count - page))
    return lines.dropFirst(first).prefix(page)
  }
}
