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

  @Test func `enumerations are compared in the order in which their cases are declared, as in text filters`()
    throws
  {
    let snapshot = try snapshot()
    let cases: [(Query<Release>, String, [Int])] = [
      (Release.where { $0.status >= .draft }, "status >= 'draft'", [1, 2, 4]),
      (Release.where { $0.status > .draft }, "status > 'draft'", [1]),
      (Release.where { $0.status < .draft }, "status < 'draft'", [3]),
      (Release.where { $0.status <= .draft }, "status <= 'draft'", [2, 3, 4]),
      (Release.where { $0.previous >= .published }, "previous >= 'published'", [1, 3]),
      (Release.where { $0.previous > .published }, "previous > 'published'", [1]),
      (Release.where { $0.previous < .draft }, "previous < 'draft'", [3]),
      (Release.where { $0.previous <= .published }, "previous <= 'published'", [3]),
      (Release.where { $0.level >= .high }, "level >= 3", [1, 3, 4]),
      (Release.where { !($0.status >= .draft) && $0.id > 0 }, "NOT status >= 'draft' AND id > 0", [3]),
    ]
    for (query, text, ids) in cases {
      let read = try Release.where(format: text)
      #expect(query == read, "\(query), \(read)")
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(query)")
      #expect(query.explain(in: snapshot) == read.explain(in: snapshot))
      #expect(try Release.where(format: query.format ?? "") == query)
    }
    #expect(snapshot.fetch(Release.where { $0.status >= $0.status }).count == 4)
    #expect(snapshot.fetch(Release.where { $0.status < $0.status }).isEmpty)
  }

  @Test func `a live query by the order of cases follows edits`() async throws {
    let store = try Store(Release.self)
    let recorder = Recorder<[Int]>()
    let token = store.observe(Release.where { $0.status > .published }) {
      recorder.append($0.results?.map(\.id) ?? [])
    }
    try await store.settled()
    try await store.write { tx in try tx.insert(Release(id: 1, status: .draft)) }
    try await store.settled()
    try await store.write { tx in try tx.update(Release.self, 1) { $0.status = .published } }
    try await store.settled()
    #expect(recorder.events == [[], [1], []])
    token.invalidate()
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
    let board = snapshot.value(of: drafts.sectioned(by: \.status).including(Status.allCases))
    #expect(board.map(\.key) == [.published, .draft, .archived] && board.map(\.count) == [0, 2, 0])
    let before = snapshot.value(
      of: drafts.sectioned(by: \.previous).including([.archived, nil, .published]))
    #expect(before.map(\.key) == [nil, .published, .archived] && before.map(\.count) == [2, 0, 0])
    let byClosure = snapshot.value(
      of: Release.all.sectioned { (report: Release) in report.previous ?? report.status })
    #expect(byClosure.map { $0.map(\.id) } == [[3], [1, 2, 4]])
    let all = snapshot.value(
      of: drafts.sectioned { (report: Release) in report.previous ?? report.status }
        .including(Status.allCases))
    #expect(all.map(\.key) == [.published, .draft, .archived] && all.map(\.count) == [0, 2, 0])
    // Its own order counts.
    let levels = snapshot.value(
      of: drafts.sectioned { (report: Release) in report.level }.including(Level.allCases))
    #expect(levels.map(\.key) == [.low, .high])
    #expect(
      snapshot.value(of: drafts.sectioned(by: \.level).including(Level.allCases)).map(\.key) == [
        .low, .high,
      ])
  }
}
