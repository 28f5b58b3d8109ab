/// When an import commits.
public enum ImportCommit: Sendable, Hashable {
  /// Once, at the end: all objects or none. Until then the import holds the decoded objects.
  case once
  /// After so many objects, at least 1. Each batch is its own transaction. If one fails, earlier ones stay.
  case every(Int)

  /// How many objects a batch has.
  var batchSize: Int {
    switch self {
    case .once: .max
    case .every(let count): max(1, count)
    }
  }
}
