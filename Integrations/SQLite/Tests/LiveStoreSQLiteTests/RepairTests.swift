import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Synchronization
import SQLiteTestSupport
import Testing

/// An id that counts what is done with it, and shows nothing of itself.
private struct Mark: Hashable, Codable, Sendable, CustomStringConvertible {
  let number: Int
  var description: String { "mark" }

  static let work = Atomic(0)

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    Self.work.add(1, ordering: .relaxed)
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  func hash(into hasher: inout Hasher) {
    Self.work.add(1, ordering: .relaxed)
    hasher.combine(number)
  }

  static func == (left: Mark, right: Mark) -> Bool {
    Self.work.add(1, ordering: .relaxed)
    return left.number == right.number
  }
}

private struct Target: Entity, Codable, Equatable {
  let id: Mark
  var name: String
  static let schema = Schema<Target> { \.name }
}

private struct Holder: Entity, Codable, Equatable {
  let id: Mark
  var target: Ref<Target>?
  var bound: Ref<Target>?
  static let schema = Schema<Holder> {
    Relation(\.target)
    Relation(\.bound, onDelete: .cascade)
  }
}

@Suite(.serialized) struct `Repairs` {
  private static let repairing = StoreFile.Options(repair: .skipDamagedRows)

  /// Changes the file behind the back of its checksums.
  private func change(_ file: URL, _ sql: String) async throws {
    let queue = try DatabaseQueue(path: file.path)
    try await queue.write { db in try db.execute(sql: sql) }
    try queue.close()
  }

  private func open(_ file: URL, _ options: StoreFile.Options = .init()) async throws -> StoreFile {
    try await StoreFile.open(at: file, Target.self, Holder.self, options: options)
  }

  @Test func `an id is told from another that is shown by the same text`() async throws {
    let folder = try Folder()
    let file = try await open(folder.file)
    try await file.write { tx in
      for number in 1...4 {
        try tx.insert(Target(id: Mark(number), name: "\(number)"))
        try tx.insert(Holder(id: Mark(number), target: Ref(Mark(number)), bound: Ref(Mark(5 - number))))
      }
    }
    try await file.close()
    try await change(folder.file, "UPDATE Target SET name = 'changed' WHERE id = 3")
    let repaired = try await open(folder.file, Self.repairing)
    let holders = repaired.store.fetch(Holder.all)
    #expect(holders.map(\.id.number) == [1, 3, 4])
    #expect(holders.map { $0.target?.id.number } == [1, nil, 4])
    try await repaired.close()
  }

  /// Each violation once had all objects inserted again, and the row looked for from the first on.
  @Test func `the work of a repair grows as the rows and links that are lost`() async throws {
    func work(_ count: Int) async throws -> Int {
      let folder = try Folder()
      let file = try await open(folder.file)
      try await file.write { tx in
        for number in 0..<count {
          try tx.insert(Target(id: Mark(number), name: "\(number)"))
          try tx.insert(
            Holder(
              id: Mark(number), target: Ref(Mark(number)), bound: number % 3 == 0 ? Ref(Mark(number)) : nil))
        }
      }
      try await file.close()
      try await change(folder.file, "UPDATE Target SET name = 'changed' WHERE id % 2 = 0")
      Mark.work.store(0, ordering: .relaxed)
      let repaired = try await open(folder.file, Self.repairing)
      let work = Mark.work.load(ordering: .relaxed)
      #expect(repaired.store.fetch(Holder.all).count == count - (count + 5) / 6)
      try await repaired.close()
      return work
    }
    let (small, large) = (try await work(300), try await work(3_000))
    #expect(small < 300 * 60 && large < 3_000 * 60, "\(small) for 300, \(large) for 3,000")
  }

  @Test func `a page whose rows are linked by hundreds of thousands of objects is repaired`() async throws {
    let folder = try Folder()
    let count = Environment.size(20_000, thorough: 1_000_000)
    let file = try await Naming.linked.open(at: folder.file)
    let ids = (0..<1_000).map { _ in UUID() }
    try await file.write { tx in
      try tx.insert(contentsOf: ids.enumerated().map { Member(id: $1, handle: "member \($0);") })
      try tx.insert(contentsOf: (0..<count).map { Job(id: $0, text: "job", owner: Ref(ids[$0 % 1_000])) })
    }
    try await file.close()
    let lost = try zeroPages(of: folder.file, with: "member ", [900])
    let start = ContinuousClock.now
    let repaired = try await Naming.linked.open(at: folder.file, Self.repairing)
    let members = Set(repaired.store.fetch(Member.all).map(\.id))
    print("repaired \(count) objects, \(repaired.damagedRows.count) damaged, in", ContinuousClock.now - start)
    #expect(members == Set(ids.indices.filter { !lost.contains($0) }.map { ids[$0] }))
    #expect(repaired.store.count(Job.all) == count)
    #expect(repaired.damagedRows.count { $0.table == "Job" } == count / 1_000 * (1_000 - members.count))
    #expect(repaired.store.fetch(Job.all).allSatisfy { $0.owner.map { members.contains($0.id) } ?? true })
    try await repaired.close()
  }

  /// Each page but those that are damaged has its rows still.
  @Test(arguments: [[5], [5, 10_000, 19_990], [3_000, 3_400, 3_800, 4_200], [0], [19_999]])
  func `a repair keeps the rows before, between and behind pages that cannot be read`(marked: [Int])
    async throws
  {
    let folder = try Folder()
    let file = try await open(folder.file)
    let count = 20_000
    // Numbers with gaps, and a run without.
    try await file.write { tx in
      for number in 0..<count { try tx.insert(Target(id: Mark(number), name: "target \(number);")) }
    }
    try await file.write { tx in
      for number in 7_000..<9_000 where number % 7 != 0 { try tx.delete(Target.self, Mark(number)) }
    }
    try await file.compact()
    try await file.close()
    let lost = try zeroPages(of: folder.file, with: "target ", marked)
    #expect(!lost.isEmpty)
    let repaired = try await open(folder.file, Self.repairing)
    let kept = repaired.store.fetch(Target.all).map(\.id.number)
    #expect(kept == (0..<count).filter { !(7_000..<9_000 ~= $0 && $0 % 7 != 0) && !lost.contains($0) })
    #expect(repaired.damagedRows.count { $0.description.contains("malformed") } == marked.count)
    try await repaired.close()
  }

  /// Steps that grow with the way must not go past it.
  @Test(arguments: [6_000, 10_000, 15_000])
  func `a repair keeps a page between thousands of rows that cannot be read`(middle: Int) async throws {
    let folder = try Folder()
    let file = try await open(folder.file)
    let count = 20_000
    try await file.write { tx in
      for number in 0..<count { try tx.insert(Target(id: Mark(number), name: "target \(number);")) }
    }
    try await file.close()
    let marked = Array(0..<middle - 150) + Array(middle + 150..<middle + 3_000)
    let lost = try zeroPages(of: folder.file, with: "target ", marked)
    let kept = (0..<count).filter { !lost.contains($0) }
    #expect(kept.contains { $0 < middle + 150 })
    let repaired = try await open(folder.file, Self.repairing)
    #expect(repaired.store.fetch(Target.all).map(\.id.number) == kept)
    try await repaired.close()
  }

  /// The numbers in between are millions. It once went on by one number at a time.
  @Test func `a repair goes on behind a row that is not whole, a gap before it and a damaged page after it`()
    async throws
  {
    let folder = try Folder()
    let file = try await open(folder.file)
    let text = { @Sendable (number: Int) in "target \(number);" + String(repeating: "x", count: 2_000) }
    try await file.write { tx in
      for number in 0..<40 { try tx.insert(Target(id: Mark(number), name: text(number))) }
    }
    try await file.close()
    // Each page has one row.
    try await change(folder.file, "UPDATE Target SET _place = _place + 5000000 WHERE _place > 10")
    try await change(folder.file, "UPDATE Target SET _check = 1 WHERE _place > 5000000 AND _place < 5000020")
    _ = try zeroPages(of: folder.file, with: "target ", [20])
    let start = ContinuousClock.now
    let repaired = try await open(folder.file, Self.repairing)
    print("went on behind the gap in", ContinuousClock.now - start)
    // The place is part of what a row is checked by, so those that have moved are not whole.
    #expect(repaired.store.fetch(Target.all).map(\.id.number) == Array(0..<10))
    #expect(repaired.damagedRows.count < 100)
    try await repaired.close()
  }

  /// Bug: with few rows, SQLite reads a table from its beginning instead of finding a row.
  @Test func `rows behind a damaged page are kept whatever statistics of the table others have left`()
    async throws
  {
    let folder = try Folder()
    let file = try await open(folder.file)
    let count = 6_000
    try await file.write { tx in
      for number in 0..<count { try tx.insert(Target(id: Mark(number), name: "target \(number);")) }
    }
    try await file.close()
    try await change(folder.file, "ANALYZE; UPDATE sqlite_stat1 SET stat = '1'")
    let lost = try zeroPages(of: folder.file, with: "target ", [2_000, 4_000])
    var damage: [DamagedRow] = []
    let whole = try FileReader(folder.file, key: nil).check { damage.append($0) }
    #expect(whole == count - lost.count, "\(whole), \(damage)")
    let repaired = try await open(folder.file, Self.repairing)
    let kept = repaired.store.fetch(Target.all).map(\.id.number)
    #expect(kept == (0..<count).filter { !lost.contains($0) })
    try await repaired.close()
  }

  /// Bug: the list was lost, since SQLite commits nothing after it has found a damaged page.
  @Test func `a check lists the rows of a page that cannot be read, and reads those behind it`() async throws
  {
    let folder = try Folder()
    let file = try await open(folder.file)
    try await file.write { tx in
      for number in 0..<2_000 { try tx.insert(Target(id: Mark(number), name: "target \(number);")) }
    }
    try await file.close()
    let lost = try zeroPages(of: folder.file, with: "target ", [1_000])
    var damage: [DamagedRow] = []
    let whole = try FileReader(folder.file, key: nil).check { damage.append($0) }
    #expect(whole == 2_000 - lost.count)
    #expect(damage.contains { $0.reason.contains("malformed") }, "\(damage)")
  }

  /// Bug: behind each, numbers were looked for fourteen thousand times, however many there were.
  @Test func `a repair of many damaged rows whose numbers lie far apart ends`() async throws {
    let folder = try Folder()
    let file = try await open(folder.file)
    let count = 300
    let text = { @Sendable (number: Int) in "target \(number);" + String(repeating: "x", count: 9_000) }
    try await file.write { tx in
      for number in 0..<count { try tx.insert(Target(id: Mark(number), name: text(number))) }
    }
    try await file.close()
    try await change(folder.file, "UPDATE Target SET _place = _place + (_place << 30) WHERE _place > 1")
    // The pages of their texts, but for the beginnings, which lead nowhere.
    var data = try Data(contentsOf: folder.file)
    let pageSize = Int(data[16]) << 8 | Int(data[17])
    for page in 1..<data.count / pageSize where data[page * pageSize + 4] == UInt8(ascii: "x") {
      data.replaceSubrange(page * pageSize..<page * pageSize + 4, with: [0, 0, 0, 0])
    }
    try data.write(to: folder.file)
    let reports = Atomic(0)
    let repaired = try await ProgressReporter.$interval.withValue(.zero) {
      try await open(
        folder.file,
        .init(repair: .skipDamagedRows, progress: { _ in reports.add(1, ordering: .relaxed) }))
    }
    #expect(repaired.store.count(Target.all) == 0)
    #expect(reports.load(ordering: .relaxed) < data.count + 1 << 20 + 50_000)
    #expect(repaired.damagedRows.contains { $0.reason.contains("rows from") })
    try await repaired.close()
  }

  /// Where the numbers of rows are looked for, there are none to report.
  @Test func `a repair reports while it looks for the rows behind a damaged page`() async throws {
    let folder = try Folder()
    let file = try await open(folder.file)
    let text = { @Sendable (number: Int) in "target \(number);" + String(repeating: "x", count: 2_000) }
    try await file.write { tx in
      for number in 0..<40 { try tx.insert(Target(id: Mark(number), name: text(number))) }
    }
    try await file.close()
    try await change(folder.file, "UPDATE Target SET _place = _place + (1 << 40) WHERE _place > 25")
    _ = try zeroPages(of: folder.file, with: "target ", Array(20..<25))
    let reports = Atomic(0)
    let repaired = try await ProgressReporter.$interval.withValue(.zero) {
      try await open(
        folder.file,
        .init(repair: .skipDamagedRows, progress: { _ in reports.add(1, ordering: .relaxed) }))
    }
    #expect(reports.load(ordering: .relaxed) > 1_000)
    #expect(repaired.store.fetch(Target.all).map(\.id.number) == Array(0..<20))
    try await repaired.close()
  }

  /// A row of megabytes has pages of its own.
  @Test func `a repair leaves out the one row whose own pages cannot be read`() async throws {
    let folder = try Folder()
    let file = try await open(folder.file)
    let name = { @Sendable (number: Int) in "\(number):" + String(repeating: "\(number % 10)", count: 20_000)
    }
    try await file.write { tx in
      for number in 0..<40 { try tx.insert(Target(id: Mark(number), name: name(number))) }
    }
    try await file.close()
    // The number of the page that goes on is the first of its bytes.
    var data = try Data(contentsOf: folder.file)
    let pageSize = Int(data[16]) << 8 | Int(data[17])
    for digit in [3, 4] {
      let full = Data(repeating: UInt8(ascii: "0") + UInt8(digit), count: pageSize - 4)
      let page = try #require(data.range(of: full)).lowerBound / pageSize
      data.replaceSubrange(page * pageSize..<page * pageSize + 4, with: [0x7F, 0xFF, 0xFF, 0xFF])
    }
    try data.write(to: folder.file)
    let repaired = try await open(folder.file, Self.repairing)
    let kept = repaired.store.fetch(Target.all)
    #expect(kept.count == 38 && kept.allSatisfy { $0.name == name($0.id.number) })
    #expect(!kept.contains { $0.id.number == 3 || $0.id.number == 4 })
    try await repaired.close()
  }

  /// Overwrites the pages that have a text with some numbers.
  ///
  /// - Returns: all numbers that these pages have.
  private func zeroPages(of file: URL, with text: String, _ numbers: [Int]) throws -> Set<Int> {
    var data = try Data(contentsOf: file)
    let pageSize = Int(data[16]) << 8 | Int(data[17])
    // By scalars: the bytes behind a text may be those of a combining mark, which is one character with its last.
    let pattern = try Regex("\(text)([0-9]+);", as: (Substring, Substring).self)
      .matchingSemantics(.unicodeScalar)
    var lost: Set<Int> = []
    for number in numbers where !lost.contains(number) {
      let start =
        try #require(data.range(of: Data("\(text)\(number);".utf8))).lowerBound / pageSize * pageSize
      let page = String(decoding: data[start..<start + pageSize], as: UTF8.self)
      lost.formUnion(page.matches(of: pattern).compactMap { Int($0.1) })
      data.replaceSubrange(start..<start + pageSize, with: Data(count: pageSize))
    }
    try data.write(to: file)
    return lost
  }

  @Test(arguments: [false, true])
  func `what a repair left out is reported by the opening that completes it, and once`(isEncrypted: Bool)
    async throws
  {
    let folder = try Folder()
    let key = isEncrypted ? SymmetricKey(size: .bits256) : nil
    let file = try await Naming.small.open(at: folder.file, .init(key: key))
    try await file.write { tx in try tx.insert(contentsOf: (1...3).map { Count(id: $0, value: $0) }) }
    try await file.close()
    let table = isEncrypted ? "_sealed = x'00'" : "value = 7"
    try await change(folder.file, "UPDATE Count SET \(table) WHERE _place = 2")
    let damaged = try Data(contentsOf: folder.file)
    let repaired = try await Naming.small.open(at: folder.file, .init(key: key, repair: .skipDamagedRows))
    #expect(repaired.damagedRows.map(\.row) == [2])
    // The process ended before it had written anything.
    let copy = folder.url.appendingPathComponent("copy.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.file.path + suffix, toPath: copy.path + suffix)
    }
    #expect(try await Self.reported(copy, key) == [2])
    #expect(try await Self.reported(copy, key) == [])
    try await repaired.close()
    #expect(try await Self.reported(folder.file, key) == [])

    // The process ended when the repaired file was complete, and had not its name.
    try damaged.write(to: folder.file)
    let other = folder.url.appendingPathComponent("other.db")
    try damaged.write(to: other)
    try await Self.crashedRepair(of: other, key)
    try FileManager.default.moveItem(atPath: other.path, toPath: folder.file.path + "-repaired")
    try noteRepaired(folder.file)
    #expect(try await Self.reported(folder.file, key) == [2])
    #expect(try await Self.reported(folder.file, key) == [])
  }

  private static func reported(_ file: URL, _ key: SymmetricKey?) async throws -> [Int64?] {
    let opened = try await Naming.small.open(at: file, .init(key: key))
    let rows = opened.damagedRows.map(\.row)
    #expect(opened.store.fetch(Count.all).map(\.id) == [1, 3])
    try await opened.close()
    return rows
  }

  /// Repairs a file, and puts back what it was before its report was removed.
  private static func crashedRepair(of file: URL, _ key: SymmetricKey?) async throws {
    let repaired = try await Naming.small.open(
      at: file,
      .init(
        key: key, repair: .skipDamagedRows,
        progress: { progress in
          // The repaired file is complete when it is read: keep it as it is then.
          let copy = file.path + "-copy"
          if progress.phase == .reading, progress.done == progress.total,
            FileManager.default.fileExists(atPath: file.path + "-damaged"),
            !FileManager.default.fileExists(atPath: copy)
          {
            try? FileManager.default.copyItem(atPath: file.path, toPath: copy)
          }
        }))
    try await repaired.close()
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(atPath: file.path + "-copy", toPath: file.path)
  }

  @Test
  func `the damaged files of several repairs are kept, the first eight and the newest, each with its log`()
    async throws
  {
    let folder = try Folder()
    let path = folder.file.path
    for number in 1...11 {
      // As a repaired file, which takes the name of the damaged one.
      try Data("file \(number)".utf8).write(to: folder.file, options: .atomic)
      if number % 2 == 1 { try Data("log \(number)".utf8).write(to: URL(fileURLWithPath: path + "-wal")) }
      try DamagedCopy(folder.file).keep()
      // The process ended here, and it is done again.
      try DamagedCopy(folder.file).keep()
      #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
    for (index, number) in [1, 2, 3, 4, 5, 6, 7, 8, 11].enumerated() {
      let copy = path + (index == 0 ? "-damaged" : "-damaged-\(index + 1)")
      #expect(try String(contentsOfFile: copy, encoding: .utf8) == "file \(number)")
      let log = try? String(contentsOfFile: copy + "-wal", encoding: .utf8)
      #expect(log == (number % 2 == 1 ? "log \(number)" : nil))
    }
    // As the repaired file, which is one of a store.
    try Data().write(to: folder.file)
    try StoreFile.remove(at: folder.file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `where a file can have no second name, it is copied`() async throws {
    let folder = try Folder()
    let path = folder.file.path
    try Data("file".utf8).write(to: folder.file)
    try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
    for _ in 0..<2 { try DamagedCopy(folder.file, link: { _, _ in -1 }).keep() }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(names == ["app.db", "app.db-damaged", "app.db-damaged-wal"])
    #expect(try String(contentsOfFile: path + "-damaged", encoding: .utf8) == "file")
  }

  /// Only the log has the row, so that the pair has to be found by its names.
  @Test func `a damaged file is kept with its log as SQLite opens the pair`() async throws {
    let folder = try Folder()
    let file = try await Naming.small.open(at: folder.file)
    try await file.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    let other = folder.url.appendingPathComponent("other.db")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: folder.file.path + suffix, toPath: other.path + suffix)
    }
    try await file.close()
    try DamagedCopy(other).keep()
    let queue = try DatabaseQueue(path: other.path + "-damaged")
    #expect(try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM Count") } == 1)
    try queue.close()
  }

  @Test
  func
    `links to what an opening without their entity deleted are found, and a repair has them follow their rules`()
    async throws
  {
    let folder = try Folder()
    let (first, second) = (UUID(), UUID())
    let file = try await Naming.linked.open(at: folder.file)
    try await file.write { tx in
      try tx.insert(contentsOf: [Member(id: first, handle: "a"), Member(id: second, handle: "b")])
      for id in 1...3 { try tx.insert(Job(id: id, text: "", owner: Ref(id == 2 ? first : second))) }
    }
    try await file.close()
    let part = try await Naming.withoutJobs.open(at: folder.file)
    try await part.write { tx in try tx.delete(Member.self, first) }
    try await part.close()
    for isReadOnly in [false, true] {
      let error = await #expect(throws: StoreFileError.self) {
        try await Naming.linked.open(at: folder.file, .init(isReadOnly: isReadOnly))
      }
      #expect(
        error?.code == .damaged && error?.table == "Job" && error?.row == 2, "\(String(describing: error))")
    }
    let repaired = try await Naming.linked.open(at: folder.file, Self.repairing)
    #expect(repaired.store.fetch(Job.all).map { $0.owner?.id } == [second, nil, second])
    #expect(repaired.damagedRows.map(\.row) == [2] && repaired.damagedRows.map(\.table) == ["Job"])
    try await repaired.close()
    let again = try await Naming.linked.open(at: folder.file)
    #expect(again.store.fetch(Job.all).count == 3 && again.damagedRows.isEmpty)
    try await again.close()
  }

  /// Foundation's own errors came through.
  @Test func `a file that cannot be copied is an error of the file`() async throws {
    let folder = try Folder()
    let seed = folder.url.appendingPathComponent("seed.db")
    try await Naming.small.open(at: seed).close()
    try Data(count: 1).write(to: URL(fileURLWithPath: seed.path + "-wal"))
    // The name of the copy's log, until it is complete, is too long.
    let file = folder.url.appendingPathComponent(String(repeating: "a", count: 248))
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: file, Group.self, Count.self, seededFrom: seed)
    }
    #expect(error?.code == .ioFailed)
  }

  @Test func `two whole rows with one id or one unique value leave the first`() async throws {
    let folder = try Folder()
    let file = try await Naming.linked.open(at: folder.file)
    try await file.write { tx in
      try tx.insert(contentsOf: [
        Team(id: "a", name: "one"), Team(id: "b", name: "two"), Team(id: "c", name: "three"),
      ])
    }
    let before = try Folder()
    try await file.backup(to: before.file)
    // The names change places, so that old rows beside new ones break the rule.
    try await file.write { tx in
      try tx.update(Team.self, "b") { $0.name = "other" }
      try tx.update(Team.self, "a") { $0.name = "two" }
    }
    try await file.close()
    try await change(
      folder.file,
      """
      ATTACH '\(before.file.path)' AS before;
      UPDATE Team SET (_check, name) = (SELECT _check, name FROM before.Team WHERE id = 'b') WHERE id = 'b';
      """)
    let repaired = try await Naming.linked.open(at: folder.file, Self.repairing)
    #expect(repaired.store.fetch(Team.all).map(\.name) == ["two", "three"])
    #expect(repaired.damagedRows.contains { $0.row == 2 && $0.reason.contains("unique") })
    try await repaired.close()
  }
}
