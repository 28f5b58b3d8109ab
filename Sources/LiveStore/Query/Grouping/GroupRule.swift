import Synchronization

/// How a table of groups reads rows and what it makes of them; shared by all versions of the table.
final class GroupRule<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
  /// What a group's value is made of.
  enum Content: Sendable {
    /// Sums that rows are added to and taken from.
    case sums(
      add: @Sendable (UnsafeRawPointer, ReadContext, Bool, inout ExactSum) -> Void,
      value: @Sendable (ExactSum) -> Value)
    /// The first or the last value that is not nil, in a stage ordered by key and value; nil where there must be
    /// one and is none.
    case extreme(
      isLast: Bool, isNil: @Sendable (UnsafeRawPointer, ReadContext) -> Bool,
      value: @Sendable (UnsafeRawPointer?, ReadContext) -> Value?)
  }

  /// Nil where all rows are one group.
  let key: KeySource<Key>?
  /// The key of that one.
  let wholeKey: Key?
  let content: Content
  let isSections: Bool
  let info: EntityInfo
  /// The order of the groups.
  let order: RowOrder
  let keys = KeyRule<Key>()

  init(_ key: KeySource<Key>?, whole: Key?, _ content: Content, isSections: Bool = false) {
    self.key = key
    wholeKey = whole
    self.content = content
    self.isSections = isSections
    info = Self.makeInfo()
    // Rows of a table of groups hold Groups.
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

  /// Whether the groups stand in the order of their first rows.
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
  /// Those of groups, for which NaN is an id as any other.
  init<Key: Hashable & Sendable, Value: Equatable & Sendable>(groupsOf _: Key.Type, _: Value.Type) {
    let rule = KeyRule<Key>()
    // Rows of a table of groups hold Groups.
    let id: @Sendable (UnsafeRawPointer) -> Key = {
      $0.object(as: ResultGroup<Key, Value>.self).pointee.id
    }
    hash = { rule.hash(id($0)) }
    isSame = { rule.isSame(id($0), id($1)) }
    if let order = rule.order { compare = { order.compare(id($0), id($1)) } } else { compare = nil }
    text = { shown(id($0)) }
  }
}

/// Numbers for rows and stamps of groups, each given once in the process.
///
/// The same groups are kept along several lines of versions: the newest results, those an observer went back
/// to, those of one who leaves origins out. Their trees are compared, so a number must mean the same in all.
enum GroupNumbers {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
