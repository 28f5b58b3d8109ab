import FaultyFiles
import Testing

/// A careful writer keeps its promises wherever the power goes; a careless one does not.
///
/// A scenario is run again and again, and the power goes at each of its calls, with several losses each.
struct PowerLossTests {
  /// What the restarts left.
  struct Tally {
    /// At how many calls the power went.
    var calls = 0
    var restarts = 0
    /// Those after which the database was not sound.
    var unsound: [String] = []
    /// Those after which acknowledged transactions were missing from a sound database.
    var forgetful: [String] = []
    /// Of these, those in which nothing was kept that had not been synced.
    var forgetfulUnsynced = 0
    /// The most transactions that were missing.
    var mostForgotten = 0
    /// Those in which a write was torn.
    var torn = 0
  }

  private func tally(
    _ journal: String, _ synchronous: String, prefixes: UInt64 = 1, subsets: UInt64 = 2
  ) async throws -> Tally {
    let scenario = Scenario(journal: journal, synchronous: synchronous)
    let folder = try TemporaryFolder()
    return try await FaultyFiles.exclusively(under: folder.path) {
      var tally = Tally()
      while true {
        let call = tally.calls + 1
        let seeds = UInt64(call) * 1000
        let losses =
          [.unsynced] + (0..<prefixes).map { FaultyFiles.Loss.prefix(seed: seeds + $0) }
          + (0..<subsets).map { .subset(seed: seeds + $0) }
        for loss in losses {
          try folder.removeAll()
          try FaultyFiles.install(under: folder.path)
          FaultyFiles.losePower(atCall: call)
          let account = scenario.runUntilError(folder.file("scenario.db"))
          guard FaultyFiles.hasLostPower else {
            #expect(account.acknowledged.count == Scenario.transactions)
            return tally
          }
          let remains = try FaultyFiles.restart(loss)
          let findings = Scenario.inspect(folder.file("scenario.db"))

          let place = "call \(call), \(loss): \(account), \(findings)"
          tally.restarts += 1
          if remains.torn > 0 { tally.torn += 1 }
          guard findings.isConsistent, findings.hasNoGaps else {
            tally.unsound.append(place)
            continue
          }
          // The transaction during which the power went may be there.
          #expect(findings.rows.count <= account.acknowledged.count + 1, "\(place)")
          let forgotten = account.acknowledged.count - findings.rows.count
          if forgotten > 0 {
            tally.forgetful.append(place)
            if loss == .unsynced { tally.forgetfulUnsynced += 1 }
            tally.mostForgotten = max(tally.mostForgotten, forgotten)
          }
        }
        tally.calls += 1
      }
    }
  }

  @Test func aFullySynchronousLogForgetsNothing() async throws {
    let tally = try await tally("WAL", "FULL", prefixes: 2, subsets: 3)
    #expect(tally.calls > 200)
    #expect(tally.torn > tally.restarts / 10)
    #expect(tally.unsound.first == nil)
    #expect(tally.forgetful.first == nil)
  }

  /// Only checkpoints sync: what was committed since the last one can be lost, but in order and whole.
  @Test func aNormallySynchronousLogForgetsButStaysSound() async throws {
    let tally = try await tally("WAL", "NORMAL")
    #expect(tally.unsound.first == nil)
    #expect(tally.forgetfulUnsynced > tally.calls / 10)
  }

  @Test func anUnsynchronisedLogForgetsEverythingAndBreaks() async throws {
    let tally = try await tally("WAL", "OFF", prefixes: 0, subsets: 2)
    #expect(tally.forgetfulUnsynced > tally.calls / 2)
    #expect(tally.mostForgotten == Scenario.transactions)
    #expect(!tally.unsound.isEmpty)
  }

  /// With the journal deleted, only EXTRA syncs the directory.
  @Test(arguments: [("DELETE", "EXTRA"), ("TRUNCATE", "FULL"), ("PERSIST", "FULL")])
  func aCarefulJournalForgetsNothing(_ journal: String, _ synchronous: String) async throws {
    let tally = try await tally(journal, synchronous, subsets: 1)
    #expect(tally.calls > 200)
    #expect(tally.torn > tally.restarts / 10)
    #expect(tally.unsound.first == nil)
    #expect(tally.forgetful.first == nil)
  }

  /// A deleted journal can come back and roll back the transaction that deleted it, though it was acknowledged.
  @Test func aDeletedJournalCanTakeTheLastTransactionWithIt() async throws {
    let tally = try await tally("DELETE", "FULL")
    #expect(tally.unsound.first == nil)
    #expect(tally.forgetfulUnsynced > tally.calls / 10)
    #expect(tally.mostForgotten == 1)
  }

  @Test func aJournalInMemoryBreaks() async throws {
    let tally = try await tally("MEMORY", "FULL")
    #expect(tally.unsound.count > tally.restarts / 10)
  }

  @Test func anUnsynchronisedJournalForgetsAndBreaks() async throws {
    let tally = try await tally("DELETE", "OFF", prefixes: 0, subsets: 1)
    #expect(tally.forgetfulUnsynced > tally.calls / 2)
    #expect(!tally.unsound.isEmpty)
  }

  /// Connections that were not closed neither hold locks nor reach the new files.
  @Test func connectionsFromBeforeDoNoHarm() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.db")
    try await FaultyFiles.exclusively(under: folder.path) {
      let old = try Connection(path)
      try old.run("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
      try old.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
      FaultyFiles.losePowerNow()
      #expect(throws: Connection.Failure.self) { try old.run("COMMIT") }
      #expect(throws: Connection.Failure.self) { _ = try Connection(path).texts("SELECT x FROM t") }
      #expect(folder.bytes(of: "a.db-shm") != nil)
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "a.db-shm") == nil)

      let new = try Connection(path)
      try new.run("INSERT INTO t VALUES (3)")
      #expect(throws: Connection.Failure.self) { try old.run("INSERT INTO t VALUES (4)") }
      #expect(throws: Connection.Failure.self) { _ = try old.integers("SELECT x FROM t") }
      old.close()
      try new.run("INSERT INTO t VALUES (5)")
      new.close()
      #expect(try Connection(path).integers("SELECT x FROM t") == [1, 3, 5])
    }
  }

  @Test func writersOnSeveralThreadsLoseNothing() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.db")
    try await FaultyFiles.exclusively(under: folder.path) {
      for seed in 1...10 as ClosedRange<UInt64> {
        try folder.removeAll()
        try FaultyFiles.install(under: folder.path)
        try Connection(path).run("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        FaultyFiles.losePower(atCall: Int(seed) * 37)
        let acknowledged = await withTaskGroup(of: [Int].self) { group in
          for writer in 1...4 {
            group.addTask {
              var acknowledged: [Int] = []
              guard let connection = try? Connection(path) else { return [] }
              _ = connection.failure(of: "PRAGMA busy_timeout = 10000; PRAGMA wal_autocheckpoint = 10")
              var number = writer * 10_000
              while connection.failure(of: "INSERT INTO t VALUES (\(number))") == nil {
                acknowledged.append(number)
                number += 1
              }
              return acknowledged
            }
          }
          return await group.reduce([], +)
        }
        #expect(FaultyFiles.hasLostPower)
        try FaultyFiles.restart(.subset(seed: seed))
        let connection = try Connection(path)
        #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
        let found = try connection.integers("SELECT x FROM t")
        #expect(Set(found).isSuperset(of: acknowledged))
        #expect(found.count <= acknowledged.count + 1)
      }
    }
  }

  @Test func otherFoldersAreLeftAlone() async throws {
    let folder = try TemporaryFolder()
    let inside = try folder.makeFolder("a")
    // Its path begins with the other's.
    _ = try folder.makeFolder("ab")
    try await FaultyFiles.exclusively(under: inside) {
      FaultyFiles.losePower(atCall: 1)
      FaultyFiles.fail(atCall: 1, .io, staysFailed: true)
      let other = try Connection(folder.file("ab/other.db"))
      try other.run("PRAGMA synchronous = OFF; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
      #expect(FaultyFiles.calls.total == 0)
      #expect(!FaultyFiles.hasLostPower)

      FaultyFiles.losePowerNow()
      #expect(throws: Connection.Failure.self) { try Connection(inside + "/a.db").run("CREATE TABLE t (x)") }
      try other.run("INSERT INTO t VALUES (2)")
      try FaultyFiles.restart(.unsynced)
      try other.run("INSERT INTO t VALUES (3)")
      #expect(try other.integers("SELECT x FROM t") == [1, 2, 3])
      other.close()
      #expect(try Connection(folder.file("ab/other.db")).integers("SELECT x FROM t") == [1, 2, 3])
    }
  }
}
