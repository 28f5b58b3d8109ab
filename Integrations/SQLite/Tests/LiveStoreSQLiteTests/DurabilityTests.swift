import Foundation
import GRDB
import LiveStore
import LiveStoreSQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Waiting for the file` {
  private let folder: Folder
  private let file: StoreFile

  init() async throws {
    folder = try Folder()
    file = try await StoreFile.open(at: folder.file, Count.self)
  }

  /// The version that the next commit will have.
  private func nextVersion() async throws -> Version {
    try await file.store.write { tx in tx.version }
  }

  @Test func `waiting for a version that is not committed yet ends when it is in the file`() async throws {
    let next = try await nextVersion()
    #expect(next > file.store.version)
    let waiting = Task { [file] in
      try await file.durable(through: next)
      return file.durableVersion
    }
    await Task.yield()
    try await file.store.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    #expect(try await waiting.value == next)
    try await file.close()
  }

  @Test func `a wait that is cancelled ends at once, and the others go on`() async throws {
    let next = try await nextVersion()
    let cancelled = Task { [file] in try await file.durable(through: next) }
    let waiting = Task { [file] in try await file.durable(through: next) }
    await Task.yield()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    try await file.store.write { tx in try tx.insert(Count(id: 1, value: 1)) }
    try await waiting.value
    #expect(file.durableVersion == next)
    try await file.close()
  }

  @Test func `closing writes what was committed, and ends what waits for more`() async throws {
    let store = file.store
    for id in 0..<50 { try await store.write { tx in try tx.insert(Count(id: id, value: id)) } }
    let next = try await nextVersion()
    let waiting = Task { [file] in try await file.durable(through: next) }
    await Task.yield()
    try await file.close()
    let error = await #expect(throws: StoreFileError.self) { try await waiting.value }
    #expect(error?.code == .closed)
    let again = try await StoreFile.open(at: folder.file, Count.self)
    #expect(again.store.count(Count.all) == 50)
    try await again.close()
  }

  @Test func `states are the versions of the file, upwards, and end when it is closed`() async throws {
    let states = file.states
    let reading = Task {
      var found: [StoreFile.State] = []
      for await state in states { found.append(state) }
      return found
    }
    for id in 0..<20 { try await file.write { tx in try tx.insert(Count(id: id, value: id)) } }
    let last = file.store.version
    try await file.close()
    let versions = await reading.value.compactMap { state in
      if case .durable(let version) = state { version } else { nil }
    }
    #expect(versions == versions.sorted() && versions.last == last)
  }

  /// Bug: one small row that waited was reported as the size of the whole file, and large rows as 100 bytes each.
  ///
  /// Cause: rows were counted by the size of the file, which is mostly that of its tables and of what is not in the log.
  @Test func `the lag in bytes is about what the rows that wait have, while a young file cannot be written`()
    async throws
  {
    try await file.write { tx in try tx.insert(Count(id: 0, value: 0)) }
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    try await file.store.write { tx in
      for id in 1...10 { try tx.insert(Count(id: id, value: id)) }
    }
    let counts = file.metrics.lagBytes
    #expect(counts >= 10 * 16 && counts <= 10 * 64)
    try await file.store.write { tx in try tx.deleteAll(Count.self) }
    #expect(file.metrics.lagBytes <= 64)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try await file.durable(through: file.store.version)
    #expect(file.metrics.lagBytes == 0)
    try queue.close()
    try await file.close()
  }

  @Test func `the lag in bytes counts long texts, before anything is in the file`() async throws {
    let folder = try Folder()
    let file = try await StoreFile.open(at: folder.file, Page.self)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    try await file.store.write { tx in
      for id in 0..<1_000 { try tx.insert(Page(id: id, text: String(repeating: "x", count: 2_000))) }
    }
    let lag = file.metrics.lagBytes
    #expect(lag >= 2_000_000 && lag <= 2_100_000)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try queue.close()
    try await file.close()
  }

  struct Page: Entity, Codable {
    let id: Int
    var text: String
    static let schema = Schema<Page> { \.text }
  }

  @Test func `while the file is locked writing fails, and nothing is lost when it is free again`()
    async throws
  {
    var states = file.states.makeAsyncIterator()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    let version = try await file.store.write { tx in
      try tx.insert(Count(id: 1, value: 1))
      return tx.version
    }
    let error = await #expect(throws: StoreFileError.self) { try await file.durable(through: version) }
    #expect(error?.code == .ioFailed)
    #expect(file.durableVersion < version && file.metrics.failures > 0)
    while let state = await states.next() {
      if case .failing(let error) = state {
        #expect(error.code == .ioFailed)
        break
      }
    }
    // The store goes on.
    try await file.store.write { tx in try tx.insert(Count(id: 2, value: 2)) }
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    while let state = await states.next() {
      if case .durable(file.store.version) = state { break }
    }
    try await file.durable(through: file.store.version)
    try queue.close()
    try await file.close()
    let again = try await StoreFile.open(at: folder.file, Count.self)
    #expect(again.store.fetch(Count.all).map(\.id) == [1, 2])
    try await again.close()
  }

  @Test func `readers that open while the file is written have one version of it`() async throws {
    // Each version has its number of counts and groups, all of its value.
    let both = try Folder()
    let file = try await Naming.small.open(at: both.file)
    let write: @Sendable (Int) async throws -> Void = { round in
      try await file.write { tx in
        try tx.deleteAll()
        for id in 0..<round % 7 + 3 {
          try tx.insert(Count(id: id, value: round))
          try tx.insert(Group(id: id, order: round, rowid: "\(round)"))
        }
      }
    }
    try await write(1)
    let writing = Task {
      var round = 2
      while !Task.isCancelled {
        try await write(round)
        round += 1
      }
    }
    defer { writing.cancel() }
    for _ in 0..<200 {
      let reader = try await Naming.small.open(at: both.file, .init(isReadOnly: true))
      let found = Model(of: reader.store.snapshot(), .small)
      let round = found.counts.first?.value ?? 0
      #expect(found.counts.allSatisfy { $0.value == round } && found.counts.count == round % 7 + 3)
      #expect(found.groups.allSatisfy { $0.order == round } && found.groups.count == round % 7 + 3)
    }
  }

  /// Regression: openings held all threads that tasks run on, so that writing did not get one.
  @Test func `writing goes on while the file is opened for reading again and again`() async throws {
    let large = try Folder()
    let file = try await StoreFile.open(at: large.file, Count.self)
    try await file.write { tx in
      try tx.insert(contentsOf: (0..<5_000).map { Count(id: $0, value: 0) })
    }
    let readers = (0..<4).map { _ in
      Task {
        var opened = 0
        while !Task.isCancelled {
          let reader = try await StoreFile.open(
            at: large.file, Count.self, options: .init(isReadOnly: true))
          #expect(reader.store.count(Count.all) == 5_000)
          opened += 1
        }
        return opened
      }
    }
    for round in 1...40 {
      try await file.write { tx in try tx.update(Count.self, round) { $0.value = round } }
    }
    for reader in readers {
      reader.cancel()
      // An opening may be cancelled in the middle.
      _ = await reader.result
    }
    try await file.close()
  }
}
