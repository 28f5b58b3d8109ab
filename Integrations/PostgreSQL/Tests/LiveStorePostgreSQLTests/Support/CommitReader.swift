import LiveStore
import PostgreSQLTestSupport

/// Reads the commits of a store that came from the server, none of which may be before an earlier one.
enum CommitReader {
  /// The commits after a version up to the newest one, those by replicas alone.
  static func commits(of store: Store, after version: Version) async throws -> [Commit] {
    let newest = store.version
    if version == newest { return [] }
    var commits: [Commit] = []
    for try await commit in store.commits(after: version) {
      if commit.origin == "postgresql" {
        commits.append(commit)
      } else {
        for entity in SampleTables.entities { try checkUnchanged(entity, by: commit) }
      }
      if commit.version >= newest { break }
    }
    return commits
  }

  private static func checkUnchanged<Entity: SampleEntity>(_ type: Entity.Type, by commit: Commit) throws {
    try require(commit.changes(of: type).isEmpty, "\(commit) changed replicated objects of \(type)")
  }
}
