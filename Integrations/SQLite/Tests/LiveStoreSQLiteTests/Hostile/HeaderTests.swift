import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Each bit of the first 100 bytes of a file, which say what the file is and how its pages are read.
@Suite(.timeLimit(.minutes(30))) struct `Bits of the header that are flipped` {
  private static let bits = 0..<800

  /// What became of a file with a bit flipped.
  private enum Outcome: String { case harmless, whole, repaired, refused }

  /// A file of two tables, and its bytes.
  private struct Original {
    let key: SymmetricKey?
    let bytes: [UInt8]
    let counts = (0..<300).map { Count(id: $0, value: $0 % 7) }
    let groups = (0..<60).map { Group(id: $0, order: $0 % 9, rowid: "é \($0)") }

    init(key: SymmetricKey?) async throws {
      self.key = key
      let folder = try Folder()
      let file = try await Naming.small.open(at: folder.file, .init(key: key))
      try await file.write { [counts, groups] tx in
        try tx.insert(contentsOf: counts)
        try tx.insert(contentsOf: groups)
      }
      try await file.close()
      bytes = [UInt8](try Data(contentsOf: folder.file))
    }

    /// Opens and repairs the file with a bit flipped: all that it then has was written, and what is missing is listed.
    func check(_ bit: Int) async throws -> Outcome {
      let folder = try Folder()
      var bytes = bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try Data(bytes).write(to: folder.file)
      var isHarmless = false
      do {
        let file = try await Naming.small.open(at: folder.file, .init(key: key))
        try require(found(file) == (counts, groups), "it opens with other objects")
        // Some bits let SQLite read, and not write.
        try await file.write { tx in try tx.insert(Count(id: -1, value: 0)) }
        try await file.write { tx in try tx.delete(Count.self, -1) }
        try await file.close()
        isHarmless = true
      } catch is StoreFileError {
        try require(
          [UInt8](try Data(contentsOf: folder.file)) == bytes, "an opening that failed changed the file")
      }
      do {
        let file = try await Naming.small.open(at: folder.file, .init(key: key, repair: .skipDamagedRows))
        let (counts, groups) = found(file)
        let listed = Set(file.damagedRows.map(\.table))
        try require(Set(counts.map(\.id)).isSubset(of: self.counts.map(\.id)), "counts were invented")
        try require(counts.allSatisfy { self.counts.contains($0) }, "counts have other values")
        try require(groups.allSatisfy { self.groups.contains($0) }, "groups have other values")
        try require(
          counts.count == self.counts.count || listed.contains("Count"), "counts are missing, unlisted")
        try require(
          groups.count == self.groups.count || listed.contains("Group"), "groups are missing, unlisted")
        let isWhole = counts == self.counts && groups == self.groups
        try await file.close()
        return isHarmless ? .harmless : isWhole ? .whole : .repaired
      } catch let error as StoreFileError {
        try require(!isHarmless, "a repair fails where an opening does not: \(error)")
        try require(
          [UInt8](try Data(contentsOf: folder.file)) == bytes, "a repair that failed changed the file")
        return .refused
      }
    }

    private func found(_ file: StoreFile) -> ([Count], [Group]) {
      (Array(file.store.fetch(Count.all)), Array(file.store.fetch(Group.all)))
    }
  }

  @Test(arguments: [false, true])
  func `a bit of the header that is flipped is found, or changes nothing, and a repair invents nothing`(
    isEncrypted: Bool
  ) async throws {
    let original = try await Original(key: isEncrypted ? SymmetricKey(size: .bits256) : nil)
    let seed = Seeds.named?.lowerBound ?? UInt64.random(in: 0 ... .max)
    print("bits of the header: LIVESTORE_SEED=\(seed)")
    var random = SplitMix64(seed: seed)
    let some = (0..<Environment.size(40, thorough: 200)).map { _ in random.int(0...799) }
    let bits = Environment.isLong ? Array(Self.bits) : some
    var outcomes: [Outcome: [Int]] = [:]
    for bit in bits {
      do {
        outcomes[try await original.check(bit), default: []].append(bit)
      } catch {
        Issue.record("bit \(bit % 8) of byte \(bit / 8), encrypted \(isEncrypted): \(error)")
      }
    }
    let refused = Set(outcomes[.refused, default: []].map { $0 / 8 }).sorted()
    print("bits of the header:", outcomes.map { "\($0.key) \($0.value.count)" }.sorted(), "refused:", refused)
    #expect(outcomes[.harmless, default: []].count > 0)
  }

  /// Point 14: what these bytes have is the same in each file of this library, so that one which is damaged tells nothing
  /// of the rows: the name of the format, the shares of a page, the version of the schema's format, the encoding of texts,
  /// and the versions and marks of this library.
  @Test(arguments: [false, true])
  func `a repair keeps all rows of a file of which a constant of the header is damaged`(isEncrypted: Bool)
    async throws
  {
    let original = try await Original(key: isEncrypted ? SymmetricKey(size: .bits256) : nil)
    var refused: [Int] = []
    for byte in [0...17, 20...23, 44...47, 56...63, 68...71].joined() {
      let outcome = try await original.check(byte * 8 + byte % 8)
      if outcome == .refused || outcome == .repaired { refused.append(byte) }
    }
    print("constants of the header that are missed, by byte: \(refused)")
    #expect(refused == [])
  }
}
