/// The list, set or map of one object, as the start of a query.
///
/// A list's entries are in a tree by their labels, (label, occurrence), so an edit of the list is an edit of the
/// tree. An occurrence is the row number with 17 bits that distinguish entries of one row (O1). Sets and maps are
/// rows in insertion order, each once.
package struct ListSource: Hashable, Sendable, CustomStringConvertible {
  /// The entity that holds the list, and its property.
  package let owner: any Entity.Type
  package let path: Term
  package let id: Constant
  package let idHash: UInt64
  /// Whether entries have an order and may repeat.
  package let isOrdered: Bool
  /// Whether an object of the owner's entity is the owner.
  let isOwner: @Sendable (UnsafeRawPointer) -> Bool
  /// The entries of an owner: the label and the target's row, of targets that exist.
  let entries: @Sendable (UnsafeRawPointer, ReadContext) -> [Entry]
  /// The labels of an owner's list, in order; none of a set or map.
  let allLabels: @Sendable (UnsafeRawPointer) -> [UInt64]
  /// The numbering of an owner's list.
  private let numbering: @Sendable (UnsafeRawPointer) -> UInt64?
  /// The entries that differ between two owners; nil for an owner that does not exist.
  let difference: OwnerDifference

  typealias OwnerDifference =
    @Sendable (
      _ old: UnsafeRawPointer?, ReadContext, _ new: UnsafeRawPointer?, ReadContext
    ) -> Difference

  package struct Entry: Sendable {
    var label: UInt64
    var row: UInt64
  }

  struct Difference {
    /// Labels of a list's entries, or rows.
    var removed: [UInt64] = []
    var added: [Entry] = []
  }

  package static func == (lhs: ListSource, rhs: ListSource) -> Bool {
    ObjectIdentifier(lhs.owner) == ObjectIdentifier(rhs.owner) && lhs.path == rhs.path && lhs.id == rhs.id
  }
  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(idHash)
  }
  package var description: String { ".linked(from: \(owner).\(path), of: \(id))" }
}

extension ListSource {
  init<Owner: Entity, Target: Entity>(
    list: SendableKeyPath<Owner, RefList<Target>>, _ id: Owner.ID
  ) {
    let accessor = Accessor<RefList<Target>>(list)
    self.init(
      list, id, isOrdered: true,
      entries: { owner, context in
        Self.resolved(accessor.read(owner, .none).slots.map { ($0.label, $0.reference) }, context)
      },
      allLabels: { accessor.read($0, .none).slots.map(\.label) },
      numbering: {
        let list = accessor.read($0, .none)
        return list.isEmpty ? nil : list.numbering
      },
      difference: { old, _, new, context in
        let before = old.map { accessor.read($0, .none).slots } ?? []
        let after = new.map { accessor.read($0, .none).slots } ?? []
        var difference = Difference()
        var added: [(UInt64, Ref<Target>)] = []
        var (left, right) = (0, 0)
        while left < before.count || right < after.count {
          if right == after.count || (left < before.count && before[left].label < after[right].label) {
            difference.removed.append(before[left].label)
            left += 1
          } else if left == before.count || after[right].label < before[left].label {
            added.append((after[right].label, after[right].reference))
            right += 1
          } else {
            if before[left].reference != after[right].reference {
              difference.removed.append(before[left].label)
              added.append((after[right].label, after[right].reference))
            }
            left += 1
            right += 1
          }
        }
        difference.added = Self.resolved(added, context)
        return difference
      })
  }

  init<Owner: Entity, Value: RelationValue>(members: SendableKeyPath<Owner, Value>, _ id: Owner.ID) {
    typealias Target = Value.Target
    let accessor = Accessor<Value>(members)
    @Sendable func references(_ owner: UnsafeRawPointer?) -> Set<Ref<Target>> {
      var references: Set<Ref<Target>> = []
      if let owner { accessor.read(owner, .none).forEachReference { references.insert($0) } }
      return references
    }
    self.init(
      members, id, isOrdered: false,
      entries: { owner, context in
        Self.resolved(references(owner).map { (0, $0) }, context).sorted { $0.row < $1.row }
      },
      allLabels: { _ in [] },
      numbering: { _ in nil },
      difference: { old, oldContext, new, context in
        let (before, after) = (references(old), references(new))
        var difference = Difference()
        difference.removed = Self.resolved(before.subtracting(after).map { (0, $0) }, oldContext).map(\.row)
        difference.added = Self.resolved(after.subtracting(before).map { (0, $0) }, context)
        return difference
      })
  }

  private init<Owner: Entity, Value>(
    _ keyPath: SendableKeyPath<Owner, Value>, _ id: Owner.ID, isOrdered: Bool,
    entries: @escaping @Sendable (UnsafeRawPointer, ReadContext) -> [Entry],
    allLabels: @escaping @Sendable (UnsafeRawPointer) -> [UInt64],
    numbering: @escaping @Sendable (UnsafeRawPointer) -> UInt64?,
    difference: @escaping OwnerDifference
  ) {
    owner = Owner.self
    path = Term(keyPath, name: Owner.schema.name(of: keyPath) ?? shownMember(of: keyPath))
    self.id = Constant(id)
    idHash = LiveStore.idHash(id)
    self.isOrdered = isOrdered
    // Owners are rows of the table of `Owner`.
    isOwner = { isEqualValue($0.object(as: Owner.self).pointee.id, id) }
    self.entries = entries
    self.allLabels = allLabels
    self.numbering = numbering
    self.difference = difference
  }

  private static func resolved<Target: Entity>(
    _ references: [(label: UInt64, reference: Ref<Target>)], _ context: ReadContext
  ) -> [Entry] {
    guard let table = context.catalog.index(of: Target.self) else { return [] }
    return references.compactMap { label, reference in
      context.row(of: reference.id, in: table, Target.self).map { Entry(label: label, row: $0.row) }
    }
  }

  /// The owner in some tables; nil when it does not exist.
  func owner(in context: ReadContext) -> FoundRow? {
    guard let table = context.catalog.index(of: owner) else { return nil }
    return context.tables[table].find(
      hash: idHash, isMatch: isOwner, compare: nil)
  }

  /// The numbering of the list in some tables (R11); nil for a set or map, and without an owner or entries.
  func numbering(in context: ReadContext) -> UInt64? { owner(in: context).flatMap { numbering($0.object) } }

  /// The entries as a result over the targets' table.
  package func window(_ table: Int, _ context: ReadContext, stamp: UInt64?) -> ResultWindow {
    let entries = owner(in: context).map { self.entries($0.object, context) } ?? []
    var builder = TreeBuilder(isOrdered ? .listed : .insertionOrder)
    let rows = context.tables[table].rows
    var occurrences: [UInt64: UInt64] = [:]
    for entry in entries {
      let stamp = stamp ?? rows.floor(entry.row)?.key.second ?? 0
      guard isOrdered else {
        builder.append(TreeKey(entry.row, stamp))
        continue
      }
      let number = occurrences[entry.row, default: 0]
      occurrences[entry.row] = number + 1
      builder.append(TreeKey(entry.label, TreeLayout.occurrence(entry.row, number)), stamp: stamp)
    }
    let tree = builder.finish()
    return ResultWindow(table: table, tree: tree, ranks: 0..<tree.count, order: RowOrder(keys: []))
  }
}

extension TreeLayout {
  /// Entries of a list: (label, occurrence) with a stamp.
  static let listed = TreeLayout.stamped(areOccurrences: true)
  /// Entries of a list in another order: (sort key, occurrence) with a stamp.
  static let sortedList = TreeLayout.stamped(areOccurrences: true)

  /// The bits that distinguish the entries of one row: the bits that row numbers, below 2⁴⁷, leave free. If a
  /// list has more than 131,072 entries of one row, not all are shown.
  private static let occurrenceBits: UInt64 = 17

  /// One of the entries of a row.
  static func occurrence(_ row: UInt64, _ number: UInt64) -> UInt64 {
    row << occurrenceBits | min(number, 1 << occurrenceBits - 1)
  }

  /// The row that the second word of a key names.
  package func row(_ second: UInt64) -> UInt64 {
    areOccurrences ? second >> TreeLayout.occurrenceBits : second
  }
}

extension Entity {
  /// The objects of one object's list, in its order: a query to observe, filter and sort.
  ///
  /// ```swift
  /// Post.linked(from: \User.posts, of: id).where { $0.isPublished == true }
  /// ```
  /// An object that is in the list twice is in the result twice. Each entry keeps an identity of its own. Without an
  /// owner there are no objects.
  public static func linked<Owner: Entity>(
    from list: SendableKeyPath<Owner, RefList<Self>>, of id: Owner.ID
  ) -> Query<Self> {
    Query(stages: [QueryStage(source: ListSource(list: list, id))])
  }

  /// The objects of one object's set, in insertion order.
  public static func linked<Owner: Entity>(
    from members: SendableKeyPath<Owner, RefSet<Self>>, of id: Owner.ID
  ) -> Query<Self> {
    Query(stages: [QueryStage(source: ListSource(members: members, id))])
  }

  /// The objects of one object's map, each once, in insertion order.
  public static func linked<Owner: Entity>(
    from map: SendableKeyPath<Owner, RefMap<Self>>, of id: Owner.ID
  ) -> Query<Self> {
    Query(stages: [QueryStage(source: ListSource(members: map, id))])
  }
}
