import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Has the columns of `Count`, and values of the same kinds.
private struct Score: Entity, Codable, Equatable {
  let id: Int
  var value: Int
  static let schema = Schema<Score> { \.value }
}

private struct Memo: Entity, Codable, Equatable {
  let id: Int
  var text: String?
  static let schema = Schema<Memo> { \.text }
}

/// Has the columns of `Memo`.
private struct Draft: Entity, Codable, Equatable {
  let id: Int
  var text: String?
  static let schema = Schema<Draft> { \.text }
}

/// A file of tables in pairs: a row of one is a row of the other by its columns and the kinds of its values.
private struct PairedFile {
  let key: SymmetricKey?
  let pages: FilePages
  let counts = (0..<1_500).map { Count(id: $0, value: -$0) }
  // The places are those of the counts.
  let scores = (0..<1_200).map { Score(id: 10_000 + $0, value: $0) }
  let memos = (0..<400).map { Memo(id: $0, text: $0 % 3 == 0 ? nil : "memo \($0)") }
  let drafts = (0..<500).map { Draft(id: 10_000 + $0, text: "draft \($0)") }

  init(key: SymmetricKey?) async throws {
    self.key = key
    let folder = try Folder()
    let file = try await Self.open(folder, .init(key: key))
    try await file.write { [counts, scores, memos, drafts] tx in
      try tx.insert(contentsOf: counts)
      try tx.insert(contentsOf: scores)
      try tx.insert(contentsOf: memos)
      try tx.insert(contentsOf: drafts)
    }
    try await file.close()
    pages = try FilePages(folder.file)
  }

  static func open(_ folder: Folder, _ options: StoreFile.Options) async throws -> StoreFile {
    try await StoreFile.open(
      at: folder.file, Count.self, Score.self, Memo.self, Draft.self, options: options)
  }

  /// Opens damaged bytes, which must be refused, and repairs them: what is kept was written, and what is missing listed.
  func check(_ bytes: [UInt8]) async throws {
    let folder = try Folder()
    try Data(bytes).write(to: folder.file)
    do {
      let file = try await Self.open(folder, .init(key: key))
      try await file.close()
      throw Mismatch("it opens")
    } catch let error as StoreFileError {
      try require(error.code == .damaged, "opening: \(error)")
    }
    let repaired = try await Self.open(folder, .init(key: key, repair: .skipDamagedRows))
    try kept(repaired, counts)
    try kept(repaired, scores)
    try kept(repaired, memos)
    try kept(repaired, drafts)
    try await repaired.close()
  }

  private func kept<Element: Entity & Equatable>(_ file: StoreFile, _ written: [Element]) throws {
    var rest = written[...]
    let found = Array(file.store.fetch(Element.all))
    for object in found {
      guard let index = rest.firstIndex(of: object) else {
        throw Mismatch("\("\(object)".prefix(100)) was never written, or not there")
      }
      rest = rest[(index + 1)...]
    }
    let isListed = file.damagedRows.contains { $0.table == "\(Element.self)" }
    try require(
      found.count == written.count || isListed,
      "\(written.count - found.count) of \(Element.self) are missing, and not listed")
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Pages of other tables` {
  /// The mistakes that a repair makes, by seed.
  private func mistakes(key: SymmetricKey?) async throws -> [String] {
    let file = try await PairedFile(key: key)
    var mistakes: [String] = []
    for seed in Seeds.forSuite(12, thorough: 1_500) {
      var random = SplitMix64(seed: seed)
      var tables = random.pick([["Count", "Score"], ["Memo", "Draft"]])
      if random.chance(1, in: 2) { tables.reverse() }
      var pages = file.pages
      let (from, to) = (try pages.leaves(of: tables[0]), try pages.leaves(of: tables[1]))
      // Mostly one that has the same places.
      let index = random.int(0...min(from.count, to.count) - 1)
      let other = random.chance(1, in: 4) ? random.pick(to) : to[index]
      let isSwapped = random.chance(1, in: 2)
      if isSwapped { pages.swap(from[index], other) } else { pages.copy(from[index], to: other) }
      do {
        try await file.check(pages.bytes)
      } catch {
        mistakes.append(
          "seed \(seed): page \(index) of \(tables[0]) \(isSwapped ? "and" : "for") one of \(tables[1]): \(error)"
        )
      }
    }
    print("pages of other tables: \(mistakes.count) mistakes")
    return mistakes
  }

  @Test func `a page of another table in a page's place gives no objects of an encrypted file`() async throws
  {
    #expect(try await mistakes(key: SymmetricKey(size: .bits256)) == [])
  }

  /// Point 13: the checksum of a row lacks the name of its table.
  @Test func `a page of another table in a page's place gives no objects of a plain file`() async throws {
    #expect(try await mistakes(key: nil) == [])
  }

  /// Point 13: with what the file says about itself damaged, a column of another name gave nil in each row.
  @Test func `a property whose column has another name is not nil in each row without a word`() async throws {
    let file = try await PairedFile(key: nil)
    var pages = file.pages
    try pages.replace(
      #""Memo" (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL, "id", "text""#,
      with: #""Memo" (_place INTEGER PRIMARY KEY, _check INTEGER NOT NULL, "id", "texu""#)
    try pages.replace(#""tables":"#, with: #""tablet":"#)
    try await file.check(pages.bytes)
  }
}
