import LiveStore
package import LiveStoreServer

/// What is on the screen, and what keys do to it. It knows no terminal.
package struct AttachView {
  package enum Tab: Int, CaseIterable {
    case entities, queries, commits, versions, memory, reports

    var title: String { ["Rows", "Live queries", "Commits", "Versions", "Memory", "Followers"][rawValue] }
  }

  /// The rows that are to be followed.
  package struct Rows: Equatable, Sendable {
    package var entity: String
    package var filter: String

    package init(entity: String, filter: String = "") { (self.entity, self.filter) = (entity, filter) }
  }

  package private(set) var tab = Tab.entities
  /// The entity whose rows are shown; nil for the list of entities.
  package private(set) var open: Rows?
  /// Grows when the rows are to be asked for again, as what refused them may be another server now.
  package private(set) var attempt = 0
  package private(set) var isOver = false
  package var state: InspectorState? {
    didSet {
      if connectionMessage != nil { attempt += 1 }
      connectionMessage = nil
    }
  }
  /// That the server does not answer, until a state comes.
  package var connectionMessage: String?
  /// What is wrong with the filter of the rows, until other rows come or another view is shown.
  private var rowsMessage: String?
  private var rows: (of: Rows, rows: [StreamRows.Row])?
  /// The filter that is being typed.
  private var typed: String?
  private var selected = 0
  private var top = 0
  /// How many columns are left out, so that there is room for those behind them.
  private var skipped = 0
  private var page = 20

  package init() {}

  /// Rows have come; those of a view that was left are ignored.
  package mutating func take(_ rows: [StreamRows.Row], of source: Rows) {
    guard source == open else { return }
    (self.rows, rowsMessage) = ((source, rows), nil)
  }

  /// The rows of a view cannot be read; of one that was left this is ignored.
  package mutating func refuse(_ message: String, of source: Rows) {
    if source == open { rowsMessage = message }
  }

  package mutating func press(_ key: Key) {
    if let text = typed { return type(key, text) }
    switch key {
    case .end, .closed, .character("q"): isOver = true
    case .tab: show(Tab(rawValue: (tab.rawValue + 1) % Tab.allCases.count) ?? .entities)
    case .backTab:
      show(Tab(rawValue: (tab.rawValue + Tab.allCases.count - 1) % Tab.allCases.count) ?? .entities)
    case .character(let digit) where ("1"..."6").contains(digit):
      show(digit.wholeNumberValue.flatMap { Tab(rawValue: $0 - 1) } ?? .entities)
    case .up, .character("k"): selected -= 1
    case .down, .character("j"): selected += 1
    case .pageUp: selected -= page
    case .pageDown, .character(" "): selected += page
    case .left, .character("h"): skipped -= 1
    case .right, .character("l"): skipped += 1
    case .home, .character("g"): selected = 0
    case .last, .character("G"): selected = .max
    case .enter where tab == .entities && open == nil:
      if let entities = state?.store.entities, entities.indices.contains(selected) {
        go(to: Rows(entity: entities[selected].name))
      }
    case .escape, .backspace: if open != nil { go(to: nil) }
    case .character("/"): if let open { typed = open.filter }
    default: break
    }
    let table = table
    selected = max(0, min(selected, table.rows.count - 1))
    skipped = max(0, min(skipped, table.columns.count - 2))
  }

  private mutating func type(_ key: Key, _ text: String) {
    switch key {
    case .closed: isOver = true
    case .end, .escape: typed = nil
    case .enter:
      typed = nil
      if let open { go(to: Rows(entity: open.entity, filter: text)) }
    case .backspace: typed = String(text.dropLast())
    case .character(let character): typed = text + String(character)
    default: break
    }
  }

  private mutating func show(_ tab: Tab) {
    (self.tab, open, selected, top, skipped, rowsMessage) = (tab, nil, 0, 0, 0, nil)
  }

  private mutating func go(to rows: Rows?) {
    // With another filter, the rows so far stay until others come.
    if rows?.entity != open?.entity { self.rows = nil }
    attempt += 1
    (open, selected, top, skipped, rowsMessage) = (rows, 0, 0, 0, nil)
  }

  private var table: TextTable {
    guard let state else { return TextTable([], []) }
    let tables = StateTables(state)
    switch tab {
    case .entities: return open.map { rowTable($0, state) } ?? tables.entities
    case .queries: return tables.queries
    case .commits: return tables.commits
    case .versions: return tables.versions
    case .memory: return tables.memory
    case .reports: return tables.reports
    }
  }

  private func rowTable(_ open: Rows, _ state: InspectorState) -> TextTable {
    let names = (state.fields[open.entity]?.names ?? []).filter { $0 != "id" }
    let shown = rows.flatMap { $0.of.entity == open.entity ? $0.rows : nil } ?? []
    return TextTable(
      [.init("id")] + names.map { .init($0) },
      shown.map { row in
        guard case .object(let members) = row.value else { return [row.key] + names.map { _ in "" } }
        return [row.key]
          + names.map { name in
            switch members[name] {
            case nil: ""
            case .string(let text)?: text
            case let value?: "\(value)"
            }
          }
      })
  }

  /// The lines of the screen, with the terminal's marks for what is bold or inverse.
  package mutating func lines(width: Int, height: Int) -> [String] {
    let head = [
      bold((state.map { StateTables($0).title } ?? "Connecting …").escapingInvisibles.fitted(to: width)),
      tabs(width), "",
    ]
    let (titles, rows) = table.lines(in: width, skipping: skipped)
    page = max(1, height - head.count - 2)
    selected = max(0, min(selected, rows.count - 1))
    top = max(0, min(max(min(top, selected), selected - page + 1), rows.count - page))
    var body = rows.isEmpty ? ["None".fitted(to: width)] : []
    for place in rows.indices.dropFirst(top).prefix(page) {
      body.append(place == selected ? inverse(rows[place]) : rows[place])
    }
    body += Array(repeating: "", count: max(0, page - body.count))
    return (head + [bold(titles)] + body + [foot.escapingInvisibles.fitted(to: width)]).prefix(height).map {
      $0
    }
  }

  private func tabs(_ width: Int) -> String {
    var (text, room) = ("", width)
    for tab in Tab.allCases {
      let title = " \(tab.rawValue + 1) \(tab.title) "
      guard title.count <= room else { break }
      text += tab == self.tab ? inverse(title) : title
      room -= title.count
    }
    return text
  }

  private var foot: String {
    if let typed { return "where \(typed)█" }
    if let message = connectionMessage ?? rowsMessage {
      guard let open, rows.map({ $0.of != open }) ?? false else { return message }
      return message + " The rows are those of the filter before."
    }
    if let open {
      return (open.filter.isEmpty ? open.entity : "\(open.entity) where \(open.filter)")
        + "   / filter   Escape back   q end"
    }
    if tab == .queries, let note = state.flatMap({ StateTables($0).noteOnQueries }) {
      return note + "   1–6 or Tab view   ↑↓←→ scroll   q end"
    }
    return "1–6 or Tab view   ↑↓←→ scroll" + (tab == .entities ? "   Return rows" : "") + "   q end"
  }

  private func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[22m" }
  private func inverse(_ text: String) -> String { "\u{1B}[7m\(text)\u{1B}[27m" }
}
