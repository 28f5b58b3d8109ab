import Crypto
import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Changes of the key in portions` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ key: SymmetricKey?, _ url: URL? = nil) async throws -> StoreFile {
    try await Naming.all.open(at: url ?? folder.file, .init(key: key))
  }

  /// A file with some counts, and teams with a text that can be found in its bytes.
  private func made(_ key: SymmetricKey?, counts: Int = 40) async throws -> StoreFile {
    let file = try await open(key)
    try await file.write { tx in
      for id in 0..<counts { try tx.insert(Count(id: id, value: id)) }
      for id in ["a", "b", "c"] { try tx.insert(Team(id: id, name: "name-\(id)", motto: "plain-\(id)")) }
    }
    return file
  }

  /// Opens the file with a key, and compares it with a model.
  private func check(_ model: Model, _ key: SymmetricKey?, _ place: String) async throws {
    let file = try await open(key)
    try model.check(file.store, .all, place)
    try await file.close()
    #expect(try KeyChangePortions.tables(folder.file) == [], "\(place)")
  }

  // MARK: Transactions

  /// Bug: the key was changed by one transaction, and all others waited for it and for the file to be compacted.
  @Test(arguments: KeyChange.allCases)
  func `transactions are durable after any portion of a change of the key`(change: KeyChange) async throws {
    let file = try await made(change.before)
    let written = Counter()
    let portions = try await KeyChangePortions.of(rows: 4) { number in
      // A row that is copied, one that is not, one that is gone, and a new one.
      let write: @Sendable (inout WriteTransaction) throws -> Void = { tx in
        try tx.upsert(Count(id: number % 40, value: -number))
        try tx.upsert(Count(id: 39 - number % 40, value: -number))
        try tx.delete(Count.self, number * 7 % 40)
        try tx.insert(Count(id: 100 + number, value: number))
      }
      let result = await Task { try await file.write(write) }.result
      if case .success = result, file.durableVersion == file.store.version { written.next() }
    } _: {
      try await file.changeKey(to: change.after)
    }
    #expect(portions > 20 && written.value == portions, "\(written.value) of \(portions)")
    let model = Model(of: file.store.snapshot(), .all)
    try await file.close()
    try await check(model, change.after, "\(change)")
  }

  @Test(arguments: Seeds.forSuite(12, thorough: 400))
  func `random transactions beside changes of the key are all in the file`(seed: UInt64) async throws {
    var history = try KeyChangeHistory(seed)
    do {
      try await history.run()
    } catch {
      Issue.record("LIVESTORE_SEED=\(seed): \(error)\n\(history.log.suffix(30).joined(separator: "\n"))")
    }
    #expect(history.portions > 10, "LIVESTORE_SEED=\(seed)")
  }

  @Test(arguments: KeyChange.allCases)
  func `an entity that gets its first object during a change of the key has it afterwards`(change: KeyChange)
    async throws
  {
    let part = try await Naming.withoutJobs.open(at: folder.file, .init(key: change.before))
    try await part.write { tx in
      for id in 0..<20 { try tx.insert(Group(id: id, order: id, rowid: "")) }
    }
    try await part.close()
    // The tables of the others are made by the first transaction.
    let file = try await open(change.before)
    try await KeyChangePortions.of(rows: 4) { number in
      if number < 4 { return }
      try? await file.write { tx in try tx.upsert(Count(id: number, value: number)) }
    } _: {
      try await file.changeKey(to: change.after)
    }
    #expect(file.store.count(Count.all) > 10)
    let model = Model(of: file.store.snapshot(), .all)
    try await file.close()
    try await check(model, change.after, "\(change)")
  }

  // MARK: Cancellation

  @Test(arguments: KeyChange.allCases)
  func
    `a change of the key that is cancelled after any portion leaves the old key or the new one, and no more`(
      change: KeyChange
    ) async throws
  {
    var file = try await made(change.before)
    let model = Model(of: file.store.snapshot(), .all)
    var (old, new, portion, isBehind) = (0, 0, 0, false)
    while !isBehind {
      portion += 1
      let (number, task, current) = (portion, CancellableTask(), file)
      var key = change.after
      let count = await KeyChangePortions.of(rows: 8) {
        if $0 == number { task.cancel() }
      } _: {
        do {
          try await task.run { try await current.changeKey(to: change.after) }
          new += 1
        } catch {
          if !(error is CancellationError) { Issue.record("\(error)") }
          key = change.before
          old += 1
        }
      }
      isBehind = count < number
      let place = "\(change), cancelled after portion \(number)"
      if key == nil { try await file.write { tx in try tx.upsert(Count(id: 0, value: 0)) } }
      if change.before != nil, change.after == nil, key != nil {
        try #require(try !shows("plain-"), "\(place): plain text is left")
      }
      try await file.close()
      try await check(model, key, place)
      file = try await open(key)
      try await file.changeKey(to: change.before)
    }
    #expect(old > 5 && new > 5, "\(old) kept the old key, \(new) got the new one")
    try await file.close()
  }

  /// Whether files of the folder have a text.
  private func shows(_ text: String) throws -> Bool {
    try folder.names.contains { name in
      try Data(contentsOf: folder.url.appendingPathComponent(name)).range(of: Data(text.utf8)) != nil
    }
  }

  @Test func `a change of the key that waits for another one can be cancelled`() async throws {
    let (first, second) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
    let file = try await made(nil)
    let cancelled = Counter()
    try await KeyChangePortions.of(rows: 8) { number in
      let change = Task { try await file.changeKey(to: second) }
      if number % 2 == 0 { await Task.yield() }
      change.cancel()
      if case .failure(let error) = await change.result, error is CancellationError { cancelled.next() }
    } _: {
      try await file.changeKey(to: first)
    }
    #expect(cancelled.value > 5)
    let model = Model(of: file.store.snapshot(), .all)
    try await file.close()
    try await check(model, first, "the first key")
  }

  // MARK: Other operations

  @Test func `closing the file during a change of the key waits for its end`() async throws {
    let key = SymmetricKey(size: .bits256)
    let file = try await made(nil)
    let model = Model(of: file.store.snapshot(), .all)
    let closing = Mutex<Task<Void, any Error>?>(nil)
    try await KeyChangePortions.of(rows: 4) { number in
      guard number == 6 else { return }
      closing.withLock { $0 = Task { try await file.close() } }
      // Until it has begun.
      while (try? await file.store.write { _ in }) != nil { await Task.yield() }
    } _: {
      try await file.changeKey(to: key)
    }
    try await closing.withLock { $0 }?.value
    try await check(model, key, "closed meanwhile")
    let error = await #expect(throws: StoreFileError.self) { try await file.changeKey(to: nil) }
    #expect(error?.code == .closed)
  }

  @Test func `a backup that is asked for during a change of the key has the new key and no other tables`()
    async throws
  {
    let key = SymmetricKey(size: .bits256)
    let file = try await made(key)
    let model = Model(of: file.store.snapshot(), .all)
    let backup = folder.url.appendingPathComponent("backup.db")
    let backups = Mutex<Task<Void, any Error>?>(nil)
    try await KeyChangePortions.of(rows: 4) { number in
      if number == 6 { backups.withLock { $0 = Task { try await file.backup(to: backup) } } }
    } _: {
      try await file.changeKey(to: nil)
    }
    try await backups.withLock { $0 }?.value
    #expect(try KeyChangePortions.tables(backup) == [])
    let copy = try await open(nil, backup)
    try model.check(copy.store, .all, "the backup")
    try await copy.close()
    try await file.close()
  }

  /// Bug: a backup held the connection that writes.
  @Test func `transactions are durable while a backup is copied`() async throws {
    let file = try await made(nil, counts: 20_000)
    let (reports, written) = (Counter(), Counter())
    try await ProgressReporter.$interval.withValue(.zero) {
      try await file.backup(to: folder.url.appendingPathComponent("backup.db")) { _ in
        guard reports.next() == 3 else { return }
        let done = DispatchSemaphore(value: 0)
        Task {
          try await file.write { tx in try tx.upsert(Count(id: -1, value: 1)) }
          done.signal()
        }
        // In vain, where the transaction waits for the backup.
        if done.wait(timeout: .now() + 20) == .success { written.next() }
      }
    }
    #expect(reports.value > 3 && written.value == 1)
    try await file.close()
  }

  // MARK: Damage

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `a table from which a row is missing, or that has an older one, keeps its key`(key: SymmetricKey?)
    async throws
  {
    for isMissing in [true, false] {
      let file = try await made(key)
      let check = key == nil ? "_check, id, value" : "_version, _sealed"
      let queue = try DatabaseQueue(path: folder.file.path)
      try await queue.write { db in
        try db.execute(sql: "CREATE TABLE kept AS SELECT _place, \(check) FROM Count WHERE _place = 7")
      }
      try await file.write { tx in try tx.update(Count.self, 6) { $0.value = 600 } }
      try await queue.write { db in
        try db.execute(sql: "DELETE FROM Count WHERE _place = 7")
        if !isMissing {
          try db.execute(sql: "INSERT INTO Count (_place, \(check)) SELECT * FROM kept")
        }
        try db.execute(sql: "DROP TABLE kept")
      }
      let error = await #expect(throws: StoreFileError.self) {
        try await KeyChangePortions.of(rows: 4) { try await file.changeKey(to: SymmetricKey(size: .bits256)) }
      }
      #expect(error?.code == .damaged && error?.message.hasPrefix("The key was not changed") == true)
      try queue.close()
      try? await file.close()
      #expect(try KeyChangePortions.tables(folder.file) == [])
      let repaired = try await Naming.all.open(
        at: folder.file, .init(key: key, repair: .skipDamagedRows))
      #expect(repaired.store.count(Count.all) == (isMissing ? 39 : 40))
      try await repaired.close()
      try StoreFile.remove(at: folder.file)
    }
  }
}

/// A file whose key is changed again and again, with random transactions after each portion, beside a model.
private struct KeyChangeHistory {
  private let folder: Folder
  private var random: SplitMix64
  private let shared: Shared
  private(set) var portions = 0

  /// What the portions share with the changes.
  private final class Shared: Sendable {
    struct State {
      var model = Model()
      var transactions: RandomTransactions
      var random: SplitMix64
      var log: [String] = []
      var failure: (any Error)?
    }

    let state: Mutex<State>

    init(_ random: inout SplitMix64) {
      state = Mutex(State(transactions: RandomTransactions(random.fork()), random: random.fork()))
    }
  }

  var log: [String] { shared.state.withLock { $0.log } }

  init(_ seed: UInt64) throws {
    folder = try Folder()
    random = SplitMix64(seed: seed)
    shared = Shared(&random)
  }

  mutating func run() async throws {
    var key = random.chance(1, in: 2) ? SymmetricKey(size: .bits256) : nil
    for _ in 0..<random.int(1...3) {
      let file = try await Naming.all.open(at: folder.file, .init(key: key))
      let shared = shared
      try shared.state.withLock { $0.model }.check(file.store, .all, "opening")
      for _ in 0..<20 { await Self.write(shared, file, waits: false) }
      for _ in 0..<random.int(1...3) {
        let (old, new) = (key, random.chance(1, in: 3) ? nil : SymmetricKey(size: .bits256))
        let url = folder.file
        shared.state.withLock {
          $0.log.append("change the key from \(old?.bitCount ?? 0) to \(new?.bitCount ?? 0)")
        }
        portions += try await KeyChangePortions.of(rows: random.int(1...40)) { _ in
          for _ in 0..<shared.state.withLock({ $0.random.int(0...2) }) {
            await Self.write(shared, file, waits: shared.state.withLock { $0.random.chance(1, in: 2) })
          }
          if shared.state.withLock({ $0.random.chance(1, in: 8) }) {
            await Self.checkReading(shared, file, url, [old, new])
          }
        } _: {
          try await file.changeKey(to: new)
        }
        key = new
        if let failure = shared.state.withLock({ $0.failure }) { throw failure }
      }
      try await file.close()
      try require(try KeyChangePortions.tables(folder.file) == [], "tables are left")
    }
    let file = try await Naming.all.open(at: folder.file, .init(key: key))
    try shared.state.withLock { $0.model }.check(file.store, .all, "last opening")
    try await file.close()
  }

  /// Runs a random transaction.
  private static func write(_ shared: Shared, _ file: StoreFile, waits: Bool) async {
    let (steps, next) = shared.state.withLock { state in
      var next = state.model
      let steps = state.transactions.transaction(&next, .all)
      state.log.append(steps.map(\.text).joined(separator: ", "))
      return (steps, next)
    }
    do {
      do {
        try await file.store.write { tx in for step in steps { try step.apply(&tx) } }
        shared.state.withLock { $0.model = next }
      } catch is StoreError where !next.isValid {}
      if waits { try await file.durable(through: file.store.version) }
    } catch {
      shared.state.withLock { $0.failure = error }
    }
  }

  /// A reader has what is durable, with one of the keys.
  private static func checkReading(
    _ shared: Shared, _ file: StoreFile, _ url: URL, _ keys: [SymmetricKey?]
  ) async {
    do {
      try await file.durable(through: file.store.version)
      var opened = 0
      for key in keys {
        do {
          let reading = try await Naming.all.open(at: url, .init(key: key, isReadOnly: true))
          try shared.state.withLock { $0.model }.check(reading.store, .all, "a reader")
          try await reading.close()
          opened += 1
        } catch let error as StoreFileError where error.code == .wrongKey {}
      }
      let isSame = keys[0] == keys[1]
      try require(opened == (isSame ? 2 : 1), "\(opened) of two keys open the file")
    } catch {
      shared.state.withLock { $0.failure = error }
    }
  }
}
