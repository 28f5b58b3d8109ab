/// How an index orders the rows of a table: by a property's value, or by its hash where it has no order.
package struct IndexInfo: Sendable {
  package let property: PropertyInfo
  package let isUnique: Bool
  package let isOrdered: Bool
  /// The first word of a row's entry.
  package let key: @Sendable (UnsafeRawPointer) -> UInt64
  /// Compares the values of two rows whose first words are equal; nil where equal words mean equal values.
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  /// Whether the property's type is known to have a consistent ordering.
  package var isConsistent: Bool { property.functions.isConsistent }

  /// Whether a replaced object's entry moves. An inconsistent `==` alone cannot decide that.
  func isMoved(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> Bool {
    if !property.functions.isSame(old, new) { return true }
    return !isConsistent && (key(old) != key(new) || compare?(old, new) ?? 0 != 0)
  }
}

/// One of the values that an index lists rows by.
package struct IndexPart: Sendable {
  package let path: PropertyPath
  /// Whether rows are in the order of its values, and not of their hashes.
  package let isOrdered: Bool
}

extension IndexInfo {
  /// The values that rows are listed by, the first before the next.
  package var parts: [IndexPart] { [IndexPart(path: property.path, isOrdered: isOrdered)] }
}

func indexInfos(_ properties: [PropertyInfo], entity: String) throws(StoreError) -> [IndexInfo] {
  var indexes: [IndexInfo] = []
  for property in properties where !property.options.isDisjoint(with: [.indexed, .unique]) {
    let functions = property.functions
    let isUnique = property.options.contains(.unique)
    if let abbreviate = functions.abbreviate {
      indexes.append(
        IndexInfo(
          property: property, isUnique: isUnique, isOrdered: true, key: abbreviate,
          compare: functions.isExact ? nil : functions.compare))
    } else if let hash = functions.hash {
      indexes.append(
        IndexInfo(property: property, isUnique: isUnique, isOrdered: false, key: hash, compare: nil))
    } else {
      throw StoreError(
        StoreError.invalidSchema,
        "The property \(property.name) of \(entity) cannot have an index: its type is neither Comparable nor Hashable.",
        entity: entity, property: property.name)
    }
  }
  return indexes
}
