import Foundation
import LiveStore
package import LiveStoreServer

/// What the tool shows of a state, as tables.
package struct StateTables {
  private let state: InspectorState
  private var store: StoreInspection { state.store }

  package init(_ state: InspectorState) { self.state = state }

  /// The process and its store in one line.
  package var title: String {
    let rows = store.entities.reduce(0) { $0 + $1.rows }
    return
      "\(state.process.name) (\(state.process.id))  version \(store.version)  rows \(Figures.count(rows))  "
      + "live queries \(Figures.count(store.metrics.liveQueries))  versions held \(store.metrics.versionsPinned)"
  }

  package var entities: TextTable {
    TextTable(
      [
        .init("Entity"), .init("Rows", isNumber: true), .init("Bytes, about", isNumber: true),
        .init("Properties"),
      ],
      store.entities.map { entity in
        let bytes = entity.indexes.reduce(entity.bytes) { $0 + $1.bytes }
        return [
          entity.name, Figures.count(entity.rows), Figures.bytes(bytes),
          entity.properties.map(\.name).joined(separator: ", "),
        ]
      })
  }

  /// What stands with the live queries, if some are left out.
  package var noteOnQueries: String? {
    let (listed, all) = (store.queries.count, store.metrics.liveQueries)
    guard listed < all else { return nil }
    return "The \(Figures.count(listed)) with the most rows looked at, of \(Figures.count(all))"
  }

  package var queries: TextTable {
    TextTable(
      [
        .init("Query"), .init("Made at"), .init("Results", isNumber: true),
        .init("Observers", isNumber: true), .init("Behind", isNumber: true), .init("Last event"),
        .init("Upkeep p50", isNumber: true), .init("p95", isNumber: true), .init("longest", isNumber: true),
        .init("Delivery p50", isNumber: true), .init("p95", isNumber: true),
        .init("longest", isNumber: true),
        .init("Looked at", isNumber: true), .init("Changed", isNumber: true), .init("Routed"),
      ],
      store.queries.map { query in
        let lag = query.observers.compactMap(\.lag).max() ?? 0
        let (upkeep, delivery) = (query.upkeep, query.delivery)
        return [
          query.text, Self.places(query.observers), Figures.count(query.results),
          Figures.count(query.observers.count), lag > 0 ? Figures.count(lag) : "",
          query.lastEvent.map(Self.text) ?? "",
          Figures.time(upkeep?.p50), Figures.time(upkeep?.p95), Figures.time(upkeep?.longest),
          Figures.time(delivery?.p50), Figures.time(delivery?.p95), Figures.time(delivery?.longest),
          Figures.count(query.rowsTested), Figures.count(query.rowsChanged), query.isRouted ? "yes" : "no",
        ]
      })
  }

  private static func places(_ observers: [StoreInspection.ObserverReport]) -> String {
    var places: [String] = []
    for place in observers.map({ $0.location ?? "unknown place" }) where !places.contains(place) {
      places.append(place)
    }
    guard let first = places.first else { return "" }
    return first + (places.count > 1 ? " and \(places.count - 1) more" : "")
  }

  private static func text(_ event: StoreInspection.EventReport) -> String {
    let signs = [
      (event.insertions, "+"), (event.deletions, "-"), (event.modifications, "~"), (event.moves, ">"),
    ]
    let changes = signs.filter { $0.0 > 0 }.map { "\($0.1)\($0.0)" }
    return ((changes.isEmpty ? ["first"] : changes) + ["v\(event.version)", Figures.clock(event.date)])
      .joined(separator: " ")
  }

  /// The newest first.
  package var commits: TextTable {
    TextTable(
      [
        .init("Version", isNumber: true), .init("Time"), .init("Origin"), .init("Rows", isNumber: true),
        .init("Of"), .init("Body", isNumber: true), .init("Commit", isNumber: true),
      ],
      store.commits.reversed().map { commit in
        [
          "\(commit.version)", Figures.clock(commit.date), commit.origin ?? "",
          Figures.count(commit.rows.values.reduce(0, +)),
          commit.rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
          Figures.time(commit.body), Figures.time(commit.commit),
        ]
      })
  }

  package var memory: TextTable {
    let indexes = store.entities.flatMap { entity in
      [[entity.name, "the table itself", "rows", Figures.count(entity.rows), Figures.bytes(entity.bytes)]]
        + entity.indexes.map { index in
          [
            entity.name, index.name, index.kind.rawValue + (index.isUnique ? ", unique" : ""),
            Figures.count(index.entries), Figures.bytes(index.bytes),
          ]
        }
    }
    return TextTable(
      [
        .init("Entity"), .init("Index"), .init("Lists"), .init("Entries", isNumber: true),
        .init("Bytes, about", isNumber: true),
      ], indexes)
  }

  package var versions: TextTable {
    TextTable(
      [.init("Versions held"), .init("How many", isNumber: true), .init("By")],
      store.pins.map { pin in
        [
          pin.first == pin.last ? "\(pin.first)" : "\(pin.first) to \(pin.last)", Figures.count(pin.count),
          pin.holders.map { holder in
            holder.kind.rawValue + (holder.query.map { " of query \($0)" } ?? "")
          }.joined(separator: ", "),
        ]
      })
  }

  package var reports: TextTable {
    let server = state.server
    let figures =
      [
        ["this server", "requests that wait", Figures.count(server.streams)],
        ["this server", "queries followed", Figures.count(server.queries)],
      ] + state.reports.flatMap { report in report.figures.map { [report.name, $0.name, $0.value] } }
    return TextTable([.init("Of"), .init("Figure"), .init("Value")], figures)
  }

  /// All of it, for an output that is no terminal.
  package var text: String {
    var text = title.escapingInvisibles + "\n"
    for (table, note) in [
      (entities, nil), (queries, noteOnQueries), (commits, nil), (versions, nil), (memory, nil),
      (reports, nil),
    ] where !table.rows.isEmpty {
      let (titles, rows) = table.lines(in: nil)
      if let note { text += "\n" + note + ":" }
      text += "\n" + ([titles] + rows).joined(separator: "\n") + "\n"
    }
    return text
  }
}
