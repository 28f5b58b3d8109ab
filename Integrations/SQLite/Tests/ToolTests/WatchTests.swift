import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Programs
import Synchronization
import Testing
import livestore_sqlite

/// What a watch printed, for a test that waits for lines.
private final class Printed: Sendable {
  private let lines = Mutex<[String]>([])

  func append(_ new: any Sequence<String>) { lines.withLock { $0 += new.map(\.self) } }

  var all: [String] { lines.withLock { $0 } }
}

/// A pause of the watch that ends when the test says so.
private final class Gate: Sendable {
  private let looks = AsyncStream.makeStream(of: Void.self)

  /// Lets the watch look at the file once.
  func open() { looks.continuation.yield() }

  func wait() async throws {
    for await _ in looks.stream { return }
    throw CancellationError()
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Watching a file` {
  private let file: TemporaryFile

  init() throws { file = try TemporaryFile() }

  /// Watches while a body runs, which looks at the file by calling its argument with how many lines there are to be.
  private func watch(
    _ arguments: [String], key: SymmetricKey? = nil, isJSON: Bool = false,
    _ body:
      @escaping @Sendable (_ copy: FileCopy, _ look: @Sendable (Int) async throws -> [String]) async throws ->
      Void
  ) async throws {
    let (printed, gate) = (Printed(), Gate())
    let selection = try QueryOptions(parsing: ["Post"] + arguments)
    let copy = try FileCopy(FileReader(file.url, key: key), "Post")
    let loop = WatchLoop(copy, selection, isJSON: isJSON) { _ in try await gate.wait() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await loop.run { printed.append($0) } }
      group.addTask {
        try await body(copy) { count in
          gate.open()
          while printed.all.count < count {
            try Task.checkCancellation()
            await Task.yield()
          }
          return printed.all
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  @Test(arguments: [nil, SymmetricKey(size: .bits256)])
  func `insertions, deletions, modifications and moves are printed`(key: SymmetricKey?) async throws {
    let store = try await file.open(posts, key: key)
    let ids = posts.map(\.id)
    try await watch(
      ["--where", "likeCount > 5", "--sort", "likeCount", "--select", "title,likeCount"], key: key
    ) {
      _, look in
      #expect(
        try await look(3) == [
          "version 1: 2 objects", #"= 0      {"title":"Cake, sweet","likeCount":12}"#,
          #"= 1      {"title":"Pie","likeCount":40}"#,
        ])
      try await store.write { tx in try tx.update(Post.self, ids[0]) { $0.likeCount = 6 } }
      #expect(try await look(4).last == #"+ 0      {"title":"Tea","likeCount":6}"#)
      try await store.write { tx in try tx.update(Post.self, ids[0]) { $0.likeCount = 50 } }
      let lines = try await look(6)
      #expect(lines[4] == #"~ 2      "\#(ids[0].uuidString)"  likeCount: 6 → 50"#)
      #expect(lines[5] == #"> 0 → 2  "\#(ids[0].uuidString)""#)
      try await store.write { tx in try tx.delete(Post.self, ids[2]) }
      #expect(try await look(7).last == #"- 1      {"title":"Pie","likeCount":40}"#)
      // Of what is not shown, nothing is printed.
      try await store.write { tx in try tx.update(Post.self, ids[0]) { $0.rating = 1 } }
      try await store.write { tx in try tx.update(Post.self, ids[1]) { $0.title = "Cake" } }
      #expect(try await look(8).last == #"~ 0      "\#(ids[1].uuidString)"  title: "Cake, sweet" → "Cake""#)
    }
    try await store.close()
  }

  /// Bug: what was shown was what the entity had at first, which is nothing where there was no object.
  @Test func `properties that come with later objects are shown`() async throws {
    let store = try await file.open([])
    try await store.write { tx in try tx.insert(Tag(id: 1)) }
    try await watch([]) { _, look in
      #expect(try await look(1) == ["version 1: 0 objects"])
      try await store.write { tx in try tx.insert(posts[0]) }
      #expect(try await look(2).last?.hasSuffix(#","title":"Tea","likeCount":3,"tags":["hot"]}"#) == true)
    }
    try await store.close()
  }

  @Test func `changes are objects of JSON when asked for`() async throws {
    let store = try await file.open(posts)
    try await watch(["--limit", "1", "--select", "title"], isJSON: true) { _, look in
      #expect(try await look(1) == [#"{"change":"initial","index":0,"object":{"title":"Tea"}}"#])
      try await store.write { tx in try tx.update(Post.self, posts[0].id) { $0.title = "Green" } }
      #expect(
        try await look(2).last
          == #"{"change":"modify","oldIndex":0,"index":0,"old":{"title":"Tea"},"object":{"title":"Green"}}"#)
    }
    try await store.close()
  }

  @Test func `of a large table, only the rows that were written are read again`() async throws {
    let many = (0..<5_000).map { Post(id: UUID(), title: "\($0)", likeCount: $0) }
    let store = try await file.open(many)
    let copy = try FileCopy(FileReader(file.url, key: nil), "Post")
    try await copy.update()
    #expect(await copy.rowsRead == 5_000)
    for round in 0..<20 {
      try await store.write { tx in
        try tx.update(Post.self, many[round * 100].id) { $0.likeCount = -1 }
        try tx.delete(Post.self, many[round * 100 + 1].id)
        try tx.insert(Post(id: UUID(), title: "new", likeCount: round))
      }
      try await copy.update()
      try await copy.update()
      #expect(await copy.rowsRead == 5_000 + (round + 1) * 2)
    }
    let titles = copy.store.fetch(StoredObject.all).map { $0.value(at: ["title"]) }
    #expect(titles == store.store.fetch(Post.all).map { .string($0.title) })
    try await store.close()
  }

  @Test func `a table that was not written is not looked at`() async throws {
    let store = try await file.open(posts)
    let copy = try FileCopy(FileReader(file.url, key: nil), "Post")
    try await copy.update()
    #expect(await copy.marksRead == 3)
    try await store.write { tx in try tx.insert(Tag(id: 1)) }
    try await copy.update()
    #expect(await copy.marksRead == 3)
    #expect(await copy.version == 2)
    try await store.write { tx in try tx.update(Post.self, posts[0].id) { $0.likeCount += 1 } }
    try await copy.update()
    #expect(await copy.marksRead == 6)
    #expect(await copy.rowsRead == 4)
    try await store.close()
  }

  /// Bug: each look gave the rows that it read a description of the table of their own, which lived as long as they.
  @Test func `rows that are read at different times share what describes their table`() async throws {
    let store = try await file.open(posts)
    let reader = try FileReader(file.url, key: nil)
    var layouts: [RowLayout?] = []
    for round in 0..<3 {
      try await store.write { tx in try tx.update(Post.self, posts[0].id) { $0.likeCount = round } }
      try reader.read { layouts.append($0.layout("Post")) }
    }
    #expect(layouts[0] != nil && layouts.allSatisfy { $0 === layouts[0] })
    try await store.close()
  }

  @Test func `looks are as far apart as a fifth of a processor allows`() {
    let interval = Duration.milliseconds(200)
    for (cost, delay) in [(0, 200), (50, 200), (51, 204), (2_000, 8_000)] {
      #expect(WatchLoop.delay(interval: interval, cost: .milliseconds(cost)) == .milliseconds(delay))
    }
  }

  @Test func `an object that comes back at its old place is there in the copy, too`() async throws {
    let store = try await file.open(posts)
    let copy = try FileCopy(FileReader(file.url, key: nil), "Post")
    try await copy.update()
    let difference = try await store.store.write { tx in
      try tx.delete(Post.self, posts[1].id)
      return tx.version
    }
    try await store.durable(through: difference)
    try await copy.update()
    #expect(copy.store.count(StoredObject.all) == 2)
    try await store.store.write { tx in try tx.insert(posts[1]) }
    try await store.durable(through: store.store.version)
    try await copy.update()
    let titles = copy.store.fetch(StoredObject.all).map { $0.value(at: ["title"]) }
    #expect(titles == store.store.fetch(Post.all).map { .string($0.title) })
    try await store.close()
  }

  @Test func `a file that was closed is followed when an app opens it, and after it was closed again`()
    async throws
  {
    try await file.make(posts)
    let copy = try FileCopy(FileReader(file.url, key: nil), "Post")
    for round in 1...3 {
      let store = try await file.open()
      try await store.write { tx in try tx.insert(Post(id: UUID(), title: "\(round)", likeCount: 0)) }
      #expect(try await copy.update())
      #expect(copy.store.count(StoredObject.all) == 3 + round)
      try await store.close()
      #expect(try await copy.update())
    }
  }

  @Test(arguments: ["removed", "replaced"])
  func `watching ends when the file is removed or replaced`(how: String) async throws {
    try await file.make(posts)
    let arguments = ["watch", file.url.path, "Post", "--interval", "0.01"]
    let result = try await ToolProcess.run(arguments) { process in
      #expect(try await process.lines(4).count == 4)
      try StoreFile.remove(at: file.url)
      if how == "replaced" {
        // Another file has taken the number by then.
        try Data("x".utf8).write(to: file.folder.appendingPathComponent("y"))
        try await file.make(posts)
      }
    }
    #expect(result.status == 66 && result.error.contains("was re"), "\(result)")
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `a signal ends watching with its status and no message`(
    signal: Int32
  )
    async throws
  {
    try await file.make(posts)
    let result = try await ToolProcess.run(["watch", file.url.path, "Post"]) { process in
      #expect(try await process.lines(4).count == 4)
      try process.send(signal)
    }
    #expect(result.status == 128 + signal && result.error.isEmpty, "\(result)")
  }

  @Test func `watching ends when the pipe is closed, also while nothing is printed`() async throws {
    try await file.make(posts)
    let arguments = ["watch", file.url.path, "Post", "--interval", "0.01"]
    let result = try await ToolProcess.run(arguments, readsToEnd: false) { process in
      let hasOutput = try await process.read()
      #expect(hasOutput)
    }
    #expect(result.status == 0 && result.error.isEmpty, "\(result)")
  }
}
