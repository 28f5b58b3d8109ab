/// What rows are grouped by.
enum GroupKey<Key: Sendable>: Sendable {
  /// A value of each row.
  case value(KeySource<Key>)
  /// A constant: all rows are one group.
  case constant(Key)

  /// How the key of a row is read; nil if it is constant.
  var source: KeySource<Key>? {
    if case .value(let source) = self { source } else { nil }
  }
}

/// The key of the one group that all rows are in.
struct AllRows: Hashable, Sendable {}
