import CSQLite
import FaultyFiles
import Testing

/// A scenario is run again and again, and each of its calls fails once.
struct FailureTests {
  enum End: CaseIterable {
    case closing
    case unsyncedLoss
    case subsetLoss
  }

  struct Place: CustomStringConvertible {
    var call: Int
    var end: End
    var account: Scenario.Account
    /// What the connection that ran the scenario saw at its end.
    var seen: Scenario.Findings?
    /// What was there afterwards.
    var findings: Scenario.Findings

    var description: String {
      "call \(call), \(end): \(account), seen \(String(describing: seen)), \(findings)"
    }

    /// Whether all that was acknowledged is there.
    var isComplete: Bool { Set(findings.rows).isSuperset(of: account.acknowledged) }
  }

  /// The ends alternate.
  private func places(
    _ journal: String, _ failure: FaultyFiles.Failure, staysFailed: Bool
  ) async throws -> [Place] {
    let scenario = Scenario(journal: journal, synchronous: journal == "DELETE" ? "EXTRA" : "FULL")
    let folder = try TemporaryFolder()
    let path = folder.file("scenario.db")
    return try await FaultyFiles.exclusively(under: folder.path) {
      var places: [Place] = []
      while true {
        let call = places.count + 1
        try folder.removeAll()
        try FaultyFiles.install(under: folder.path)
        FaultyFiles.fail(atCall: call, failure, staysFailed: staysFailed)
        let (account, connection) = scenario.runToTheEnd(path)
        // Failures while closing are not reported, so only those before are of interest.
        if FaultyFiles.calls.failed == 0 { return places }
        let seen = staysFailed ? nil : try connection.map { try Scenario.inspect($0) }
        let end = End.allCases[call % End.allCases.count]
        switch end {
        case .closing:
          connection?.close()
          FaultyFiles.disarm()
        case .unsyncedLoss: try FaultyFiles.restart(.unsynced)
        case .subsetLoss: try FaultyFiles.restart(.subset(seed: UInt64(call)))
        }
        let findings = Scenario.inspect(path)
        places.append(Place(call: call, end: end, account: account, seen: seen, findings: findings))
      }
    }
  }

  @Test(arguments: ["WAL", "DELETE", "TRUNCATE"], [FaultyFiles.Failure.io, .full])
  func aFailureIsReportedAndThenAllIsWell(_ journal: String, _ failure: FaultyFiles.Failure) async throws {
    let places = try await places(journal, failure, staysFailed: false)
    #expect(places.count > 200)
    let code = failure == .io ? SQLITE_IOERR : SQLITE_FULL
    for place in places {
      // A failed statement, and no other one.
      #expect(place.account.errors.map(\.primaryCode) == [code], "\(place)")
      #expect(place.account.acknowledged.count >= Scenario.transactions - 1, "\(place)")
      #expect(place.seen?.isConsistent == true, "\(place)")
      #expect(place.findings.isConsistent, "\(place)")
      #expect(place.isComplete, "\(place)")
      if journal != "TRUNCATE" {
        #expect(place.seen?.rows == place.account.acknowledged, "\(place)")
      }
    }
    let codes: Set<Int32> =
      switch (failure, journal) {
      case (.full, _): [SQLITE_FULL]
      case (.io, "DELETE"): [ExtendedCode.write, ExtendedCode.sync, ExtendedCode.deletion]
      case (.io, "TRUNCATE"): [ExtendedCode.write, ExtendedCode.sync, ExtendedCode.truncation]
      case (.io, _):
        [ExtendedCode.write, ExtendedCode.sync, ExtendedCode.truncation, ExtendedCode.deletion]
      }
    #expect(Set(places.flatMap { $0.account.errors.map(\.code) }) == codes)
    if journal == "TRUNCATE", failure == .io {
      // The sync after the truncation of the journal failed: the error is reported, but the transaction is there.
      #expect(places.contains { $0.seen?.rows != $0.account.acknowledged })
    }
  }

  @Test(arguments: ["WAL", "DELETE", "TRUNCATE"], [FaultyFiles.Failure.io, .full])
  func aFailureThatStaysLosesNothing(_ journal: String, _ failure: FaultyFiles.Failure) async throws {
    let places = try await places(journal, failure, staysFailed: true)
    #expect(places.count > 200)
    for place in places {
      #expect(!place.account.errors.isEmpty, "\(place)")
      #expect(place.account.acknowledged.count < Scenario.transactions || place.account.errors.count == 1)
      #expect(place.findings.isConsistent, "\(place)")
      #expect(place.findings.hasNoGaps, "\(place)")
      #expect(place.isComplete, "\(place)")
    }
    if journal == "WAL", failure == .io {
      // A commit whose sync failed is in the log nevertheless, and a connection that opens the database later finds it.
      #expect(
        places.contains { $0.end == .closing && $0.findings.rows.count > $0.account.acknowledged.count })
    }
  }

  /// SQLite keeps the errors of automatic checkpoints, and of closing, to itself.
  @Test func someFailuresAreSilent() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.db")
    try await FaultyFiles.exclusively(under: folder.path) {
      var connection = try Connection(path)
      try connection.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 1; CREATE TABLE t (x)")
      var silent = 0
      for call in 1...8 {
        FaultyFiles.fail(atCall: call, .io, staysFailed: false)
        let isReported = connection.failure(of: "INSERT INTO t VALUES (1)") != nil
        if FaultyFiles.calls.failed == 1, !isReported { silent += 1 }
      }
      #expect(silent > 0)
      FaultyFiles.disarm()

      try connection.run("PRAGMA wal_autocheckpoint = 0; DELETE FROM t; INSERT INTO t VALUES (2)")
      FaultyFiles.fail(atCall: 1, .io, staysFailed: true)
      connection.close()
      #expect(FaultyFiles.calls.failed > 0)
      FaultyFiles.disarm()
      connection = try Connection(path)
      #expect(try connection.integers("SELECT x FROM t") == [2])
    }
  }
}
