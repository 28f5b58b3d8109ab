import Crypto
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// What a file says of the store that it has: its identity, versions and places.
extension `Crafted files` {
  @Test(arguments: [
    (#""storeVersion": ?\d+"#, #""storeVersion":9223372036854775807"#),
    (#""storeVersion": ?\d+"#, #""storeVersion":-1"#),
    (#""reserved": ?\d+"#, #""reserved":0"#), (#""reserved": ?\d+"#, #""reserved":"x""#),
    (#""identity": ?"[^"]*""#, #""identity":"""#), (#""identity": ?"[^"]*""#, #""identity":"x""#),
    (#""next": ?\d+"#, #""next":0"#), (#""next": ?\d+"#, #""next":70368744177666"#),
    (#""next": ?\d+"#, #""next":35184372088832"#), (#""version": ?\d+"#, #""version":4611686018427387904"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":[[5,5],[1,1]]"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":[[0,1],[1,1]]"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":[[-1,1]]"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":[[1,0]]"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":[[1]]"#), (#""reserved": ?\d+"#, #""reserved":9,"lost":7"#),
    (#""reserved": ?\d+"#, #""reserved":9,"lost":["# + String(repeating: "[0,0],", count: 99) + "[0,0]]"),
  ])
  func `what a file says of its store is checked`(pattern: String, replacement: String) async throws {
    let folder = try await file()
    try changeContents(folder) { text in text.replacing(try Regex(pattern), with: replacement) }
    let (refusal, counts, _) = try await use(folder)
    #expect(refusal?.code == .damaged, "\(replacement)")
    #expect(counts == [1, 2, 3])
  }

  /// Bug: the opening went on, and its caller never knew that it was cancelled.
  @Test func `an opening that is cancelled while it removes what was stored under another key is cancelled`()
    async throws
  {
    let folder = try await file()
    let reader = try await Naming.small.open(at: folder.file, .init(isReadOnly: true))
    try changeContents(folder) { text in "{\"remains\":true,\(text.dropFirst())" }
    let open: ReportingOperation = { folder, progress in
      try await Naming.small.open(at: folder.file, .init(progress: progress)).close()
    }
    let reports = try await ProgressReports(of: open, in: folder.copy())
    let place = try #require(reports.all.firstIndex { $0.phase == .compacting })
    let cancelled = try await ProgressReports(of: open, in: folder, cancelledAt: place)
    #expect(cancelled.isCancelled)
    // The versions that were reserved are not lost.
    let store = try await Naming.small.open(at: folder.file, .init(isReadOnly: true)).store
    #expect(store.identity == reader.store.identity && store.version == reader.store.version)
    // The next opening removes it.
    let next = try await ProgressReports(of: open, in: folder)
    #expect(next.phases.map(\.phase) == [.checkingPages, .reading, .compacting])
    let last = try await ProgressReports(of: open, in: folder)
    #expect(last.phases.map(\.phase) == [.checkingPages, .reading])
  }

  /// Bug: numbers were accepted up to the bound, and one that was acknowledged was behind it at the next opening.
  @Test(arguments: [
    (#""next": ?\d+"#, #""next":35184372088831"#), (#""version": ?\d+"#, #""version":1152921504606846975"#),
  ])
  func `what no opening would read is not acknowledged, and numbers at their bound are damage`(
    pattern: String, replacement: String
  ) async throws {
    let folder = try await file()
    try changeContents(folder) { text in
      text.replacing(try Regex(pattern), with: replacement, maxReplacements: 1)
    }
    let file = try await Naming.small.open(at: folder.file)
    for id in 100...101 {
      let error = await #expect(throws: StoreFileError.self) {
        try await file.write { tx in
          try tx.insert(Count(id: id, value: 1))
          try tx.insert(Group(id: id, order: 1, rowid: ""))
        }
      }
      #expect(error?.code == .damaged)
    }
    withExtendedLifetime(file) {}
  }

  /// Bug: rows were sealed at the version of the file, and none above another bound was read.
  @Test func `a file of too many versions is repaired, and its rows are read under a key`() async throws {
    let folder = try await file()
    try changeContents(folder) { text in
      text.replacing(try Regex(#""version": ?\d+"#), with: "\"version\":\(1 << 61 + 1)", maxReplacements: 1)
    }
    let error = await #expect(throws: StoreFileError.self) { try await Naming.small.open(at: folder.file) }
    #expect(error?.code == .damaged)
    let key = SymmetricKey(size: .bits256)
    let repaired = try await Naming.small.open(at: folder.file, .init(repair: .skipDamagedRows))
    try await repaired.write { tx in try tx.upsert(Count(id: 1, value: 10)) }
    try await repaired.changeKey(to: key)
    try await repaired.write { tx in try tx.upsert(Count(id: 2, value: 20)) }
    try await repaired.close()
    let again = try await Naming.small.open(at: folder.file, .init(key: key))
    #expect(again.store.fetch(Count.all).map(\.value) == [10, 20, 3])
    try await again.close()
  }

  @Test func `places that leave no room are damage, and versions begin again at 1`() async throws {
    var folder = try await file()
    try changeContents(folder) { text in
      text.replacing(
        try Regex(#""(storeVersion|reserved)": ?\d+"#),
        with: { "\"\($0.output[1].substring ?? "")\":\(1 << 60)" })
    }
    let opened = try await Naming.small.open(at: folder.file)
    #expect(opened.store.version == Version(1) && opened.store.count(Count.all) == 3)
    try await opened.write { tx in try tx.insert(Count(id: 4, value: 4)) }
    try await opened.close()
    let again = try await Naming.small.open(at: folder.file)
    #expect(again.store.version == Version(2))
    try await again.close()

    for place: Int64 in [1 << 45, 1 << 46] {
      folder = try await file(
        "UPDATE Count SET _place = \(place), _check = \(RowDigest.ofIntegers([3, 3], place: place)) WHERE id = 3"
      )
      try changeContents(folder) { text in
        let old = RowDigest.ofIntegers([3, 3], place: 3)
        let new = RowDigest.ofIntegers([3, 3], place: place)
        let sum = try #require(text.firstMatch(of: /"Count":.*?"checksum": ?(-?\d+)/)).output.1
        let changed = (try #require(Int64(sum))) &- old &+ new
        return text.replacing(":\(sum)", with: ":\(changed)").replacing(": \(sum)", with: ":\(changed)")
      }
      let (refusal, counts, _) = try await use(folder)
      #expect(refusal?.code == .damaged)
      #expect(counts == [1, 2])
    }
  }
}
