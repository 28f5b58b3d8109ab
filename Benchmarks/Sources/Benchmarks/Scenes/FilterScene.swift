import Foundation
import LiveStore

/// Counting the rows that a filter passes, without an index: the loop is the floor, `#Predicate` what Foundation has.
enum FilterScene {
  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows() {
      let rows = Wide.many(count)
      let scan = Scan(session, rows, try snapshot(rows), try WideSQLite(rows))
      try await numbers(scan)
      try await texts(scan)
    }
  }

  // Each loop is written out, so that its condition is compiled into it.

  private static func numbers(_ scan: Scan) async throws {
    try await scan.compare(
      "Int, half match", Wide.where { $0.score < 500_000 }, #Predicate { $0.score < 500_000 },
      "score < 500000"
    ) { rows in
      var matches = 0
      for row in rows where row.score < 500_000 { matches += 1 }
      return matches
    }
    try await scan.compare(
      "Int, one in a thousand", Wide.where { $0.score < 1_000 }, #Predicate { $0.score < 1_000 },
      "score < 1000"
    ) { rows in
      var matches = 0
      for row in rows where row.score < 1_000 { matches += 1 }
      return matches
    }
    try await scan.compare(
      "Double", Wide.where { $0.price < 5_000 }, #Predicate { $0.price < 5_000 }, "price < 5000"
    ) { rows in
      var matches = 0
      for row in rows where row.price < 5_000 { matches += 1 }
      return matches
    }
    try await scan.compare("Bool", Wide.where { $0.isOpen }, #Predicate { $0.isOpen }, "isOpen") { rows in
      var matches = 0
      for row in rows where row.isOpen { matches += 1 }
      return matches
    }
    try await scan.compare(
      "optional Int", Wide.where { $0.rating == 3 }, #Predicate { $0.rating == 3 }, "rating = 3"
    ) { rows in
      var matches = 0
      for row in rows where row.rating == 3 { matches += 1 }
      return matches
    }
    try await scan.compare("enum", Wide.where { $0.status == .open }, nil, "status = 'open'") { rows in
      var matches = 0
      for row in rows where row.status == .open { matches += 1 }
      return matches
    }
  }

  private static func texts(_ scan: Scan) async throws {
    try await scan.compare(
      "String ==", Wide.where { $0.city == "Dresden" }, #Predicate { $0.city == "Dresden" },
      "city = 'Dresden'"
    ) { rows in
      var matches = 0
      for row in rows where row.city == "Dresden" { matches += 1 }
      return matches
    }
    try await scan.compare(
      "String prefix", Wide.where { $0.city.beginsWith("Frank") },
      #Predicate { $0.city.starts(with: "Frank") }, "city GLOB 'Frank*'"
    ) { rows in
      var matches = 0
      for row in rows where row.city.hasPrefix("Frank") { matches += 1 }
      return matches
    }
    try await scan.compare(
      "String contains", Wide.where { $0.name.contains(", 99") }, nil, "name GLOB '*, 99*'"
    ) { rows in
      var matches = 0
      for row in rows where row.name.contains(", 99") { matches += 1 }
      return matches
    }
    try await scan.compare(
      "Int and Bool", Wide.where { $0.score < 500_000 && $0.isOpen },
      #Predicate { $0.score < 500_000 && $0.isOpen }, "score < 500000 AND isOpen"
    ) { rows in
      var matches = 0
      for row in rows where row.score < 500_000 && row.isOpen { matches += 1 }
      return matches
    }
    try await scan.compare(
      "Int or String", Wide.where { $0.score < 1_000 || $0.city == "Gotha" },
      #Predicate { $0.score < 1_000 || $0.city == "Gotha" }, "score < 1000 OR city = 'Gotha'"
    ) { rows in
      var matches = 0
      for row in rows where row.score < 1_000 || row.city == "Gotha" { matches += 1 }
      return matches
    }
  }

  private static func snapshot(_ rows: [Wide]) throws -> Snapshot {
    let store = try Store(Wide.self)
    try insert(rows, into: store)
    return store.snapshot()
  }
}

/// The same rows in each place where they are counted.
private struct Scan {
  private let session: Session
  private let rows: [Wide]
  private let snapshot: Snapshot
  private let sqlite: WideSQLite

  init(_ session: Session, _ rows: [Wide], _ snapshot: Snapshot, _ sqlite: WideSQLite) {
    (self.session, self.rows, self.snapshot, self.sqlite) = (session, rows, snapshot, sqlite)
  }

  func compare(
    _ name: String, _ query: Query<Wide>, _ predicate: Predicate<Wide>?, _ sql: String,
    _ loop: @escaping ([Wide]) -> Int
  ) async throws {
    let expected = loop(rows)
    guard snapshot.count(query) == expected, try sqlite.count(sql) == expected else {
      throw ScanFailure(name: name)
    }
    let (rows, snapshot, sqlite) = (rows, snapshot, sqlite)
    var contestants = [
      Contestant("LiveStore") { watch in blackHole(watch.time(rows.count) { snapshot.count(query) }) },
      Contestant("loop") { watch in blackHole(watch.time(rows.count) { loop(rows) }) },
    ]
    if let predicate {
      contestants.append(
        Contestant("#Predicate") { watch in
          blackHole(try watch.time(rows.count) { try rows.count { try predicate.evaluate($0) } })
        })
    }
    contestants.append(
      Contestant("GRDB") { watch in blackHole(try watch.time(rows.count) { try sqlite.count(sql) }) })
    try await session.race(
      "count by \(name), a row", rows: rows.count, runs: min(session.runs, 5), contestants)
  }
}

struct ScanFailure: Error { let name: String }
