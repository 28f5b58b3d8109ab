/// A set of references: no order, no object twice.
///
/// It is encoded as an array of bare ids.
public struct RefSet<Target: Entity>: Hashable, Sendable {
  private var references: Set<Ref<Target>> = []

  /// An empty set.
  public init() {}

  /// References to objects.
  public init(_ references: some Sequence<Ref<Target>>) { self.references = Set(references) }

  /// References to the objects with these ids.
  public init(ids: some Sequence<Target.ID>) { references = Set(ids.lazy.map { Ref($0) }) }

  /// The ids.
  public var ids: Set<Target.ID> { Set(references.lazy.map(\.id)) }
}

extension RefSet: SetAlgebra {
  /// Whether an object is in the set.
  public func contains(_ reference: Ref<Target>) -> Bool { references.contains(reference) }

  /// Adds a reference if it is not in the set.
  @discardableResult
  public mutating func insert(
    _ reference: Ref<Target>
  ) -> (inserted: Bool, memberAfterInsert: Ref<Target>) {
    references.insert(reference)
  }

  /// Removes a reference and returns it; nil when it was not in the set.
  @discardableResult
  public mutating func remove(_ reference: Ref<Target>) -> Ref<Target>? { references.remove(reference) }

  /// Adds a reference or replaces an equal one.
  @discardableResult
  public mutating func update(with reference: Ref<Target>) -> Ref<Target>? {
    references.update(with: reference)
  }

  /// The members of either set.
  public func union(_ other: RefSet) -> RefSet { RefSet(references.union(other.references)) }
  /// The members common to both.
  public func intersection(_ other: RefSet) -> RefSet { RefSet(references.intersection(other.references)) }
  /// The members of exactly one of the sets.
  public func symmetricDifference(_ other: RefSet) -> RefSet {
    RefSet(references.symmetricDifference(other.references))
  }
  /// Adds the members of another set.
  public mutating func formUnion(_ other: RefSet) { references.formUnion(other.references) }
  /// Removes the members that another set does not have.
  public mutating func formIntersection(_ other: RefSet) { references.formIntersection(other.references) }
  /// Leaves the members of exactly one of the sets.
  public mutating func formSymmetricDifference(_ other: RefSet) {
    references.formSymmetricDifference(other.references)
  }
}

extension RefSet: Collection {
  /// A position in the set.
  public typealias Index = Set<Ref<Target>>.Index

  /// The first position.
  public var startIndex: Index { references.startIndex }
  /// The position after the last.
  public var endIndex: Index { references.endIndex }
  /// Whether the set is empty.
  public var isEmpty: Bool { references.isEmpty }
  /// The number of references.
  public var count: Int { references.count }
  /// The next position.
  public func index(after position: Index) -> Index { references.index(after: position) }
  /// The reference at a position.
  public subscript(position: Index) -> Ref<Target> { references[position] }
}

extension RefSet: RelationValue {
  /// Calls `body` with every reference.
  @_documentation(visibility: internal)
  public func forEachReference(_ body: (Ref<Target>) -> Void) { references.forEach(body) }

  /// The set without some of its references.
  public func removing(where isGone: (Ref<Target>) -> Bool) -> RefSet {
    RefSet(references.filter { !isGone($0) })
  }
}

extension RefSet: CustomStringConvertible {
  /// The ids, sorted as text.
  public var description: String { "[\(references.map(\.description).sorted().joined(separator: ", "))]" }
}

extension RefSet: Encodable where Target.ID: Encodable {
  /// Writes the bare ids.
  public func encode(to encoder: any Encoder) throws { try references.map(\.id).encode(to: encoder) }
}

extension RefSet: Decodable where Target.ID: Decodable {
  /// Reads bare ids.
  public init(from decoder: any Decoder) throws { self.init(ids: try [Target.ID](from: decoder)) }
}

extension RefSet: WithoutNaN {}
