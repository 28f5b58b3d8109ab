import CrashScenario
import Crypto
import FaultyFiles
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Losses of power and failures while the key is changed` {
  private let folder: Folder
  private static let steps = 6

  init() throws { folder = try Folder(inMemory: true) }

  /// Bug: SQLite put rows aside in its own folder for temporary files, unencrypted.
  @Test func `nothing is written to temporary files while the key is changed`() async {
    // In a process of its own, since nothing tells its temporary files from those of other tests.
    await #expect(processExitsWith: .success) {
      let folder = try Folder(inMemory: true)
      try await FaultyFiles.exclusively(under: folder.url.path) {
        let file = try await StoreFile.open(at: folder.file, Author.self)
        try await file.write { tx in
          try tx.insert(
            contentsOf: (0..<30_000).map { _ in Author(id: UUID(), name: String(repeating: "x", count: 200)) }
          )
        }
        let key = SymmetricKey(size: .bits256)
        try await file.changeKey(to: key)
        try await file.write { tx in try tx.delete(Author.all.limit(20_000)) }
        try await file.compact()
        try await file.close()
        try await StoreFile.open(at: folder.file, Author.self, options: .init(key: key)).close()
        #expect(FaultyFiles.temporaryFiles == 0)
      }
    }
  }

  /// Opens the file with the first key that fits, as soon as the last owner has given it up.
  private func open(_ keys: [SymmetricKey?]) async throws -> (StoreFile, key: Int) {
    var last: (any Error)?
    for (index, key) in keys.enumerated() {
      do {
        while true {
          do {
            let file = try await StoreFile.open(
              at: folder.file, Entry.self, Position.self,
              options: .init(key: key, retryDelay: .microseconds(1)))
            return (file, index)
          } catch let error as StoreFileError where error.code == .inUse {
            try await waitForOwner()
          }
        }
      } catch let error as StoreFileError where error.code == .wrongKey {
        last = error
      }
    }
    throw Mismatch("none of the keys opens the file: \(String(describing: last))")
  }

  /// Makes a file with a log that has some steps, and what the test does begins.
  private func begin(_ change: KeyChange) async throws -> StoreFile {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
      try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    }
    let (file, _) = try await open([change.before])
    for step in 1...Self.steps { try await file.write { tx in try CrashScenario.write(step, &tx) } }
    return file
  }

  private func requireContent(_ file: StoreFile, _ place: String, from least: Int) throws {
    let step = file.store.snapshot()[Position.self, 0]?.step ?? 0
    var content = CrashScenario.Content()
    content.advance(through: step)
    try require(step >= least, "\(place): it has \(step), and \(least) was acknowledged")
    try require(Array(file.store.fetch(Entry.all)) == content.entries, "\(place): \(step) is not whole")
  }

  /// Changes the key, writes a step and compacts, until something fails.
  ///
  /// - Returns: the last step that is durable, and whether the key was changed.
  private func work(_ file: StoreFile, _ change: KeyChange) async -> (durable: Int, isChanged: Bool) {
    var (durable, isChanged) = (Self.steps, false)
    do {
      try await file.changeKey(to: change.after)
      isChanged = true
      try await file.write { tx in try CrashScenario.write(Self.steps + 1, &tx) }
      durable = Self.steps + 1
      try await file.compact()
    } catch {}
    return (durable, isChanged)
  }

  /// The same, with a file that has no owner afterwards: without power it cannot be closed, and is released here.
  private func work(_ change: KeyChange, losingPowerAt call: Int) async throws -> (
    durable: Int, isChanged: Bool
  ) {
    let file = try await begin(change)
    FaultyFiles.losePower(atCall: call)
    let result = await work(file, change)
    if !FaultyFiles.hasLostPower { FaultyFiles.losePowerNow() }
    return result
  }

  private func callCount(_ change: KeyChange) async throws -> Int {
    let file = try await begin(change)
    let before = FaultyFiles.calls.total
    _ = await work(file, change)
    let count = FaultyFiles.calls.total - before
    try await file.close()
    return count
  }

  @Test(arguments: KeyChange.allCases)
  func `after a loss of power at any call one of the keys opens the file, which has all objects`(
    change: KeyChange
  )
    async throws
  {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(change)
      #expect(count > 20)
      var found: [Int] = [0, 0]
      for call in 1...count {
        let all: [FaultyFiles.Loss] = [
          .unsynced, .prefix(seed: UInt64(call)), .subset(seed: UInt64(call)),
          .subset(seed: UInt64(call + count)),
        ]
        // The usual run has each call, and the ways of loss one after the other.
        let losses = Environment.isThorough ? all : [all[call % all.count]]
        for loss in losses {
          let (durable, isChanged) = try await work(change, losingPowerAt: call)
          _ = try FaultyFiles.restart(loss)
          let place = "\(change), call \(call) of \(count), \(loss)"
          let keys = isChanged ? [change.after] : [change.before, change.after]
          let (again, key) = try await open(keys)
          found[isChanged ? 1 : key] += 1
          try requireContent(again, place, from: durable)
          try await again.write { tx in try CrashScenario.write(Self.steps + 1, &tx) }
          try await again.changeKey(to: change.before)
          try await again.close()
          let (last, _) = try await open([change.before])
          try requireContent(last, "\(place), afterwards", from: durable)
          try await last.close()
        }
      }
      #expect(found[0] > 0 && (change == .keyToItself || found[1] > 0), "\(found)")
    }
  }

  /// Changes the key in small portions, after each of which a step is written.
  ///
  /// - Returns: the last step that is durable, and whether the key was changed.
  private func workInPortions(_ file: StoreFile, _ change: KeyChange) async -> (durable: Int, isChanged: Bool)
  {
    let steps = Counter()
    let isChanged = Counter()
    await KeyChangePortions.of(rows: 9) { number in
      // Once one has failed, all do.
      guard number == steps.value + 1 else { return }
      let step = Self.steps + number
      do {
        try await file.write { tx in try CrashScenario.write(step, &tx) }
        steps.next()
      } catch {}
    } _: {
      do {
        try await file.changeKey(to: change.after)
        isChanged.next()
      } catch {}
    }
    return (Self.steps + steps.value, isChanged.value > 0)
  }

  /// The same, with a file that has no owner afterwards.
  private func workInPortions(_ change: KeyChange, losingPowerAt call: Int) async throws -> (
    durable: Int, isChanged: Bool
  ) {
    let file = try await begin(change)
    FaultyFiles.losePower(atCall: call)
    let result = await workInPortions(file, change)
    if !FaultyFiles.hasLostPower { FaultyFiles.losePowerNow() }
    return result
  }

  @Test(arguments: KeyChange.allCases)
  func `after a loss of power during a change with transactions in between all of these are in the file`(
    change: KeyChange
  ) async throws {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let first = try await begin(change)
      let before = FaultyFiles.calls.total
      _ = await workInPortions(first, change)
      let count = FaultyFiles.calls.total - before
      try await first.close()
      #expect(count > 100)
      var found: [Int] = [0, 0]
      // The usual run has some calls, spread over all of them.
      for call in stride(from: 1, through: count, by: Environment.isThorough ? 1 : 1 + count / 150) {
        let losses: [FaultyFiles.Loss] = [
          .unsynced, .prefix(seed: UInt64(call)), .subset(seed: UInt64(call)),
        ]
        let (durable, isChanged) = try await workInPortions(change, losingPowerAt: call)
        _ = try FaultyFiles.restart(losses[call % losses.count])
        let place = "\(change), call \(call) of \(count), \(losses[call % losses.count])"
        let keys = isChanged ? [change.after] : [change.before, change.after]
        let (again, key) = try await open(keys)
        found[isChanged ? 1 : key] += 1
        try requireContent(again, place, from: durable)
        let isPlain = keys[key] == nil
        try await again.close()
        try require(
          try KeyChangePortions.tables(folder.file).isEmpty, "\(place): tables are left after an opening")
        let bytes = try Data(contentsOf: folder.file)
        try require(
          (bytes.range(of: Data("revision".utf8)) != nil) == isPlain, "\(place): what can be read is wrong")
      }
      #expect(found[0] > 0 && (change == .keyToItself || found[1] > 0), "\(found)")
    }
  }

  @Test(arguments: KeyChange.allCases, [FaultyFiles.Failure.io, .full])
  func `a change of the key in which a call fails says which key the file has, and writing goes on`(
    change: KeyChange, failure: FaultyFiles.Failure
  ) async throws {
    try await FaultyFiles.exclusively(under: folder.url.path) {
      let count = try await callCount(change)
      var (before, after) = (0, 0)
      for call in 1...count {
        let file = try await begin(change)
        FaultyFiles.fail(atCall: call, failure, staysFailed: false)
        var isChanged = true
        let place = "\(change), call \(call) of \(count)"
        do {
          try await file.changeKey(to: change.after)
        } catch let error as StoreFileError {
          try require(error.code == .ioFailed, "\(place): \(error)")
          isChanged = error.message.contains("The key was changed")
          let names = isChanged || error.message.contains("The key was not changed")
          try require(names, "\(place): \(error) does not say which key the file has")
          if isChanged { after += 1 } else { before += 1 }
        }
        FaultyFiles.disarm()
        try await file.write { tx in try CrashScenario.write(Self.steps + 1, &tx) }
        try await file.compact()
        try await file.close()
        let (again, _) = try await open([isChanged ? change.after : change.before])
        try requireContent(again, place, from: Self.steps + 1)
        try await again.close()
      }
      #expect(before > 0 && after > 0, "\(before) failed before the change, \(after) after it")
    }
  }
}
