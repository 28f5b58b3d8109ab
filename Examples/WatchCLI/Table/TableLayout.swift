import LiveStore

/// The columns of a table and how wide they are.
///
/// Columns are given, or found in the rows that are shown; found ones are added at the end and stay. Widths only grow,
/// so that a table does not shake while its values change.
package struct TableLayout: Sendable {
  /// A column in view.
  package struct Place: Hashable, Sendable {
    /// Which column it is.
    package let column: Int
    /// How many characters it has.
    package let width: Int
  }

  /// The columns in order.
  package private(set) var columns: [Column] = []
  /// What is drawn behind them for each row, if anything.
  private(set) var chart: TableChart?
  /// The titles of the columns, as they are shown.
  private var titles: [String] = []
  /// How wide the titles and the values so far are.
  private var widths: [Int] = []
  /// How wide the numbers so far are, which are not cut.
  private var numberWidths: [Int] = []
  /// Whether all values so far are numbers, which stand on the right; nil before the first.
  private var isNumeric: [Bool?] = []
  /// How many titles have a beginning.
  private var beginnings: [ComparedText: Int] = [:]
  /// The columns that were found; nil if they are given.
  private var found: FoundColumns?

  /// How many columns are found, and how wide they are taken to be at most.
  private static let limit = (columns: 100, width: 1_000)
  /// Columns are not made narrower than this, as long as others can be left out.
  private static let least = 6
  /// The space between two columns.
  package static let gap = 2

  /// A layout of given columns; nil finds them in the rows.
  package init(_ columns: [Column]?, chart: TableChart? = nil) {
    self.chart = chart
    found = columns == nil ? FoundColumns(limit: Self.limit.columns) : nil
    for column in columns ?? [] { add(column) }
  }

  /// The cells of a row in the order of the columns.
  package func cells(of document: Document) -> [TableCell] {
    columns.map { TableCell(document.shownValue(at: $0.path), limit: Self.limit.width) }
  }

  /// Adds the columns that rows have, unless columns are given; the key's first.
  package mutating func find(in documents: some Collection<Document>, key: [[String]]) {
    guard var found else { return }
    // The only reference to them is this one.
    self.found = nil
    for document in documents {
      found.find(in: document, key: key, except: chart == nil ? nil : TableChart.trend)
    }
    for column in found.columns.dropFirst(columns.count) { add(column) }
    self.found = found
  }

  private mutating func add(_ column: Column) {
    columns.append(column)
    titles.append(TableCell.line(column.title, limit: Self.limit.width))
    beginnings[Self.beginning(of: titles[titles.count - 1]), default: 0] += 1
    widths.append(max(1, min(titles[titles.count - 1].displayWidth, Self.limit.width)))
    numberWidths.append(0)
    isNumeric.append(nil)
  }

  /// What titles of several paths may have in common: what stands before the first point or bracket.
  private static func beginning(of title: String) -> ComparedText {
    ComparedText(String(title.unicodeScalars.prefix { $0 != "." && $0 != "[" }))
  }

  /// Takes in a row that is to be shown, and its cells.
  package mutating func measure(_ document: Document, _ cells: [TableCell]) {
    for (column, cell) in cells.enumerated() {
      let width = min(cell.text.displayWidth, Self.limit.width)
      widths[column] = max(widths[column], width)
      guard let isNumber = cell.isNumber else { continue }
      if isNumber { numberWidths[column] = max(numberWidths[column], width) }
      isNumeric[column] = isNumber && isNumeric[column] ?? true
    }
    chart?.measure(document)
  }

  /// Forgets with which rows those of the chart are compared.
  mutating func resetChart() { chart?.reset() }

  /// The first column in which a row has a text that meets a condition. Columns that are found there are added.
  package mutating func column(of document: Document, where matches: (String) -> Bool) -> Int? {
    guard found != nil else { return cells(of: document).firstIndex { matches($0.text) } }
    let match = found?.path(in: document) { matches(TableCell($0, limit: Self.limit.width).text) }
    guard let match else { return nil }
    find(in: [document], key: [])
    return columns.firstIndex { $0.isAt(match) }
  }

  /// The columns that stay and those from `first` on, as far as they fit into a width, with the width of each: as wide
  /// as their values; if they do not fit, texts are made narrower; if that is not enough, the last are left out.
  ///
  /// - Parameters:
  ///   - width: the width of a line, of which the chart takes a part.
  ///   - key: the paths of the columns that stay if they are the first ones.
  package func fitting(_ width: Int, from first: Int, key: [[String]] = []) -> [Place] {
    let chartWidth = chart?.width(in: width) ?? 0
    let columnsWidth = chartWidth > 0 ? width - chartWidth - Self.gap : width
    let kept = columns.prefix { column in key.contains(where: column.isAt) }.count
    var shown = Array(0..<min(kept, first)) + Array(columns.indices.dropFirst(first))
    while shown.count > 1, minimum(shown) > columnsWidth { shown.removeLast() }
    // Columns that stay take no more room than they leave.
    if first < columns.count, !shown.contains(first) { return fitting(width, from: first) }
    let least = shown.map { minimum([$0]) }
    var room = columnsWidth - minimum(shown)
    var result: [Int: Int] = [:]
    // What is left is shared; the columns that need little of it come first.
    let wishes = zip(shown, least).map { (column: $0, least: $1, more: widths[$0] - $1) }
    for (place, wish) in wishes.sorted(by: { $0.more < $1.more }).enumerated() {
      let more = max(1 - wish.least, min(wish.more, room / (shown.count - place)))
      result[wish.column] = wish.least + more
      room -= more
    }
    return shown.map { Place(column: $0, width: result[$0] ?? 0) }
  }

  private func minimum(_ columns: [Int]) -> Int {
    columns.reduce(Self.gap * (columns.count - 1)) {
      $0 + max(min(widths[$1], Self.least), numberWidths[$1])
    }
  }
}

extension TableLayout {
  /// What the chart has for a row on a line of a width; nil if there is none or no room for it.
  func chart(of document: Document, in width: Int) -> String? {
    guard let chart else { return nil }
    let chartWidth = chart.width(in: width)
    return chartWidth > 0 ? chart.text(of: document, width: chartWidth) : nil
  }

  /// The text of a cell in the width of its column. A part of a number would read as another number.
  package func text(_ cell: TableCell, at place: Place) -> String {
    let isCut = cell.isNumber == true && cell.text.displayWidth > place.width
    return (isCut ? "…" : cell.text).fitted(to: place.width, isRight: isNumeric[place.column] ?? false)
  }

  /// The title of a column in its width, with a sign if rows are in the order of its values. What paths have in common is
  /// left out of it first.
  package func title(at place: Place, order: SortKey? = nil) -> String {
    let column = columns[place.column]
    let sign = order.map { column.isAt($0.path.steps) ? $0.isDescending ? "▼" : "▲" : "" } ?? ""
    let width = place.width - sign.displayWidth
    var title = titles[place.column]
    if title.displayWidth > width {
      let beginning = Self.beginning(of: title)
      let isShared = beginnings[beginning, default: 0] > 1 && beginning.text.utf8.count < title.utf8.count
      title = isShared && !column.hasTitle ? title.fittedEnd(to: width) : title.fitted(to: width)
    }
    return (title + sign).fitted(to: place.width, isRight: isNumeric[place.column] ?? false)
  }

  /// Leaves room for a sign behind the title of the column by whose values rows are ordered.
  package mutating func leaveRoom(for order: SortKey?) {
    guard let order, let column = columns.firstIndex(where: { $0.isAt(order.path.steps) }) else { return }
    widths[column] = max(widths[column], min(titles[column].displayWidth, Self.limit.width) + 1)
  }
}
