/// How a commit treats properties that other writers changed, too.
public enum ConflictResolution: Sendable, Hashable {
  /// Nothing is written, and `conflict` is thrown.
  case refuse
  /// The draft's values are written.
  case keepDraft
  /// The store's values stay; the draft's other properties are written.
  case keepStored
}
