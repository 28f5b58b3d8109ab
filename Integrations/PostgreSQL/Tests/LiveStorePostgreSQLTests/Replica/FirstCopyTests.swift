import LiveStore
import Testing

import LiveStorePostgreSQL

@Suite(.timeLimit(.minutes(20))) struct `The first copy` {
  private struct Broken: Error {}

  /// An engine without pages, and a copy of them.
  private static func sample() async throws -> (ReplicaEngine, FirstCopy, any RowReader) {
    let engine = try await ReplicaEngine.sample()
    try await engine.follow { tx in try tx.deleteAll(Page.self) }
    let reader = try Page.reader()
    return (engine, FirstCopy(engine, [reader], estimates: [3]), reader)
  }

  @Test func `rows of several pieces are inserted in their order, in one commit`() async throws {
    let (engine, copy, reader) = try await Self.sample()
    let version = engine.store.version
    let decoder = try Page.reader()
    try reader.stage(Page.rows((2, "a"), (1, "b")))
    try decoder.stage(Page.rows((4, "c")))
    try reader.takeStaged(from: decoder)
    #expect(reader.stagedCount == 3 && decoder.stagedCount == 0 && engine.store.version == version)
    copy.end(0)
    try copy.check()
    try await copy.finish()
    #expect(engine.store.fetch(Page.all).map(\.title) == ["a", "b", "c"])
    #expect(engine.store.version.number == version.number + 1)
  }

  // It was committed, as the rows of the last table had ended.
  @Test(arguments: [false, true])
  func `a copy that fails leaves the store as it was, also after its last row`(hasAll: Bool) async throws {
    let (engine, copy, reader) = try await Self.sample()
    let version = engine.store.version
    try reader.stage(Page.rows((1, "a"), (2, "b")))
    if hasAll { copy.end(0) }
    await #expect(throws: Broken.self) { try await copy.abandon(Broken()) }
    #expect(engine.store.version == version && engine.store.count(Page.all) == 0)
    // Its write lock is free.
    #expect(try await engine.follow { tx in try tx.insert(Page(3, "new")) } != nil)
  }

  // All other rows were read first, and a failure meanwhile was told in its place.
  @Test func `a row that cannot be inserted is known while others come, and is why the copy fails`()
    async throws
  {
    let (engine, copy, reader) = try await Self.sample()
    let version = engine.store.version
    var failure: PostgresError?
    // Rows are inserted some at a time, so that others must come.
    while failure == nil {
      try reader.stage(Page.rows((1, "a"), (1, "b")))
      await Task.yield()
      do { try copy.check() } catch { failure = try #require(error as? PostgresError) }
    }
    #expect(failure?.code == PostgresError.invalidTable && failure?.value == "1")
    try reader.stage(Page.rows((2, "c")))
    let error = await #expect(throws: PostgresError.self) { try await copy.abandon(Broken()) }
    #expect(error?.code == PostgresError.invalidTable)
    #expect(engine.store.version == version)
  }
}
