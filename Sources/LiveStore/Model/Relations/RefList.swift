/// An ordered list of references; it may contain an object more than once.
///
/// ```swift
/// var tags = RefList<Tag>()
/// tags.append(swift.ref)
/// tags.move(from: 2, to: 0)
/// ```
/// Each entry keeps an identity of its own while the list is edited, so that a change set names the right one of two
/// equal entries. Two lists are equal when they name the same objects in the same order. A list is encoded as an
/// array of bare ids.
public struct RefList<Target: Entity>: Sendable {
  /// An entry.
  package struct Slot: Hashable, Sendable {
    /// Its identity in this list and in lists edited from it. Labels ascend, so they also give the order.
    package var label: UInt64
    package var reference: Ref<Target>
  }

  /// Labels ascend strictly.
  package internal(set) var slots: [Slot] = []
  /// The number of the labelling; another one after entries that stay got other labels (R11).
  package internal(set) var numbering: UInt64 = 0

  /// An empty list.
  public init() {}

  /// References to objects, in order.
  public init(_ references: some Sequence<Ref<Target>>) { append(contentsOf: references) }

  /// References to the objects with these ids, in order.
  public init(ids: some Sequence<Target.ID>) { append(contentsOf: ids.lazy.map { Ref($0) }) }

  /// The ids, in order.
  public var ids: [Target.ID] { slots.map(\.reference.id) }

  /// Moves the entry at a position to another.
  ///
  /// - Parameters:
  ///   - source: its position.
  ///   - target: its position afterwards, below the count.
  /// - Complexity: O(*n*).
  public mutating func move(from source: Int, to target: Int) {
    precondition(
      indices.contains(source) && indices.contains(target),
      "a move from \(source) to \(target) is not within \(indices)")
    if source == target { return }
    let slot = slots.remove(at: source)
    insert(slot.reference, at: target)
  }

  /// Removes every reference to an object.
  ///
  /// - Complexity: O(*n*).
  public mutating func remove(_ reference: Ref<Target>) { slots.removeAll { $0.reference == reference } }
}

extension RefList: RandomAccessCollection, MutableCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of entries.
  public var endIndex: Int { slots.count }

  /// The reference at a position; setting it makes a new entry in the same place.
  public subscript(position: Int) -> Ref<Target> {
    get { slots[position].reference }
    set { slots[position].reference = newValue }
  }
}

extension RefList: RangeReplaceableCollection {
  /// Replaces the entries of a range by others.
  ///
  /// - Complexity: O(*n*).
  public mutating func replaceSubrange(
    _ range: Range<Int>, with references: some Collection<Ref<Target>>
  ) {
    let labels = ListLabels.labels(
      references.count, after: range.lowerBound > 0 ? slots[range.lowerBound - 1].label : nil,
      before: range.upperBound < slots.count ? slots[range.upperBound].label : nil)
    let new = references.enumerated().map { Slot(label: labels?[$0] ?? 0, reference: $1) }
    if slots.isEmpty { numbering = ListLabels.number() }
    slots.replaceSubrange(range, with: new)
    if labels == nil { spreadLabels(around: range.lowerBound..<range.lowerBound + new.count) }
  }

  /// Adds references at the end.
  ///
  /// - Complexity: O(*k*) for *k* references, on average.
  public mutating func append(contentsOf references: some Sequence<Ref<Target>>) {
    replaceSubrange(endIndex..<endIndex, with: Array(references))
  }

  /// Adds a reference at the end.
  ///
  /// - Complexity: O(1) on average.
  public mutating func append(_ reference: Ref<Target>) {
    replaceSubrange(endIndex..<endIndex, with: CollectionOfOne(reference))
  }

  /// Removes the references that a closure selects.
  ///
  /// - Complexity: O(*n*).
  public mutating func removeAll(where isGone: (Ref<Target>) throws -> Bool) rethrows {
    try slots.removeAll { try isGone($0.reference) }
  }
}

extension RefList: Hashable {
  /// Whether both name the same objects in the same order.
  public static func == (lhs: RefList, rhs: RefList) -> Bool {
    // Two lists that share their memory, as copies do, are equal without comparing entries.
    lhs.slots.count == rhs.slots.count
      && (lhs.slots == rhs.slots || zip(lhs.slots, rhs.slots).allSatisfy { $0.reference == $1.reference })
  }

  /// Feeds the ids, in order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(slots.count)
    for slot in slots { hasher.combine(slot.reference) }
  }
}

extension RefList: RelationValue {
  /// Calls `body` with every reference, in order.
  @_documentation(visibility: internal)
  public func forEachReference(_ body: (Ref<Target>) -> Void) {
    for slot in slots { body(slot.reference) }
  }

  /// The list without some of its references.
  public func removing(where isGone: (Ref<Target>) -> Bool) -> RefList {
    var list = self
    list.removeAll(where: isGone)
    return list
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

extension RefList: WithoutNaN {}
