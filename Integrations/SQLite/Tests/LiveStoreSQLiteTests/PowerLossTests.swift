import CrashScenario
import FaultyFiles
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Losses of power and failures of the disk` {
  private let folder: Folder
  private static let options = StoreFile.Options(retryDelay: .microseconds(1))
  private static let steps = 8

  init() throws { folder = try Folder(inMemory: true) }

  /// Opens the file as soon as the last owner, which was released, has given it up.
  private func open() async throws -> StoreFile {
    while true {
      do {
        return try await StoreFile.open(at: folder.file, Entry.self, Position.self, options: Self.options)
      } catch let error as StoreFileError where error.code == .inUse {
        try await waitForOwner()
      }
    }
  }

  private func step(_ file: StoreFile) -> Int { file.store.snapshot()[Position.self, 0]?.step ?? 0 }

  /// Runs the scenario until something fails; gives the last transaction that is durable.
  private func run(through last: Int, compacting: Bool = false) async -> Int {
    var durable = 0
    do {
      let file = try await open()
      durable = step(file)
      while durable < last {
        let next = durable + 1
        try await file.write { tx in try CrashScenario.write(next, &tx) }
        durable = next
        if compacting, next % 4 == 0 { try await file.compact() }
      }
      try await file.close()
    } catch {
      return durable
    }
    return durable
  }

  private func requireContent(_ place: String, least: Int) async throws {
    let file: StoreFile
    do {
      file = try await open()
    } catch {
      try require(false, "\(place): \(error)")
      return
    }
    let step = step(file)
    try require(step >= least, "\(place): it has \(step), and \(least) was acknowledged")
    var content = CrashScenario.Content()
    content.advance(through: step)
    try require(Array(file.store.fetch(Entry.all)) == content.entries, "\(place): \(step) is not whole")
    try await file.close()
  }

  private func empty() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    }
  }

  /// How many calls a whole scenario takes.
  private func callCount(compacting: Bool) async throws -> Int {
    try empty()
    FaultyFiles.disarm()
    let before = FaultyFiles.calls.total
    let last = await run(through: Self.steps, compacting: compacting)
    try require(last == Self.steps, "the scenario does not end")
    return FaultyFiles.calls.total - before
  }

  @Test(arguments: [false, true])
  func `a loss of power at any call loses nothing that was acknowledged`(compacting: Bool) async throws {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(compacting: compacting)
      #expect(count > 20)
      for call in 1...count {
        // While the file is made, its first page may be there in part.
        let seeds = (0..<(call < 12 ? 12 : 2)).map { UInt64(call + $0 * count) }
        let losses: [FaultyFiles.Loss] =
          [.unsynced, .prefix(seed: UInt64(call))] + seeds.map { .subset(seed: $0) }
        for loss in losses {
          try empty()
          FaultyFiles.losePower(atCall: call)
          let acknowledged = await run(through: Self.steps, compacting: compacting)
          if !FaultyFiles.hasLostPower { FaultyFiles.losePowerNow() }
          _ = try FaultyFiles.restart(loss)
          let place = "call \(call), \(loss)"
          try await requireContent(place, least: acknowledged)
          let last = await run(through: Self.steps + 2)
          try require(last == Self.steps + 2, "\(place): the scenario does not go on")
          try await requireContent(place, least: last)
        }
      }
    }
  }

  /// Bug: an opening writes, and an app on a full disk did not start.
  @Test func `a file on a full disk opens as another store, which it is when there is room`() async throws {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      try empty()
      var file = try await open()
      try await file.write { tx in try CrashScenario.write(1, &tx) }
      let identity = file.store.identity
      try await file.close()
      FaultyFiles.disarm()
      let before = FaultyFiles.calls.total
      file = try await open()
      let count = FaultyFiles.calls.total - before
      try await file.close()
      var others = 0
      for call in 1...count {
        FaultyFiles.fail(atCall: call, .full, staysFailed: true)
        guard let full = try? await open() else {
          FaultyFiles.disarm()
          continue
        }
        try require(step(full) == 1, "call \(call): it has other objects")
        try await full.store.write { tx in try CrashScenario.write(2, &tx) }
        let error = await #expect(throws: StoreFileError.self) {
          try await full.durable(through: full.store.version)
        }
        FaultyFiles.disarm()
        if error == nil { continue }
        let (other, version) = (full.store.identity, full.store.version)
        try await full.durable(through: version)
        try await full.close()
        file = try await open()
        try require(
          file.store.identity == other && file.store.version == version, "call \(call): it does not go on")
        if other != identity { others += 1 }
        try await file.close()
        try empty()
        file = try await open()
        try await file.write { tx in try CrashScenario.write(1, &tx) }
        try await file.close()
      }
      #expect(others > 0)
    }
  }

  @Test(arguments: [FaultyFiles.Failure.io, .full])
  func `a call that fails once is an error to the waiting caller, and the next attempt succeeds`(
    failure: FaultyFiles.Failure
  ) async throws {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(compacting: false)
      var failures = 0
      for call in 1...count {
        try empty()
        FaultyFiles.fail(atCall: call, failure, staysFailed: false)
        // Opening may fail, too; it does not twice.
        var file = try? await open()
        if file == nil {
          failures += 1
          file = try await open()
        }
        let opened = try #require(file)
        for step in (step(opened) + 1)...Self.steps {
          try await opened.store.write { tx in try CrashScenario.write(step, &tx) }
          do {
            try await opened.durable(through: opened.store.version)
          } catch let error as StoreFileError {
            failures += 1
            try require(error.code == .ioFailed, "call \(call): \(error)")
            try await opened.durable(through: opened.store.version)
          }
        }
        try await opened.close()
        FaultyFiles.disarm()
        try await requireContent("call \(call)", least: Self.steps)
      }
      // Those of checkpoints are not reported by SQLite, which repeats them.
      #expect(failures > count / 4)
    }
  }

  @Test func `while the disk is full the store goes on, and afterwards the file has all of it`() async throws
  {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let file = try await open()
      try await file.write { tx in try CrashScenario.write(1, &tx) }
      var states = file.states.makeAsyncIterator()
      #expect(await states.next() == .durable(file.store.version))
      FaultyFiles.fail(atCall: 1, .full, staysFailed: true)
      for step in 2...40 {
        try await file.store.write { tx in try CrashScenario.write(step, &tx) }
        let error = await #expect(throws: StoreFileError.self) {
          try await file.durable(through: file.store.version)
        }
        #expect(error?.code == .ioFailed)
      }
      guard case .failing(let error) = await states.next() else {
        Issue.record("the failure is not reported")
        return
      }
      #expect(error.code == .ioFailed && error.message.contains(folder.file.path))
      #expect(file.durableVersion.number == 1 && file.metrics.lag == 39 && file.metrics.failures >= 39)
      // The file is small, but what waits is 39 steps of some rows.
      #expect(file.metrics.lagBytes > 0 && file.metrics.lagBytes < 39 * 4_096)
      await #expect(throws: StoreFileError.self) { try await file.close() }
      FaultyFiles.disarm()
      // An attempt may have begun before.
      try? await file.durable(through: file.store.version)
      try await file.durable(through: file.store.version)
      #expect(file.metrics.lag == 0)
      try await file.close()
      try await requireContent("afterwards", least: 40)
    }
  }
}
