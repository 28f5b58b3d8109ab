import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(120)), .serialized) struct `Damaged files` {
  /// Over how many damages a file is shared.
  private static let damagesOfFile = 100

  @Test(arguments: [false, true])
  func `a damage is found, or changes nothing, and a repair keeps what is whole`(isEncrypted: Bool)
    async throws
  {
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    var original: (number: UInt64, file: DamagedFile)?
    var outcomes: [String: Int] = [:]
    for seed in Seeds.forSuite(isEncrypted ? 100 : 200, thorough: 10_000) {
      let number = seed / UInt64(Self.damagesOfFile)
      let file: DamagedFile
      if let original, original.number == number {
        file = original.file
      } else {
        file = try await DamagedFile(number, key: key)
        original = (number, file)
        try #require(file.model.count > 600 && file.bytes.count > 200_000)
      }
      var random = SplitMix64(seed: seed)
      let damage = Damage(to: file.bytes, &random)
      do {
        let outcome = try await DamageCheck(file, damage, &random).run()
        outcomes[outcome, default: 0] += 1
      } catch {
        Issue.record("seed \(seed), encrypted \(isEncrypted): \(error) [\(damage.text)]")
      }
    }
    print(isEncrypted ? "encrypted:" : "plain:", outcomes.sorted { $0.key < $1.key })
    // The damages are of all kinds: harmless, repaired, and beyond repair.
    if outcomes.values.reduce(0, +) >= 100 {
      #expect(outcomes["harmless", default: 0] > 0 && outcomes["repaired", default: 0] > 0, "\(outcomes)")
    }
  }

  /// A copy, beside which nothing stands, and the file itself.
  @Test(arguments: [true, false], ["", "?"])
  func `a file with next to nothing in it is not taken for a new one`(isCopy: Bool, rest: String) async throws
  {
    let folder = try Folder()
    if !isCopy {
      let file = try await Naming.small.open(at: folder.file)
      try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
      try await file.close()
    }
    try Data(rest.utf8).write(to: folder.file)
    for repair in [StoreFile.Options.Repair.none, .skipDamagedRows] {
      await #expect(throws: StoreFileError.self) {
        let file = try await Naming.small.open(at: folder.file, .init(repair: repair))
        try await file.close()
      }
    }
    #expect(try Data(contentsOf: folder.file) == Data(rest.utf8))
  }

  @Test func `links to damaged objects follow their delete rules, and are reported`() async throws {
    let folder = try Folder()
    let file = try await Naming.linked.open(at: folder.file)
    let (kept, left) = (UUID(), UUID())
    try await file.write { tx in
      for name in ["a", "b"] {
        try tx.insert(Team(id: name, name: name))
        try tx.insert(Member(id: name == "a" ? left : kept, handle: name, team: Ref(name)))
      }
      try tx.insert(Job(id: 1, text: "a", owner: Ref(left), teams: ["of": "a", "with": "b"]))
      try tx.insert(
        Job(id: 2, text: "b", owner: Ref(kept), reviewers: [Ref(left), Ref(kept)], teams: ["of": "b"]))
    }
    try await file.close()
    try await DatabaseQueue(path: folder.file.path).write { db in
      try db.execute(sql: "UPDATE Team SET name = 'changed' WHERE id = 'a'")
    }
    let repaired = try await Naming.linked.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Team.all).map(\.id) == ["b"])
    #expect(repaired.store.fetch(Member.all).map(\.id) == [kept])
    let jobs = [
      Job(id: 1, text: "a", teams: ["with": "b"]),
      Job(id: 2, text: "b", owner: Ref(kept), reviewers: [Ref(kept)], teams: ["of": "b"]),
    ]
    #expect(Array(repaired.store.fetch(Job.all)) == jobs)
    let reported = repaired.damagedRows.map { "\($0.table) \($0.row ?? 0)" }.sorted()
    #expect(reported == ["Job 1", "Job 1", "Job 2", "Member 1", "Team 1"])
    #expect(repaired.damagedRows.contains { $0.description.contains("its link owner leads to \(left)") })
    try await repaired.close()
    let again = try await Naming.linked.open(at: folder.file)
    #expect(Array(again.store.fetch(Job.all)) == jobs && again.damagedRows.isEmpty)
    try await again.close()
  }

  @Test func `a repair keeps the order of the rows, also where pages have changed places`() async throws {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    let counts = (0..<3_000).map { Count(id: $0, value: $0) }
    try await file.write { tx in try tx.insert(contentsOf: counts) }
    try await file.close()
    var bytes = [UInt8](try Data(contentsOf: folder.file))
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    // The leaves of tables with rows of a few bytes: those with the most rows.
    let leaves = (1..<bytes.count / pageSize).filter { page in
      bytes[page * pageSize] == 13
        && Int(bytes[page * pageSize + 3]) << 8 | Int(bytes[page * pageSize + 4]) > 40
    }
    let (first, second) = (try #require(leaves.dropFirst(2).first), try #require(leaves.dropFirst(6).first))
    for offset in 0..<pageSize { bytes.swapAt(first * pageSize + offset, second * pageSize + offset) }
    try Data(bytes).write(to: folder.file)
    await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    let ids = repaired.store.fetch(Count.all).map(\.id)
    #expect(ids == ids.sorted() && ids.count > 2_000)
    #expect(ids.count == 3_000 || !repaired.damagedRows.isEmpty)
    try await repaired.close()
  }

  @Test func `a repair that names some entities keeps the rows of the others`() async throws {
    let folder = try Folder()
    let file = try await Naming.all.open(at: folder.file)
    try await file.write { tx in
      for id in 1...3 { try tx.insert(Count(id: id, value: id)) }
      try tx.insert(Team(id: "a", name: "a"))
    }
    try await file.close()
    try await DatabaseQueue(path: folder.file.path).write { db in
      try db.execute(sql: "UPDATE Count SET value = 7 WHERE id = 2")
    }
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Count.all).map(\.id) == [1, 3])
    #expect(repaired.damagedRows.map(\.table) == ["Count"])
    try await repaired.close()
    let again = try await Naming.all.open(at: folder.file)
    #expect(again.store.fetch(Team.all).map(\.id) == ["a"])
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 3])
    try await again.close()
  }

  @Test func `a link whose target was lost in a repair that did not name its object is removed later`()
    async throws
  {
    let folder = try Folder()
    let file = try await Naming.linked.open(at: folder.file)
    try await file.write { tx in
      for name in ["a", "b"] {
        try tx.insert(Team(id: name, name: name))
        try tx.insert(Job(id: name == "a" ? 1 : 2, text: name, teams: ["of": Ref(name)]))
      }
    }
    try await file.close()
    try await DatabaseQueue(path: folder.file.path).write { db in
      try db.execute(sql: "UPDATE Team SET name = 'changed' WHERE id = 'a'")
    }
    let options = StoreFile.Options(repair: .skipDamagedRows)
    let teams = try await StoreFile.open(at: folder.file, Team.self, Member.self, options: options)
    #expect(teams.store.fetch(Team.all).map(\.id) == ["b"])
    try await teams.close()
    let error = await #expect(throws: StoreFileError.self) { try await Naming.linked.open(at: folder.file) }
    #expect(error?.code == .damaged && error?.table == "Job" && error?.row == 1)
    let repaired = try await Naming.linked.open(at: folder.file, options)
    #expect(repaired.store.fetch(Job.all).map(\.teams.count) == [0, 1])
    #expect(repaired.damagedRows.map(\.table) == ["Job"])
    try await repaired.close()
    let again = try await Naming.linked.open(at: folder.file)
    #expect(again.store.fetch(Job.all).map(\.teams.count) == [0, 1])
    try await again.close()
  }

  @Test(arguments: [true, false])
  func `a repair that ended before its file had the name is completed by the next opening`(hasLog: Bool)
    async throws
  {
    let folder = try Folder()
    let repaired = URL(fileURLWithPath: folder.file.path + "-repaired")
    let file = try await Naming.small.open(at: repaired)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await file.close()
    let damaged = Data(repeating: 7, count: 9_000)
    try damaged.write(to: folder.file)
    if hasLog { try damaged.write(to: URL(fileURLWithPath: folder.file.path + "-wal")) }
    try noteRepaired(folder.file)
    let opened = try await Naming.small.open(at: folder.file)
    #expect(opened.store.fetch(Count.all).map(\.id) == [1])
    try await opened.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file.path + "-damaged")) == damaged)
    #expect(FileManager.default.fileExists(atPath: folder.file.path + "-damaged-wal") == hasLog)
    try StoreFile.remove(at: folder.file)
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(rest == ["app.db-repaired-owner"])
  }

  @Test func `a file whose list of free pages is damaged opens when it was repaired`() async throws {
    let folder = try Folder()
    let original = try await DamagedFile(0)
    var bytes = original.bytes
    bytes[39] ^= 1
    try Data(bytes).write(to: folder.file)
    await #expect(throws: StoreFileError.self) { try await Naming.all.open(at: folder.file) }
    let repaired = try await Naming.all.open(at: folder.file, .init(repair: .skipDamagedRows))
    try original.model.check(repaired.store, .all, "repaired")
    try await repaired.close()
    let again = try await Naming.all.open(at: folder.file)
    try original.model.check(again.store, .all, "opened again")
    try await again.close()
  }
}
