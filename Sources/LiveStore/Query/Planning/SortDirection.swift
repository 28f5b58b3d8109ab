/// The direction of a sort key.
public enum SortDirection: Sendable, Hashable {
  /// Smallest first; nil and NaN before all values.
  case ascending
  /// Largest first; nil and NaN last. Ties stay in insertion order, or as in the list.
  case descending
}
