import LiveStore
import TestSupport
import Testing

private enum Status: String, CaseIterable {
  case published, draft, archived
}

private enum Level: Int, CaseIterable, Comparable {
  case high = 3
  case low = 1
  static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
}

private struct Release: Entity {
  let id: Int
  var status: Status
  var previous: Status?
  var level = Level.high
  static let schema = Schema<Release> {
    Property(\.status, .indexed)
    \.previous
    \.level
  }
}

@Suite struct `Enumerations with raw values` {
  private func snapshot() throws -> Snapshot {
    let store = try Store(Release.self)
    try store.write { tx in
      try tx.insert(Release(id: 1, status: .archived, previous: .draft))
      try tx.insert(Release(id: 2, status: .draft, level: .low))
      try tx.insert(Release(id: 3, status: .published, previous: .published))
      try tx.insert(Release(id: 4, status: .draft))
    }
    return store.snapshot()
  }

  @Test func `enumerations are sorted in the order in which their cases are declared`() throws {
    let snapshot = try snapshot()
    #expect(snapshot.fetch(Release.sorted(by: \.status)).map(\.id) == [3, 2, 4, 1])
    #expect(snapshot.fetch(Release.sorted(by: \.status, .descending)).map(\.id) == [1, 2, 4, 3])
    #expect(snapshot.fetch(Release.sorted(by: \.status).limit(2)).map(\.id) == [3, 2])
    #expect(snapshot.fetch(Release.sorted(by: \.previous)).map(\.id) == [2, 4, 3, 1])
    #expect(snapshot.fetch(Release.where { $0.status == .draft }).map(\.id) == [2, 4])
    // Its own order counts.
    #expect(snapshot.fetch(Release.sorted(by: \.level)).map(\.id) == [2, 1, 3, 4])
  }

  @Test func `enumerations make sections in the order in which their cases are declared`() throws {
    let snapshot = try snapshot()
    let sections = snapshot.value(of: Release.all.sectioned(by: \.status))
    #expect(sections.map { $0.map(\.id) } == [[3], [2, 4], [1]])
    #expect(
      snapshot.value(of: Release.all.sectioned(by: \.previous)).map { $0.map(\.id) } == [[2, 4], [3], [1]])
    #expect(
      snapshot.value(of: Release.all.grouped(by: \.status).count).map(\.key) == [
        .published, .draft, .archived,
      ])
    #expect(snapshot.fetch(Release.all.distinct(by: \.status)).map(\.id) == [1, 2, 3])
  }

  @Test func `sections without rows are in the order of the cases, also by a closure`() throws {
    let snapshot = try snapshot()
    let drafts = Release.where { $0.status == .draft }
    let board = snapshot.value(of: drafts.sectioned(by: \.status, including: Status.allCases))
    #expect(board.map(\.key) == [.published, .draft, .archived] && board.map(\.count) == [0, 2, 0])
    let before = snapshot.value(
      of: drafts.sectioned(by: \.previous, including: [.archived, nil, .published]))
    #expect(before.map(\.key) == [nil, .published, .archived] && before.map(\.count) == [2, 0, 0])
    let byClosure = snapshot.value(
      of: Release.all.sectioned { (report: Release) in report.previous ?? report.status })
    #expect(byClosure.map { $0.map(\.id) } == [[3], [1, 2, 4]])
    let all = snapshot.value(
      of: drafts.sectioned(including: Status.allCases) { (report: Release) in report.previous ?? report.status
      })
    #expect(all.map(\.key) == [.published, .draft, .archived] && all.map(\.count) == [0, 2, 0])
    // Its own order counts.
    let levels = snapshot.value(
      of: drafts.sectioned(including: Level.allCases) { (report: Release) in report.level })
    #expect(levels.map(\.key) == [.low, .high])
    #expect(
      snapshot.value(of: drafts.sectioned(by: \.level, including: Level.allCases)).map(\.key) == [
        .low, .high,
      ])
  }
}
