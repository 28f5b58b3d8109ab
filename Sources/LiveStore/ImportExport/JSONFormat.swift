/// How objects are written to a JSON text.
public enum JSONFormat: Sendable, Hashable {
  /// An array, with an object a line.
  case array
  /// An object a line and nothing else: NDJSON, also called JSON Lines.
  case lines
}
