import LiveStore
import LiveStoreSQLite
import Testing

private enum Other {
  struct Count: Entity, Codable {
    let id: Int
    var value: [Int]
    static let schema = Schema<Count> { \.value }
  }
}

/// Objects of tables that are so large that several threads decode them.
@Suite(.timeLimit(.minutes(10))) struct `Large tables that are read` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func make() async throws {
    let file = try await StoreFile.open(at: folder.file, Count.self)
    try await file.write { tx in try tx.insert(contentsOf: (0..<20_000).map { Count(id: $0, value: -$0) }) }
    try await file.close()
  }

  @Test func `a row at the beginning that is no object is an error that names it`() async throws {
    try await make()
    do {
      try await StoreFile.open(at: folder.file, Other.Count.self).close()
      Issue.record("it was opened")
    } catch let error as StoreFileError {
      #expect(error.code == .mismatch && error.row == 1)
    }
  }

  @Test func `objects have the order of their rows`() async throws {
    try await make()
    let file = try await StoreFile.open(at: folder.file, Count.self)
    #expect(file.store.fetch(Count.all).map(\.id) == Array(0..<20_000))
    #expect(file.store.fetch(Count.all).allSatisfy { $0.value == -$0.id })
    try await file.close()
  }
}
