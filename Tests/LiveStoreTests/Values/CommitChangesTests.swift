import LiveStore
import TestSupport
import Testing

/// Bug: an object deleted and inserted again in one commit was a deletion and an insertion. Mend: it is one object, by
/// its id.
@Test func `an object deleted and inserted again in one commit is one change of it`() async throws {
  let store = try Store(Item.self)
  try await store.write { tx in
    try tx.insert(contentsOf: [Item(1, name: "a"), Item(2, name: "b"), Item(3, name: "c")])
  }
  let version = store.version
  try await store.write { tx in
    try tx.delete(Item.self, 1)
    try tx.insert(Item(1, name: "z"))
    try tx.delete(Item.self, 3)
    try tx.insert(Item(4, name: "d"))
  }
  var commits = store.commits(after: version).makeAsyncIterator()
  let commit = try #require(try await commits.next())
  let changes = commit.changes(of: Item.self)
  #expect(changes.map { $0.old?.name } == ["a", "c", nil])
  #expect(changes.map { $0.new?.name } == ["z", nil, "d"])
  #expect(commit.changeCount == 3)
}
