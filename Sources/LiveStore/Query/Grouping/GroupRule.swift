/// How a table of groups reads rows, and how it aggregates them; shared by all versions of the table.
final class GroupRule<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
  /// The kind of a group's aggregate.
  enum Content: Sendable {
    /// Sums to which rows are added and from which they are subtracted.
    case sums(
      add: @Sendable (UnsafeRawPointer, ReadContext, Bool, inout ExactSum) -> Void,
      value: @Sendable (ExactSum) -> Value)
    /// The first or the last value that is not nil, in a stage ordered by key and value; nil when a required value is
    /// missing.
    case extreme(
      isLast: Bool, isNil: @Sendable (UnsafeRawPointer, ReadContext) -> Bool,
      value: @Sendable (UnsafeRawPointer?, ReadContext) -> Value?)
  }

  /// Nil if all rows are one group.
  let key: KeySource<Key>?
  /// The key of that group.
  let wholeKey: Key?
  let content: Content
  let info: EntityInfo
  /// The order of the groups.
  let order: RowOrder
  let keys = KeyRule<Key>()

  init(_ key: KeySource<Key>?, whole: Key?, _ content: Content) {
    self.key = key
    wholeKey = whole
    self.content = content
    info = Self.makeInfo()
    // Rows of a table of groups hold ResultGroups.
    let isOrdered = key?.rule.order != nil
    let sortKey =
      isOrdered
      ? SortKey(
        path: .id,
        Accessor<Key>.function { row, _ in
          row.object(as: ResultGroup<Key, Value>.self).pointee.id
        }, KeyRule())
      : SortKey(
        path: .id,
        Accessor<UInt64>.function { row, _ in
          row.object(as: ResultGroup<Key, Value>.self).pointee.place
        }, KeyRule())
    order = RowOrder(keys: [sortKey])
  }

  private static func makeInfo() -> EntityInfo {
    do {
      return try EntityInfo(ResultGroup<Key, Value>.self, ids: IDFunctions(groupsOf: Key.self, Value.self))
    } catch {
      preconditionFailure("the schema of groups is valid: \(error)")
    }
  }

  /// Whether the groups are in the order of their first rows.
  var isByPlace: Bool { key.map { $0.rule.order == nil } ?? false }

  func key(of row: UnsafeRawPointer, _ context: ReadContext) -> Key {
    guard let key else {
      guard let wholeKey else { preconditionFailure("a grouping has a key, or is of the whole") }
      return wholeKey
    }
    return key.accessor.read(row, context)
  }
}

extension IDFunctions {
  /// The id functions of groups, for which NaN is an id like any other.
  init<Key: Hashable & Sendable, Value: Equatable & Sendable>(groupsOf _: Key.Type, _: Value.Type) {
    let rule = KeyRule<Key>()
    // Rows of a table of groups hold ResultGroups.
    let id: @Sendable (UnsafeRawPointer) -> Key = {
      $0.object(as: ResultGroup<Key, Value>.self).pointee.id
    }
    hash = { rule.hash(id($0)) }
    isSame = { rule.isSame(id($0), id($1)) }
    if let order = rule.order { compare = { order.compare(id($0), id($1)) } } else { compare = nil }
    text = { shown(id($0)) }
  }
}
