import LiveStore
import TestSupport

/// Reads the commits of a store that came from the server.
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
        var copy = Contents(of: commit.before)
        try require(try copy.apply(commit) == 0, "\(commit) changed replicated objects")
      }
      if commit.version >= newest { break }
    }
    return commits
  }
}
