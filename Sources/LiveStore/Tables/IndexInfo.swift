/// How an index orders the rows of a table: by the values of its properties, each after the one before. A property whose
/// type has no order is ordered by the hashes of its values.
package struct IndexInfo: Sendable {
  package let properties: [PropertyInfo]
  /// The values that rows are listed by, the first before the next.
  package let parts: [IndexPart]
  package let isUnique: Bool
  /// The first word of a row's entry.
  package let key: @Sendable (UnsafeRawPointer) -> UInt64
  /// Compares the values of two rows whose first words are equal; nil where equal words mean equal values.
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
}

extension IndexInfo {
  /// The name in messages and explanations: `price`, or `(status, date)`.
  package var name: String {
    properties.count == 1 ? properties[0].name : "(\(properties.map(\.name).joined(separator: ", ")))"
  }

  /// Whether the properties' types are known to have a consistent ordering.
  package var isConsistent: Bool { properties.allSatisfy(\.functions.isConsistent) }

  /// Whether rows with equal hashes are in a known and consistent order.
  package var hasConsistentOrder: Bool {
    properties.allSatisfy { $0.functions.isConsistent || $0.functions.compare == nil }
  }

  /// Whether two rows have the same values.
  func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    properties.allSatisfy { $0.functions.isSame(lhs, rhs) }
  }

  /// Whether a row has no value of some property, so that it is not compared with others.
  func hasNil(_ row: UnsafeRawPointer) -> Bool { properties.contains { $0.functions.isNil(row) } }

  /// Whether a replaced object's entry moves. An inconsistent `==` alone cannot decide that.
  func isMoved(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> Bool {
    if !isSame(old, new) { return true }
    return !isConsistent && (key(old) != key(new) || compare?(old, new) ?? 0 != 0)
  }
}

/// One of the values that an index lists rows by.
package struct IndexPart: Sendable {
  package let path: Term
  /// Whether rows are in the order of its values, and not of their hashes.
  package let isOrdered: Bool
}

extension IndexInfo {
  /// - Throws: `invalidSchema` if a property's type has neither an order nor a hash.
  init(_ properties: [PropertyInfo], isUnique: Bool, entity: String) throws(StoreError) {
    self.properties = properties
    parts = properties.map { IndexPart(path: $0.path, isOrdered: $0.functions.compare != nil) }
    self.isUnique = isUnique
    var words: [@Sendable (UnsafeRawPointer) -> UInt64] = []
    var comparisons: [@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int] = []
    for property in properties {
      let functions = property.functions
      if let abbreviate = functions.abbreviate, let compare = functions.compare {
        words.append(abbreviate)
        // Equal first words may already mean equal values.
        if !(functions.isExact && words.count == 1) { comparisons.append(compare) }
      } else if let hash = functions.hash {
        words.append(hash)
        if words.count > 1 {
          comparisons.append { left, right in
            let (left, right) = (hash(left), hash(right))
            return left == right ? 0 : left < right ? -1 : 1
          }
        }
      } else {
        throw StoreError(
          StoreError.invalidSchema,
          "The property \(property.name) of \(entity) cannot have an index: its type is neither Comparable nor Hashable.",
          entity: entity, property: property.name)
      }
    }
    key = words[0]
    compare = Self.joined(comparisons)
  }

  private static func joined(
    _ comparisons: [@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int]
  ) -> (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)? {
    if comparisons.count <= 1 { return comparisons.first }
    return { left, right in
      for compare in comparisons {
        let result = compare(left, right)
        if result != 0 { return result }
      }
      return 0
    }
  }
}
