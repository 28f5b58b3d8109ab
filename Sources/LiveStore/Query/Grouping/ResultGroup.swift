/// A group of rows with a common key, and their aggregate value: a row of a grouped result.
///
/// ```swift
/// for group in snapshot.value(of: Post.all.grouped(by: \.status).count) {
///   print(group.key, group.value)
/// }
/// ```
/// A group's identity is its key, so change sets and `results[id: key]` are by key. Keys are compared as in sorting:
/// NaN is one key (though no lookup finds it, as it equals nothing), and -0.0 is 0.0.
public struct ResultGroup<Key: Hashable & Sendable, Value: Equatable & Sendable>: Entity, Equatable {
  /// The common value of the rows.
  public let id: Key
  /// Their aggregate value.
  public let value: Value
  /// Orders groups whose keys have no order: the number of the group's first row.
  let firstRow: UInt64

  /// The common value of the rows: the same as `id`.
  public var key: Key { id }

  /// Whether both have the same key and value.
  public static func == (lhs: ResultGroup, rhs: ResultGroup) -> Bool {
    isEqualValue(lhs.id, rhs.id) && lhs.value == rhs.value
  }

  /// One property: the value.
  public static var schema: Schema<ResultGroup> {
    Schema {
      // A type without size has only one value, which never changes.
      return MemoryLayout<Value>.size == 0
        ? [] : [PropertyDefinition(\ResultGroup.value, name: "value", options: [])]
    }
  }
}

extension ResultGroup: CustomStringConvertible {
  /// Key and value.
  public var description: String { "\(shown(key)): \(shown(value))" }
}

extension ResultGroup: Hashable where Value: Hashable {
  /// Hashes key and value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(value)
  }
}
