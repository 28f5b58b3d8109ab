/// When a model loads its first value.
public enum InitialValue: Sendable, Hashable {
  /// In the background, after the first read.
  case deferred
  /// During the first read.
  case synchronous
}
