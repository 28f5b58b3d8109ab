/// How a table of groups reads rows, and how it aggregates them; shared by all versions of the table.
final class GroupRule<Key: Hashable & Sendable, Value: Equatable & Sendable>: Sendable {
  let key: GroupKey<Key>
  let function: AggregateFunction<Value>
  let info: EntityInfo
  /// The order of the groups.
  let order: RowOrder
  let keys = KeyRule<Key>()
  /// Numbers many keys at once.
  let numbering: KeyNumbering<Key>

  init(_ key: GroupKey<Key>, _ function: AggregateFunction<Value>) {
    self.key = key
    self.function = function
    info = Self.makeInfo()
    numbering = KeyNumbering(keys)
    // Rows of a table of groups hold ResultGroups.
    let isOrdered = key.source?.rule.order != nil
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
          row.object(as: ResultGroup<Key, Value>.self).pointee.firstRow
        }, KeyRule())
    order = RowOrder(keys: [sortKey])
  }

  private static func makeInfo() -> EntityInfo {
    do {
      return try EntityInfo(ResultGroup<Key, Value>.self, ids: IDFunctions(groupsOf: Key.self, Value.self))
    } catch {
      preconditionFailure("the schema of groups is invalid: \(error)")
    }
  }

  /// Whether the groups are in the order of their first rows.
  var isByFirstRow: Bool { key.source.map { $0.rule.order == nil } ?? false }

  func key(of row: UnsafeRawPointer, _ context: ReadContext) -> Key {
    switch key {
    case .value(let source): source.accessor.read(row, context)
    case .constant(let key): key
    }
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
    hashOfConstant = { constant in constant.value(as: Key.self).map { rule.hash($0) } }
  }
}
