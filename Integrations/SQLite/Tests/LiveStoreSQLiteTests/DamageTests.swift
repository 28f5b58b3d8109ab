import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .serialized) struct `Damaged files` {
  /// Over how many damages a file is shared.
  private static let damagesOfFile = 100

  @Test func `a damage is found, or changes nothing, and a repair keeps what is whole`() async throws {
    var original: (number: UInt64, file: DamagedFile)?
    var outcomes: [String: Int] = [:]
    for seed in Seeds.forSuite(300, thorough: 10_000) {
      let number = seed / UInt64(Self.damagesOfFile)
      let file: DamagedFile
      if let original, original.number == number {
        file = original.file
      } else {
        file = try await DamagedFile(number)
        original = (number, file)
        try #require(file.model.count > 600 && file.bytes.count > 200_000)
      }
      var random = SplitMix64(seed: seed)
      let damage = Damage(to: file.bytes, &random)
      do {
        let outcome = try await DamageCheck(file, damage, &random).run()
        outcomes[outcome, default: 0] += 1
      } catch {
        Issue.record("seed \(seed): \(error) [\(damage.text)]")
      }
    }
    // The damages are of all kinds: harmless, repaired, and beyond repair.
    if outcomes.values.reduce(0, +) >= 200 {
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

  @Test func `an object that links to a damaged one is left out with it, and reported`() async throws {
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
    let repaired = try await Naming.linked.open(at: folder.file, .init(repair: .skipDamagedRows))
    #expect(repaired.store.fetch(Team.all).map(\.id) == ["b"])
    #expect(repaired.store.fetch(Job.all).map(\.id) == [2])
    #expect(Set(repaired.damagedRows.map(\.table)) == ["Team", "Job"])
    try await repaired.close()
  }

  @Test func `a repair keeps the order of the rows, also where pages have changed places`() async throws {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    let counts = (0..<3_000).map { Count(id: $0, value: $0) }
    try await file.write { tx in try tx.insert(counts) }
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

  @Test func `an object whose target was lost in a repair that did not name it can be left out later`()
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
    #expect(error?.code == .damaged && error?.table == "Job")
    let repaired = try await Naming.linked.open(at: folder.file, options)
    #expect(repaired.store.fetch(Job.all).map(\.id) == [2])
    #expect(repaired.damagedRows.map(\.table) == ["Job"])
    try await repaired.close()
    let again = try await Naming.linked.open(at: folder.file)
    #expect(again.store.fetch(Job.all).map(\.id) == [2])
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
    let opened = try await Naming.small.open(at: folder.file)
    #expect(opened.store.fetch(Count.all).map(\.id) == [1])
    try await opened.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file.path + "-damaged")) == damaged)
    #expect(FileManager.default.fileExists(atPath: folder.file.path + "-wal-damaged") == hasLog)
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

/// Opens and repairs a copy of a file that was damaged.
private struct DamageCheck {
  private let original: Model
  private let damage: Damage
  private let folder: Folder
  /// The entities that the repair names.
  private let naming: Naming

  init(_ file: DamagedFile, _ damage: Damage, _ random: inout SplitMix64) throws {
    (original, self.damage) = (file.model, damage)
    folder = try Folder()
    naming = random.chance(1, in: 4) ? random.pick(Naming.allCases) : .all
    try Data(damage.bytes).write(to: folder.file)
  }

  /// Returns what became of the file.
  func run() async throws -> String {
    let refusal = try await opens(naming, "opening")
    let isHarmless = refusal == nil
    if !isHarmless {
      // The file is as it was, whatever was tried.
      let bytes = [UInt8](try Data(contentsOf: folder.file))
      try require(bytes == damage.bytes, "an opening that failed has changed the file")
    }
    let repaired: StoreFile
    do {
      repaired = try await naming.open(at: folder.file, .init(repair: .skipDamagedRows))
    } catch let error as StoreFileError {
      try require(!isHarmless, "repairing fails where opening does not: \(error)")
      return "refused, \(error.code)"
    } catch {
      throw Mismatch("repairing throws \(type(of: error)) \(error)")
    }
    let missing = try kept(repaired, naming, "repaired")
    if isHarmless {
      try require(missing.isEmpty && repaired.damagedRows.isEmpty, "a repair where opening succeeds")
    } else {
      // The damaged file is kept beside the new one. Where the damage is not in a row, none may be needed.
      let kept = try? Data(contentsOf: URL(filePath: folder.file.path + "-damaged"))
      let isOld = kept == nil && repaired.damagedRows.isEmpty
      try require(
        isOld || kept.map { [UInt8]($0) } == damage.bytes,
        """
        the damaged file was \(kept == nil ? "not kept" : "changed") by a repair with damaged rows \
        \(repaired.damagedRows), missing in \(missing)
        """)
    }
    do {
      try await goOn(repaired)
    } catch {
      throw Mismatch("\(error); before the repair: \(refusal.map(\.description) ?? "harmless")")
    }
    return isHarmless ? "harmless" : "repaired"
  }

  /// Opens the file, which must be as the original, or returns why that is refused.
  private func opens(_ naming: Naming, _ place: String) async throws -> StoreFileError? {
    do {
      let file = try await naming.open(at: folder.file)
      try original.check(file.store, naming, place)
      try require(file.damagedRows.isEmpty, "\(place): \(file.damagedRows)")
      try await file.close()
      return nil
    } catch let error as StoreFileError {
      return error
    } catch let error as StoreError {
      throw Mismatch("\(place) throws StoreError \(error)")
    }
  }

  /// The tables that have lost objects; throws if a file has anything else, or does not say so.
  private func kept(_ file: StoreFile, _ naming: Naming, _ place: String) throws -> Set<String> {
    let found = Model(of: file.store.snapshot(), naming)
    try found.check(file.store, naming, place)
    let missing = try found.missing(from: original.part(naming), place)
    let reported = Set(file.damagedRows.map(\.table))
    try require(
      missing.isSubset(of: reported), "\(place): missing in \(missing), reported are \(file.damagedRows)")
    return missing
  }

  /// A repaired file is as any other, also for the entities that were not named.
  private func goOn(_ repaired: StoreFile) async throws {
    let reported = Set(repaired.damagedRows.map(\.table))
    var model = Model(of: repaired.store.snapshot(), naming)
    try await repaired.close()

    let file = try await naming.open(at: folder.file)
    try model.check(file.store, naming, "opened after the repair")
    try require(file.damagedRows.isEmpty, "opened after the repair: \(file.damagedRows)")
    if naming.hasGroups {
      try await file.write { tx in
        try tx.upsert(Group(id: -1, order: 1, rowid: "new"))
        try tx.delete(Group.where { $0.order == 2 })
      }
    } else {
      try await file.write { tx in
        try tx.upsert(Team(id: "new", name: "new"))
        try tx.update(Team.all) { $0.motto = "other" }
      }
    }
    model = Model(of: file.store.snapshot(), naming)
    try await file.close()

    let again = try await naming.open(at: folder.file)
    try model.check(again.store, naming, "written after the repair")
    try await again.close()
    if naming == .all || naming == .reversed { return }

    // The others: all there, or an error, or reported before.
    let rest: StoreFile
    do {
      rest = try await Naming.all.open(at: folder.file)
    } catch is StoreFileError {
      return
    }
    let found = Model(of: rest.store.snapshot(), .all)
    try model.checkSame(as: found.part(naming), "all entities after a repair of some")
    var others = found
    if naming.hasLinked { (others.teams, others.members) = (original.teams, original.members) }
    if naming.hasJobs { others.jobs = original.jobs }
    if naming.hasGroups { others.groups = original.groups }
    if naming.hasCounts { others.counts = original.counts }
    let missing = try others.missing(from: original, "the others after a repair")
    try require(
      missing.isSubset(of: reported),
      "missing in \(missing) after a repair of \(naming), reported are \(reported)")
    try await rest.close()
  }
}
