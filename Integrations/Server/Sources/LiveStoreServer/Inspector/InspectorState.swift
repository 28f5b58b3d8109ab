package import Foundation
package import LiveStore

/// What the inspector shows beside rows, as one JSON object; its members are listed in the article
/// InspectARunningStore.
package struct InspectorState: Codable, Sendable, Hashable {
  /// The process that has the store.
  package struct Process: Codable, Sendable, Hashable {
    package var name: String
    package var id: Int32

    package init(name: String, id: Int32) { (self.name, self.id) = (name, id) }
  }

  /// The streams of the server.
  package struct Server: Codable, Sendable, Hashable {
    /// How many requests wait for changes.
    package var streams: Int
    /// How many requests read a whole result.
    package var readers: Int
    /// How many different queries are followed.
    package var queries: Int

    package init(streams: Int, readers: Int, queries: Int) {
      (self.streams, self.readers, self.queries) = (streams, readers, queries)
    }
  }

  /// What the rows of an entity have.
  package struct Fields: Codable, Sendable, Hashable {
    package var names: [String]
    /// The fields whose values have no JSON form, and are descriptions.
    package var described: [String]

    package init(names: [String], described: [String]) { (self.names, self.described) = (names, described) }
  }

  /// The figures of something beside the store.
  package struct Report: Codable, Sendable, Hashable {
    package struct Figure: Codable, Sendable, Hashable {
      package var name: String
      package var value: String

      package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package var name: String
    package var figures: [Figure]

    package init(name: String, figures: [Figure]) { (self.name, self.figures) = (name, figures) }
  }

  package var process: Process
  package var server: Server
  package var store: StoreInspection
  /// By entity.
  package var fields: [String: Fields]
  package var reports: [Report]

  package init(
    process: Process, server: Server, store: StoreInspection, fields: [String: Fields], reports: [Report]
  ) {
    (self.process, self.server, self.store) = (process, server, store)
    (self.fields, self.reports) = (fields, reports)
  }

  /// A state as it is read from JSON.
  package init(_ text: some DataProtocol) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    self = try decoder.decode(InspectorState.self, from: Data(text))
  }

  /// The state as JSON, with dates as milliseconds.
  package func text() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .millisecondsSince1970
    return try encoder.encode(self)
  }
}

extension InspectorState {
  /// The state of now.
  init(
    _ store: Store, _ fields: [String: Fields], _ inspector: StoreInspector, _ server: ServerState
  ) {
    let process = ProcessInfo.processInfo
    var inspection = store.inspection
    inspection.limit()
    self.init(
      process: Process(name: process.processName, id: process.processIdentifier),
      server: Server(streams: server.streamCount, readers: server.readerCount, queries: server.hubCount),
      store: inspection, fields: fields,
      reports: inspector.reporters.map { reporter in
        Report(
          name: reporter.name,
          figures: reporter.figures().map {
            Report.Figure(name: $0.key.limited, value: $0.value.limited)
          })
      })
  }
}

extension StoreInspection {
  /// Leaves out what no reader can take in, so that a state has a size that can be sent some times a second: of live queries
  /// those for which the fewest rows were tested, of versions the newest, since those that leak are old.
  package mutating func limit(to limit: Int = 1_000) {
    if queries.count > limit {
      let shown = Set(queries.sorted { $0.rowsTested > $1.rowsTested }.prefix(limit).map(\.number))
      queries.removeAll { !shown.contains($0.number) }
    }
    // In all ten times as many observers, and at least one of each query.
    let observers = queries.reduce(0) { $0 + $1.observers.count }
    let share = observers > 10 * limit ? max(1, 10 * limit / queries.count) : .max
    for index in queries.indices {
      queries[index].text = queries[index].text.limited
      queries[index].observers = queries[index].observers.prefix(share).map(\.limited)
    }
    commitObservers = commitObservers.prefix(limit).map(\.limited)
    for index in commits.indices { commits[index].origin = commits[index].origin?.limited }
    metrics.lags = Array(metrics.lags.prefix(limit))
    pins = Array(pins.prefix(limit))
    for index in pins.indices { pins[index].holders = Array(pins[index].holders.prefix(20)) }
  }
}

extension StoreInspection.ObserverReport {
  /// The observer with texts and lists of a length that is bounded. One that a stream of the server has made is named so.
  fileprivate var limited: Self {
    var observer = self
    observer.excludedOrigins = excludedOrigins.prefix(20).map(\.limited)
    observer.location =
      location?.hasPrefix("StreamSource.swift:") == true ? "a stream of this server" : location?.limited
    return observer
  }
}

extension String {
  /// The text, or what a reader takes in of it.
  fileprivate var limited: String {
    let start = unicodeScalars.prefix(2_001)
    return start.count > 2_000 ? String(start.dropLast()) + "…" : self
  }
}
