import CSQLite
import FaultyFiles
import Testing

/// What becomes of single calls.
struct FileTests {
  private static func bytes(_ letter: Character, _ count: Int) -> [UInt8] {
    Array(repeating: letter.asciiValue ?? 0, count: count)
  }

  private static let a = bytes("a", 2048)
  private static let b = bytes("b", 2048)

  /// Runs a test in a folder, with a file "f" of 2048 synced letters "a" in it.
  private func withFile(_ test: (TemporaryFolder, RawFile) throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await FaultyFiles.exclusively(under: folder.path) {
      let file = try RawFile(folder.file("f"))
      try file.write(Self.a)
      try file.sync()
      try test(folder, file)
    }
  }

  /// What is in the file "f" after changes and a power loss with each of many seeds.
  private func outcomes(
    _ loss: @escaping (UInt64) -> FaultyFiles.Loss, of change: (RawFile) throws -> Void
  ) async throws -> [[UInt8]] {
    var outcomes: [[UInt8]] = []
    for seed in 1...200 as ClosedRange<UInt64> {
      try await withFile { folder, file in
        try change(file)
        try FaultyFiles.restart(loss(seed))
        outcomes.append(folder.bytes(of: "f") ?? [])
      }
    }
    return outcomes
  }

  /// The letters of the sectors; "?" for one with several letters.
  private func sectors(_ bytes: [UInt8]) -> String {
    String(
      stride(from: 0, to: bytes.count, by: 512).map { start in
        let letters = Set(bytes[start..<min(start + 512, bytes.count)])
        return letters.count == 1 ? Character(UnicodeScalar(letters.first ?? 0)) : "?"
      })
  }

  @Test func whatWasSyncedStays() async throws {
    try await withFile { folder, file in
      try file.write(Self.b)
      #expect(folder.bytes(of: "f") == Self.b)
      try file.truncate(to: 100)
      try file.write(Self.b, at: 4000)
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == Self.a)
    }
    try await withFile { folder, file in
      try file.write(Self.b)
      try file.truncate(to: 100)
      try file.sync()
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == Array(Self.b.prefix(100)))
    }
  }

  @Test func aPrefixKeepsTheOrder() async throws {
    let outcomes = try await outcomes({ .prefix(seed: $0) }) { file in
      try file.write(Self.bytes("b", 512), at: 1024)
      try file.write(Self.bytes("c", 512), at: 0)
      try file.truncate(to: 1536)
      try file.write(Self.bytes("d", 1536), at: 512)
    }
    #expect(Set(outcomes.map(sectors)) == ["aaaa", "aaba", "caba", "cab", "cdb", "cdd", "cddd"])
  }

  @Test func aSubsetKeepsAnything() async throws {
    let outcomes = try await outcomes({ .subset(seed: $0) }) { file in
      try file.write(Self.bytes("b", 512), at: 0)
      try file.write(Self.bytes("c", 512), at: 512)
      try file.truncate(to: 1536)
    }
    #expect(
      Set(outcomes.map(sectors)) == ["aaaa", "baaa", "acaa", "bcaa", "aaa", "baa", "aca", "bca"])
  }

  @Test func writesTearBetweenSectors() async throws {
    let outcomes = try await outcomes({ .subset(seed: $0) }) { try $0.write(Self.b) }
    #expect(
      Set(outcomes.map(sectors)) == ["aaaa", "bbbb", "baaa", "bbaa", "bbba", "abbb", "aabb", "aaab"])
    // Sectors are those of the file, not of the write.
    let unaligned = try await self.outcomes({ .subset(seed: $0) }) {
      try $0.write(Self.bytes("b", 600), at: 300)
    }
    #expect(Set(unaligned.map(sectors)) == ["aaaa", "??aa", "?aaa", "a?aa"])
  }

  /// The same at the level of a database: a page with a part of what was written.
  @Test func pagesTear() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.db")
    var torn = 0
    try await FaultyFiles.exclusively(under: folder.path) {
      for seed in 1...20 as ClosedRange<UInt64> {
        try folder.removeAll()
        try FaultyFiles.install(under: folder.path)
        let connection = try Connection(path)
        try connection.run(
          """
          PRAGMA page_size = 4096;
          PRAGMA journal_mode = OFF;
          CREATE TABLE t (x);
          INSERT INTO t VALUES (replace(hex(zeroblob(50000)), '00', 'x'));
          PRAGMA synchronous = OFF;
          UPDATE t SET x = replace(x, 'x', 'y')
          """)
        let remains = try FaultyFiles.restart(.subset(seed: seed))
        let bytes = try #require(folder.bytes(of: "a.db"))
        func has(_ letter: Character, _ range: Range<Int>) -> Bool {
          // Other bytes of a page are few.
          bytes[range].count { $0 == letter.asciiValue } > 100
        }
        for sector in stride(from: 0, to: bytes.count, by: 512) {
          #expect(!has("x", sector..<(sector + 512)) || !has("y", sector..<(sector + 512)))
        }
        let pages = stride(from: 0, to: bytes.count, by: 4096)
          .count { has("x", $0..<($0 + 4096)) && has("y", $0..<($0 + 4096)) }
        #expect(pages <= remains.torn)
        torn += pages
      }
    }
    #expect(torn > 0)
  }

  @Test func aFailedSyncIsNotMadeUpForByALaterOne() async throws {
    try await withFile { folder, file in
      try file.write(Self.b)
      FaultyFiles.fail(atCall: 1, .io, staysFailed: false)
      #expect(throws: RawFile.Failure(code: ExtendedCode.sync)) { try file.sync() }
      try file.write(Self.bytes("c", 512), at: 512)
      try file.sync()
      #expect(sectors(try file.read(2048)) == "bcbb")
      try FaultyFiles.restart(.unsynced)
      #expect(sectors(folder.bytes(of: "f") ?? []) == "acaa")
    }
    // Even if the older write reaches the disk it does not undo the newer one.
    let outcomes = try await outcomes({ .subset(seed: $0) }) { file in
      try file.write(Self.b)
      FaultyFiles.fail(atCall: 1, .io, staysFailed: false)
      try? file.sync()
      try file.write(Self.bytes("c", 512), at: 512)
      try file.sync()
    }
    #expect(
      Set(outcomes.map(sectors)) == ["acaa", "bcbb", "bcaa", "bcba", "acbb", "acab"])
  }

  @Test func aFullDiskTakesHalfAWrite() async throws {
    try await withFile { folder, file in
      FaultyFiles.fail(atCall: 1, .full, staysFailed: false)
      try file.sync()
      #expect(throws: RawFile.Failure(code: SQLITE_FULL)) { try file.write(Self.b) }
      #expect(sectors(try file.read(2048)) == "bbaa")
      try file.sync()
      try FaultyFiles.restart(.unsynced)
      #expect(sectors(folder.bytes(of: "f") ?? []) == "bbaa")
    }
  }

  @Test func failuresFitTheCalls() async throws {
    try await withFile { folder, file in
      FaultyFiles.fail(atCall: 2, .io, staysFailed: true)
      try file.write(Self.a)
      #expect(throws: RawFile.Failure(code: ExtendedCode.write)) { try file.write(Self.b) }
      #expect(throws: RawFile.Failure(code: ExtendedCode.sync)) { try file.sync() }
      #expect(throws: RawFile.Failure(code: ExtendedCode.truncation)) { try file.truncate(to: 0) }
      #expect(throws: RawFile.Failure(code: ExtendedCode.deletion)) {
        try RawFile.delete(folder.file("f"), syncingFolder: true)
      }
      #expect(throws: RawFile.Failure(code: ExtendedCode.nothingToDelete)) {
        try RawFile.delete(folder.file("none"), syncingFolder: true)
      }
      let calls = FaultyFiles.calls
      #expect((calls.writes, calls.syncs, calls.truncations, calls.deletions) == (2, 1, 1, 1))
      #expect(calls.failed == 4)
      FaultyFiles.disarm()
      #expect(FaultyFiles.calls.total == 5)
      #expect(try file.read(2048) == Self.a)
      try file.sync()
      FaultyFiles.losePower(atCall: 2)
      #expect(FaultyFiles.calls.total == 0)
      try file.write(Self.b)
      #expect(!FaultyFiles.hasLostPower)
      #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.sync() }
      #expect(FaultyFiles.hasLostPower)
      #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.read(2048) }
      #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try RawFile(folder.file("g")) }
    }
  }

  @Test func filesFromBeforeStayDead() async throws {
    try await withFile { folder, file in
      let other = try RawFile(folder.file("g"))
      try FaultyFiles.restart(.unsynced)
      for file in [file, other] {
        #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.write(Self.b) }
        #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.truncate(to: 0) }
        #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.sync() }
        #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try file.read(2048) }
      }
      #expect(FaultyFiles.calls.total == 0)
      #expect(folder.bytes(of: "f") == Self.a)
      #expect(folder.bytes(of: "g") == nil)

      let new = try RawFile(folder.file("f"))
      #expect(try new.read(2048) == Self.a)
      try FaultyFiles.install(under: folder.path)
      #expect(throws: RawFile.Failure(code: SQLITE_IOERR)) { try new.write(Self.b) }
    }
  }

  @Test func aFileThatWasNeverSyncedCanBeGone() async throws {
    var found: Set<Bool> = []
    for seed in 0...40 as ClosedRange<UInt64> {
      try await withFile { folder, _ in
        let file = try RawFile(folder.file("g"))
        try file.write(Self.b)
        try FaultyFiles.restart(seed == 0 ? .unsynced : .subset(seed: seed))
        if seed == 0 { #expect(folder.bytes(of: "g") == nil) }
        found.insert(folder.bytes(of: "g") != nil)
      }
    }
    #expect(found == [true, false])
    try await withFile { folder, _ in
      let file = try RawFile(folder.file("g"))
      try file.sync()
      try file.write(Self.b)
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "g") == [])
    }
  }

  @Test func aDeletedFileCanComeBack() async throws {
    var found: Set<Bool> = []
    for seed in 0...40 as ClosedRange<UInt64> {
      try await withFile { folder, file in
        try RawFile.delete(folder.file("f"), syncingFolder: false)
        #expect(folder.bytes(of: "f") == nil)
        try FaultyFiles.restart(seed == 0 ? .unsynced : .subset(seed: seed))
        if seed == 0 { #expect(folder.bytes(of: "f") == Self.a) }
        found.insert(folder.bytes(of: "f") != nil)
      }
    }
    #expect(found == [true, false])
  }

  @Test func aSyncedFolderForgetsDeletedFiles() async throws {
    try await withFile { folder, _ in
      try RawFile.delete(folder.file("f"), syncingFolder: true)
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == nil)
    }
    // The first sync of a journal syncs the folder; that of a database does not.
    try await withFile { folder, _ in
      try folder.write([], to: "g")
      try RawFile.delete(folder.file("f"), syncingFolder: false)
      try RawFile(folder.file("g-journal"), .journal).sync()
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == nil)
    }
    try await withFile { folder, _ in
      try RawFile.delete(folder.file("f"), syncingFolder: false)
      try RawFile(folder.file("g")).sync()
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == Self.a)
    }
  }

  /// A file created again in the place of a deleted one has nothing of it.
  @Test func aFileCanTakeTheNameOfADeletedOne() async throws {
    var found: Set<String> = []
    for seed in 1...60 as ClosedRange<UInt64> {
      try await withFile { folder, _ in
        try RawFile.delete(folder.file("f"), syncingFolder: false)
        let file = try RawFile(folder.file("f"))
        try file.write(Self.bytes("b", 512), at: 0)
        try FaultyFiles.restart(.subset(seed: seed))
        found.insert(folder.bytes(of: "f").map(sectors) ?? "none")
      }
    }
    #expect(found == ["aaaa", "none", "", "b"])
  }

  @Test func whatOtherCodeDoesIsNoticedAtTheNextOpening() async throws {
    let folder = try TemporaryFolder()
    try await FaultyFiles.exclusively(under: folder.path) {
      func change() throws {
        let file = try RawFile(folder.file("f"))
        try file.write(Self.b)
      }
      try change()
      try folder.write(Self.a, to: "f")
      try change()
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == Self.a)

      try change()
      try folder.removeAll()
      try change()
      try FaultyFiles.restart(.unsynced)
      #expect(folder.bytes(of: "f") == Self.a)
    }
  }

  @Test func testsTakeTurns() async throws {
    let folder = try TemporaryFolder()
    try await withThrowingTaskGroup { group in
      for name in ["a", "b", "c", "d", "e"] {
        let inner = try folder.makeFolder(name)
        group.addTask {
          try await FaultyFiles.exclusively(under: inner) {
            let connection = try Connection(inner + "/a.db")
            FaultyFiles.fail(atCall: 1, .io, staysFailed: true)
            for _ in 1...10 {
              await Task.yield()
              #expect(throws: Connection.Failure.self) { try connection.run("CREATE TABLE t (x)") }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
