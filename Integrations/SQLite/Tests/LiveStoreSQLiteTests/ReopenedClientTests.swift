import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Clients of files that are opened again` {
  /// Versions and cursors that clients keep are exact or refused, whatever becomes of the process in between.
  @Test func `what clients keep is exact or refused`() async throws {
    for seed in Seeds.forSuite(60, thorough: 5_000) {
      var life = try await ReopenedLife(seed: seed)
      do {
        for _ in 0..<40 { try await life.step() }
        try await life.file.close()
      } catch {
        throw Mismatch("LIVESTORE_SEED=\(seed): \(error)")
      }
    }
  }
}

/// A file over several openings, a model of what it has, and what clients have kept.
private struct ReopenedLife {
  struct Row: Equatable {
    var count: Count
    /// The order of insertion over all openings.
    let birth: Int
  }

  struct KeptCursor {
    let text: Data
    let query: Int
    let last: Row
    /// Whether it may be refused: its version was lost, and there may be ties.
    var mayBeRefused = false
  }

  struct KeptVersion {
    let version: Version
    let rows: [Count]
    /// Whether a history reaches back to it.
    var mayBeTruncated = false
  }

  /// The orders of pages; in the last there are no ties.
  private static let queries: [Query<Count>] = [
    Count.all, Count.sorted(by: \.value), Count.sorted(by: \.value, .descending),
    Count.sorted(by: \.value).sorted(by: \.id, .descending),
  ]

  private static func isBefore(_ lhs: Row, _ rhs: Row, _ query: Int) -> Bool {
    let (left, right) = (lhs.count, rhs.count)
    switch query {
    case 1 where left.value != right.value: return left.value < right.value
    case 2 where left.value != right.value: return left.value > right.value
    case 3 where left.value != right.value: return left.value < right.value
    case 3: return left.id > right.id
    default: return lhs.birth < rhs.birth
    }
  }

  private(set) var file: StoreFile
  private let folder: Folder
  private var url: URL
  private var random: SplitMix64
  private var rows: [Row] = []
  private var births = 0
  private var cursors: [KeptCursor] = []
  private var versions: [KeptVersion] = []
  private var copies = 0

  init(seed: UInt64) async throws {
    random = SplitMix64(seed: seed)
    folder = try Folder(inMemory: true)
    url = folder.file
    file = try await Self.open(url)
  }

  private static func open(_ url: URL) async throws -> StoreFile {
    var options = StoreFile.Options()
    options.configuration.historyCommits = 4
    return try await StoreFile.open(at: url, Count.self, options: options)
  }

  mutating func step() async throws {
    switch random.int(0...9) {
    case 0...4: try await commit()
    case 5: try keepCursor()
    case 6:
      versions.append(KeptVersion(version: file.store.version, rows: Array(file.store.fetch(Count.all))))
    case 7: try await reopen()
    case 8: if random.chance(1, in: 2) { try await crash() }
    default: try await check()
    }
  }

  private mutating func commit() async throws {
    var next = rows
    var edits: [(inout WriteTransaction) throws -> Void] = []
    for _ in 0..<random.int(1...5) {
      let id = random.int(1...12)
      let value = random.int(0...2)
      if let index = next.firstIndex(where: { $0.count.id == id }) {
        if random.chance(1, in: 2) {
          next.remove(at: index)
          edits.append { tx in try tx.delete(Count.self, id) }
        } else {
          next[index].count.value = value
          edits.append { tx in try tx.update(Count.self, id) { $0.value = value } }
        }
      } else {
        births += 1
        next.append(Row(count: Count(id: id, value: value), birth: births))
        edits.append { tx in try tx.insert(Count(id: id, value: value)) }
      }
    }
    let before = file.store.version
    try await file.store.write { tx in for edit in edits { try edit(&tx) } }
    // What has no effect has given no place.
    if file.store.version > before { rows = next }
    if random.chance(1, in: 3) { try await file.durable(through: file.store.version) }
    for index in versions.indices where file.store.version.number > versions[index].version.number + 4 {
      versions[index].mayBeTruncated = true
    }
  }

  private mutating func keepCursor() throws {
    let query = random.int(0...Self.queries.count - 1)
    let count = random.int(1...6)
    let page = try file.store.page(of: Self.queries[query], first: count)
    guard let next = page.next, let last = page.rows.last,
      let row = rows.first(where: { $0.count.id == last.id })
    else { return }
    cursors.append(KeptCursor(text: try JSONEncoder().encode(next), query: query, last: row))
  }

  private mutating func reopen() async throws {
    try await file.close()
    let (identity, version) = (file.store.identity, file.store.version)
    if random.chance(1, in: 4) {
      let reader = try await StoreFile.open(at: url, Count.self, options: .init(isReadOnly: true))
      try require(
        reader.store.identity == identity && reader.store.version == version, "a reader has another")
    }
    file = try await Self.open(url)
    try require(file.store.identity == identity && file.store.version == version, "it does not go on")
    for index in versions.indices where versions[index].version != version {
      versions[index].mayBeTruncated = true
    }
    try await check()
  }

  /// The process ends: what was committed since the last wait for the disk is lost, with what clients kept of it.
  private mutating func crash() async throws {
    try await file.durable(through: file.store.version)
    let (saved, savedCursors) = (rows, cursors.count)
    copies += 1
    let copy = folder.url.appendingPathComponent("copy \(copies).db")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
    }
    for _ in 0..<random.int(0...6) {
      switch random.int(0...3) {
      case 0...1: try await commit()
      case 2: try keepCursor()
      default:
        versions.append(KeptVersion(version: file.store.version, rows: Array(file.store.fetch(Count.all))))
      }
    }
    let identity = file.store.identity
    let last = file.store.version
    try await file.close()
    try StoreFile.remove(at: url)
    url = copy
    file = try await Self.open(url)
    try require(
      file.store.identity == identity && file.store.version > last, "it does not go on behind \(last)")
    rows = saved
    for index in savedCursors..<cursors.count { cursors[index].mayBeRefused = cursors[index].query != 3 }
    for index in versions.indices { versions[index].mayBeTruncated = true }
    try await check()
  }

  private func check() async throws {
    try require(Array(file.store.fetch(Count.all)) == rows.map(\.count), "it has other objects")
    for cursor in cursors {
      let decoded = try JSONDecoder().decode(PageCursor.self, from: cursor.text)
      let expected = rows.filter { Self.isBefore(cursor.last, $0, cursor.query) }
        .sorted { Self.isBefore($0, $1, cursor.query) }.map(\.count)
      do {
        let page = try file.store.page(of: Self.queries[cursor.query], after: decoded, first: 99)
        try require(
          Array(page.rows) == expected,
          "\(Self.queries[cursor.query]) after \(cursor.last): \(page.rows.map(\.id)), not \(expected.map(\.id))"
        )
      } catch let error as StoreError where error.code == .invalidCursor {
        try require(cursor.mayBeRefused, "\(cursor.last) is refused: \(error)")
      }
    }
    for kept in versions {
      do {
        let changes = try file.store.changes(of: Count.all, since: kept.version)
        if kept.rows == rows.map(\.count) { continue }
        var iterator = changes.makeAsyncIterator()
        guard case .update(let results, let set)? = await iterator.next() else {
          throw Mismatch("no change since \(kept.version)")
        }
        try require(
          Array(set.previous) == kept.rows && Array(results) == rows.map(\.count),
          "the change since \(kept.version) is of another state")
      } catch let error as StoreError where error.code == .historyTruncated {
        try require(kept.mayBeTruncated, "\(kept.version) is refused: \(error)")
      }
    }
  }
}
