import Crypto
import FaultyFiles
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// Random transactions, compactions, backups and changes of the key, with the file closed and opened again and repaired
/// after damage, until the power is lost at a random call; then again.
struct LongScenario {
  private let folder: Folder
  private var random: SplitMix64
  private var transactions: RandomTransactions
  /// The versions since the last that is known to be durable, which is the first.
  private var versions = [Model()]
  /// The keys that the file may have.
  private var keys: [SymmetricKey?] = [nil]
  private(set) var log: [String] = []
  private(set) var losses = 0

  init(_ seed: UInt64, _ folder: Folder) {
    self.folder = folder
    random = SplitMix64(seed: seed)
    transactions = RandomTransactions(random.fork())
  }

  mutating func run() async throws {
    for _ in 0..<random.int(2...4) {
      if random.chance(4, in: 5) {
        FaultyFiles.losePower(atCall: random.int(1...random.pick([40, 400, 1_500])))
      }
      do {
        try await session(random.int(1...70))
      } catch let error as StoreFileError {
        try require(FaultyFiles.hasLostPower, "without a loss of power: \(error)")
      }
      let loss = random.pick([
        FaultyFiles.Loss.unsynced, .prefix(seed: random.next()), .subset(seed: random.next()),
      ])
      log.append("power lost: \(FaultyFiles.hasLostPower), \(loss)")
      losses += FaultyFiles.hasLostPower ? 1 : 0
      try FaultyFiles.restart(loss)
      try await checkAndAdopt("after the loss")
      if random.chance(1, in: 4) { try await repair() }
    }
  }

  /// Opens the file as soon as it has no owner, with the key that fits.
  private mutating func open(_ repair: StoreFile.Options.Repair = .none) async throws -> StoreFile {
    for (index, key) in keys.enumerated() {
      while true {
        do {
          let file = try await Naming.all.open(
            at: folder.file, .init(key: key, repair: repair, retryDelay: .microseconds(1)))
          keys = [key]
          return file
        } catch let error as StoreFileError where error.code == .inUse {
          try await waitForOwner()
        } catch let error as StoreFileError where error.code == .wrongKey && index < keys.count - 1 {
          break
        }
      }
    }
    throw Mismatch("none of \(keys.count) keys fits")
  }

  private mutating func session(_ steps: Int) async throws {
    var file = try await open()
    for _ in 0..<steps {
      switch random.int(0...29) {
      case 0:
        log.append("compact")
        try await file.compact()
        acknowledge()
      case 1:
        log.append("backup")
        try await file.backup(to: folder.url.appendingPathComponent("backup.db"))
        acknowledge()
      case 2:
        let key =
          random.chance(1, in: 3)
          ? nil
          : SymmetricKey(data: Data((0..<32).map { _ in UInt8(truncatingIfNeeded: random.next() >> 9) }))
        log.append("change the key")
        keys.append(key)
        try await file.changeKey(to: key)
        keys = [key]
      case 3:
        log.append("close and open")
        try await file.close()
        acknowledge()
        file = try await open()
      default: try await write(file)
      }
    }
    if random.chance(1, in: 2) {
      try await file.close()
      acknowledge()
    }
  }

  private mutating func write(_ file: StoreFile) async throws {
    var next = versions[versions.count - 1]
    let steps = transactions.transaction(&next, .all)
    let body: @Sendable (inout WriteTransaction) throws -> Void = { tx in
      for step in steps { try step.apply(&tx) }
    }
    log.append("write, \(steps.map(\.text).joined(separator: ", "))")
    do {
      try await file.store.write(body)
    } catch let error as StoreError {
      return try require(!next.isValid, "the transaction was refused: \(error)")
    }
    if next != versions[versions.count - 1] { versions.append(next) }
    if random.chance(1, in: 2) {
      try await file.durable(through: file.store.version)
      acknowledge()
    }
  }

  /// The newest version is durable. A compaction or a backup says so of none that was committed meanwhile.
  private mutating func acknowledge() {
    if log.last == "compact" { return }
    versions.removeFirst(versions.count - 1)
  }

  /// The file has one of the versions, from which it goes on.
  private mutating func checkAndAdopt(_ place: String) async throws {
    let file = try await open()
    let found = Model(of: file.store.snapshot(), .all)
    try found.check(file.store, .all, place)
    if !versions.contains(found) {
      try versions[0].checkSame(as: found, "\(place): none of \(versions.count) versions")
    }
    versions = [found]
    try await file.close()
  }

  /// Something overwrites a block of the file, which is then repaired.
  private mutating func repair() async throws {
    var bytes = [UInt8](try Data(contentsOf: folder.file))
    // Not the first page, without which there is nothing to repair.
    guard bytes.count > 3 * 4_096 else { return }
    let place = random.int(4_096...bytes.count - 600)
    for index in place..<place + random.int(1...600) {
      bytes[index] = UInt8(truncatingIfNeeded: random.next() >> 9)
    }
    log.append("damage from \(place)")
    try Data(bytes).write(to: folder.file)
    do {
      let file = try await open(.skipDamagedRows)
      let found = Model(of: file.store.snapshot(), .all)
      let missing = try found.missing(from: versions[0], "repaired")
      try require(
        missing.isSubset(of: file.damagedRows.map(\.table)), "missing in \(missing): \(file.damagedRows)")
      versions = [found]
      try await file.close()
      try await checkAndAdopt("after the repair")
    } catch is StoreFileError {
      // What is beyond repair is replaced by a new one.
      try StoreFile.remove(at: folder.file)
      (versions, keys) = ([Model()], [nil])
    }
  }
}
