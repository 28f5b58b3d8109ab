import Foundation

extension SortKey {
  /// A key that compares two objects by a comparator of Foundation's. Equal comparators are the same key.
  init<Comparator: SortComparator>(_ comparator: Comparator) where Comparator.Compared: Entity {
    path = .comparator(Constant(comparator))
    named = []
    // The direction is the comparator's own.
    order = .ascending
    abbreviate = { _, _ in 0 }
    abbreviateBlock = { block, _, words in words.initialize(repeating: 0, count: block.objects.count) }
    isExact = false
    isConsistent = false
    isSame = nil
    coder = nil
    compare = { left, _, right, _ in
      // Both rows are of this entity's table, which holds such objects.
      let (first, second) = (
        left.object(as: Comparator.Compared.self).pointee, right.object(as: Comparator.Compared.self).pointee
      )
      return comparator.compare(first, second).rawValue
    }
  }

  /// The key of a sort descriptor whose order is the store's own; nil for any other.
  init?<Element: Entity>(reading descriptor: SortDescriptor<Element>) {
    guard let keyPath = descriptor.keyPath, !descriptor.isLocalized,
      let key = Self.key(keyPath, descriptor.order == .forward ? .ascending : .descending)
    else { return nil }
    self = key
  }

  private static func key<Element: Entity>(
    _ keyPath: PartialKeyPath<Element>, _ direction: SortDirection
  ) -> SortKey? {
    func property(_ property: some TypedProperty<Element>) -> SortKey? {
      SortKey(Row<Element>()[property.keyPath], direction)
    }
    func value<Value: KnownSendable>(_: Value.Type) -> SortKey? {
      guard let same = keyPath as? KeyPath<Element, Value> else { return nil }
      // A reference like the other; sort descriptors are made of Sendable key paths only.
      return SortKey(Row<Element>()[unsafeBitCast(same, to: SendableKeyPath<Element, Value>.self)], direction)
    }
    let definition = Element.schema.definitions.first {
      $0.inverse == nil && ($0.keyPath as AnyKeyPath) == keyPath
    }
    if let definition { return definition.typed.flatMap { property($0) } }
    if keyPath == \Element.id { return SortKey(Row<Element>().rowID, direction) }
    return (type(of: keyPath).valueType as? any KnownSendable.Type).flatMap { value($0) }
  }
}

extension SortDescriptor {
  /// Whether it orders text by the rules of a locale.
  fileprivate var isLocalized: Bool {
    guard let comparator = stringComparator else { return false }
    return String.StandardComparator(comparator, order: .forward) != .lexical
  }
}
