/// An ordered list of references; an object may stand in it more than once.
///
/// ```swift
/// var tags = RefList<Tag>()
/// tags.append(swift.ref)
/// tags.move(from: 2, to: 0)
/// ```
/// Each entry keeps an identity of its own while the list is edited, so that an observer of the list is told
/// which of two equal entries went. Two lists are equal when they name the same objects in the same order.
/// It is encoded as an array of bare ids.
public struct RefList<Target: Entity>: Sendable {
  /// An entry and the place it has in the order of all labels this list gives.
  package struct Slot: Sendable {
    package var label: UInt64
    package var reference: Ref<Target>
  }

  /// Labels ascend strictly.
  package private(set) var slots: [Slot] = []

  /// An empty list.
  public init() {}

  /// References to objects, in order.
  public init(_ references: some Sequence<Ref<Target>>) { append(contentsOf: references) }

  /// References to the objects with these ids, in order.
  public init(ids: some Sequence<Target.ID>) { append(contentsOf: ids.map { Ref($0) }) }

  /// The ids, in order.
  public var ids: [Target.ID] { slots.map(\.reference.id) }

  /// Takes the entry at a position and puts it in so that it stands at another.
  ///
  /// - Parameters:
  ///   - source: where it stands.
  ///   - target: where it is to stand afterwards, below the count.
  /// - Complexity: O(*n*).
  public mutating func move(from source: Int, to target: Int) {
    precondition(indices.contains(source) && indices.contains(target), "a move from \(source) to \(target)")
    if source == target { return }
    let slot = slots.remove(at: source)
    insert(slot.reference, at: target)
  }

  /// Takes out every reference to an object.
  ///
  /// - Complexity: O(*n*).
  public mutating func remove(_ reference: Ref<Target>) { slots.removeAll { $0.reference == reference } }
}

extension RefList: RandomAccessCollection, MutableCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of entries.
  public var endIndex: Int { slots.count }

  /// The reference at a position; setting another makes another entry in the same place.
  public subscript(position: Int) -> Ref<Target> {
    get { slots[position].reference }
    set { slots[position].reference = newValue }
  }
}

extension RefList: RangeReplaceableCollection {
  private static var gap: UInt64 { 1 << 32 }

  /// Replaces the entries of a range by others.
  ///
  /// - Complexity: O(*n*).
  public mutating func replaceSubrange(
    _ range: Range<Int>, with references: some Collection<Ref<Target>>
  ) {
    let count = UInt64(references.count)
    let before = range.lowerBound > 0 ? slots[range.lowerBound - 1].label : nil
    let after = range.upperBound < slots.count ? slots[range.upperBound].label : nil
    let labels = Self.labels(count, after: before, before: after)
    slots.replaceSubrange(
      range, with: references.enumerated().map { Slot(label: labels?[$0] ?? 0, reference: $1) })
    if labels == nil {
      // No room between the neighbours: all entries get new labels, in their order.
      for index in slots.indices { slots[index].label = (UInt64(index) + 1) * Self.gap }
    }
  }

  /// Ascending labels between two; nil where there are not so many.
  private static func labels(_ count: UInt64, after low: UInt64?, before high: UInt64?) -> [UInt64]? {
    if count == 0 { return [] }
    let (first, step): (UInt64, UInt64)
    switch (low, high) {
    case (nil, nil):
      (first, step) = (1 << 62, gap)
    case (let low?, nil):
      (first, step) = (low.addingReportingOverflow(gap).partialValue, gap)
      if low > .max - (count + 1) * gap { return nil }
    case (nil, let high?):
      if high < (count + 1) * gap { return nil }
      (first, step) = (high - count * gap, gap)
    case (let low?, let high?):
      step = (high - low) / (count + 1)
      if step == 0 { return nil }
      first = low + step
    }
    return (0..<count).map { first + $0 * step }
  }
}

extension RefList: Hashable {
  /// Whether both name the same objects in the same order.
  public static func == (lhs: RefList, rhs: RefList) -> Bool {
    lhs.slots.count == rhs.slots.count
      && zip(lhs.slots, rhs.slots).allSatisfy { $0.reference == $1.reference }
  }

  /// Feeds the ids, in order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(slots.count)
    for slot in slots { hasher.combine(slot.reference) }
  }
}

extension RefList: RelationValue {
  /// Calls `body` with every reference, in order.
  public func forEachReference(_ body: (Ref<Target>) -> Void) {
    for slot in slots { body(slot.reference) }
  }

  /// The list without an object's entries.
  public func removing(_ reference: Ref<Target>) -> RefList {
    var list = self
    list.remove(reference)
    return list
  }

  /// The list with its entries known as those of an older list that it was not made from by editing, as
  /// when it was decoded: entries of a longest common subsequence are the same ones.
  public func aligned(with older: RefList) -> RefList {
    var position = 0
    var isForeign = false
    for slot in slots {
      while position < older.slots.count, older.slots[position].label < slot.label { position += 1 }
      guard position < older.slots.count else { break }
      if older.slots[position].label == slot.label, older.slots[position].reference != slot.reference {
        isForeign = true
        break
      }
    }
    if !isForeign { return self }
    // The same edits, made to the older list.
    var result = older
    for change in map(\.self).difference(from: older.map(\.self)) {
      switch change {
      case .remove(let offset, _, _): result.slots.remove(at: offset)
      case .insert(let offset, let reference, _): result.insert(reference, at: offset)
      }
    }
    return result
  }
}

extension RefList: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// References to objects, in order.
  public init(arrayLiteral references: Ref<Target>...) { self.init(references) }
  /// The ids, in order.
  public var description: String { "[\(slots.map(\.reference.description).joined(separator: ", "))]" }
}

extension RefList: Encodable where Target.ID: Encodable {
  /// Writes the bare ids, in order.
  public func encode(to encoder: any Encoder) throws { try ids.encode(to: encoder) }
}

extension RefList: Decodable where Target.ID: Decodable {
  /// Reads bare ids.
  public init(from decoder: any Decoder) throws { self.init(ids: try [Target.ID](from: decoder)) }
}
