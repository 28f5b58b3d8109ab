import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// What a process leaves that ends without closing: the file, and beside it the log of what is not in it yet.
@Suite(.timeLimit(.minutes(10)), .serialized) struct `Files after a crash` {
  @Test func `a log that ends anywhere gives exactly one version, and the newest if it is whole`()
    async throws
  {
    let left = try await Leftovers(1)
    var found: [Int: Int] = [:]
    for seed in Seeds.forSuite(100, thorough: 3_000) {
      var random = SplitMix64(seed: seed)
      let length = random.chance(1, in: 20) ? left.log.count : random.int(0...left.log.count)
      var log = left.log.prefix(length)
      var flipped: Int?
      if random.chance(1, in: 3), length > 0 {
        let place = random.int(0...(length - 1))
        log[place] ^= 1 << UInt8(random.int(0...7))
        flipped = place
      }
      do {
        let version = try await left.version(with: Data(log))
        found[version, default: 0] += 1
        if length == left.log.count && flipped == nil {
          try require(version == left.versions.count - 1, "version \(version) of \(left.versions.count)")
        }
      } catch {
        Issue.record("seed \(seed): log of \(length) bytes, flipped \(String(describing: flipped)): \(error)")
      }
    }
    #expect(found.count > 3 || found.values.reduce(0, +) < 50, "\(found)")
  }
}

/// The file and the log after some versions, and what these were.
private struct Leftovers {
  let versions: [Model]
  let file: Data
  let log: Data

  init(_ seed: UInt64) async throws {
    let folder = try Folder()
    var transactions = RandomTransactions(SplitMix64(seed: seed))
    // A file of which nothing is in a log, but what is reserved at opening, which is in both.
    var file = try await Naming.all.open(at: folder.file)
    try await file.write { tx in try tx.insert(contentsOf: (0..<500).map { Count(id: $0, value: $0) }) }
    try await file.close()
    file = try await Naming.all.open(at: folder.file)
    let bytes = try Data(contentsOf: folder.file)
    var versions = [Model(of: file.store.snapshot(), .all)]
    while versions.count < 30 {
      var next = versions[versions.count - 1]
      let steps = transactions.transaction(&next, .all)
      if !next.isValid || next == versions.last { continue }
      try await file.write { tx in for step in steps { try step.apply(&tx) } }
      try next.check(file.store, .all, "before the crash")
      versions.append(next)
    }
    self.versions = versions
    log = try Data(contentsOf: URL(filePath: folder.file.path + "-wal"))
    self.file = try Data(contentsOf: folder.file)
    try require(self.file == bytes, "a part of the log is in the file already")
    try await file.close()
  }

  /// Which of the versions there is after the crash.
  func version(with log: Data) async throws -> Int {
    let folder = try Folder()
    try file.write(to: folder.file)
    try log.write(to: URL(filePath: folder.file.path + "-wal"))
    let opened = try await Naming.all.open(at: folder.file)
    let found = Model(of: opened.store.snapshot(), .all)
    guard let version = versions.lastIndex(of: found) else { throw Mismatch("this was no version: \(found)") }
    // It goes on from there.
    try await opened.write { tx in try tx.upsert(Group(id: -1, order: -1, rowid: "new")) }
    try await opened.close()
    let again = try await Naming.all.open(at: folder.file)
    var expected = versions[version]
    expected.upsert(Group(id: -1, order: -1, rowid: "new"), in: \.groups)
    try expected.check(again.store, .all, "opened again")
    try await again.close()
    return version
  }
}
