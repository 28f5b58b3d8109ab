/// What changed in a query's result between two versions.
///
/// It is exact. Remove from `previous` the objects at `deletions` and at the `from` of `moves`, insert those at
/// `insertions` and at the `to` of `moves`, then replace the `modifications`: the result is `current`.
public struct ChangeSet<Element: Entity>: Sendable {
  /// The result that the observer received before.
  public let previous: Results<Element>
  /// The result now.
  public let current: Results<Element>
  /// Indices in `previous` of the objects that are not in `current`, ascending.
  public let deletions: [Int]
  /// Indices in `current` of the objects that were not in `previous`, ascending.
  public let insertions: [Int]
  /// Objects in both whose value differs, by new index.
  public let modifications: [Modification<Element, Int>]
  /// The fewest moves that explain the new order, by `to`; a moved object may be unmodified.
  public let moves: [Move<Element.ID, Int>]
  /// Whether two values of one object differ for this observer; nil for all listed properties.
  private let isModified: DifferenceTest?
  /// Linked values that count as modifications, too.
  private let linked: [NamedValue]

  /// Whether nothing changed; such a change set is never delivered.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
  }
}

/// Whether the objects of two rows differ, each read in its own state.
typealias DifferenceTest = @Sendable (ResultSide, UnsafeRawPointer, ResultSide, UnsafeRawPointer) -> Bool

extension ChangeSet {
  /// The difference of two results of one query.
  ///
  /// - Parameters:
  ///   - isModified: whether two values of one object differ for this observer; nil for all listed properties
  ///     and the linked values that the query names.
  ///   - linked: the linked values to report; nil for those that the query names.
  init(
    from previous: Results<Element>, to current: Results<Element>,
    isModified: DifferenceTest? = nil, linked: [NamedValue]? = nil
  ) {
    let named = current.window.linked
    let linked = linked ?? named
    self.isModified = isModified
    self.linked = linked
    self.previous = previous
    self.current = current
    guard let info = current.info ?? previous.info else {
      // A store without the entity has no objects, so nothing differs.
      (deletions, insertions, moves, modifications) = ([], [], [], [])
      return
    }
    let old = ResultSide(previous.state, previous.window)
    let new = ResultSide(current.state, current.window)
    let rows = RowDifference(from: old, to: new, info)
    deletions = rows.deletions
    insertions = rows.insertions
    moves = rows.moves.map {
      Move(id: current[$0.newPosition].id, from: $0.oldPosition, to: $0.newPosition)
    }
    modifications = rows.changed.compactMap { row in
      let (before, after) = (old.object(at: row.oldPosition), new.object(at: row.newPosition))
      let differs =
        isModified.map { $0(old, before, new, after) }
        ?? (!info.isSame(before, after) || named.differ(before, old.context, after, new.context))
      guard differs else { return nil }
      return Modification(
        oldIndex: row.oldPosition, newIndex: row.newPosition,
        // Rows of this entity's table hold Elements.
        old: before.object(as: Element.self).pointee,
        new: after.object(as: Element.self).pointee,
        linked: linked.compactMap { $0.change(before, old.context, after, new.context) })
    }
  }

  /// The listed properties of a modified object that differ, with both values.
  public func properties(of modification: Modification<Element, Int>) -> [PropertyChange] {
    modification.properties
  }

  /// The change set from `current` back to `previous`.
  public var reversed: ChangeSet {
    ChangeSet(from: current, to: previous, isModified: isModified, linked: linked)
  }

  /// This change set and the next one combined: the difference between this one's `previous` and the other's
  /// `current`.
  public func followed(by next: ChangeSet) -> ChangeSet {
    ChangeSet(from: previous, to: next.current, isModified: isModified, linked: linked)
  }
}

extension ChangeSet: CustomStringConvertible {
  /// The versions, and the indices of all changes.
  public var description: String {
    var parts: [String] = []
    if !deletions.isEmpty { parts.append("deleted \(deletions)") }
    if !insertions.isEmpty { parts.append("inserted \(insertions)") }
    if !modifications.isEmpty {
      let indices = modifications.map {
        $0.oldIndex == $0.newIndex ? "\($0.newIndex)" : "\($0.oldIndex)→\($0.newIndex)"
      }
      parts.append("modified [\(indices.joined(separator: ", "))]")
    }
    if !moves.isEmpty {
      parts.append("moved [\(moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", "))]")
    }
    let changes = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    return "\(Element.self) \(previous.version)→\(current.version): \(changes)"
  }
}

extension NamedValue {
  /// The value in two rows, where it differs.
  func change(
    _ before: UnsafeRawPointer, _ old: ReadContext, _ after: UnsafeRawPointer, _ new: ReadContext
  ) -> PropertyChange? {
    guard let isSame, let value, !isSame(before, old, after, new) else { return nil }
    return PropertyChange(name: term.description, old: value(before, old), new: value(after, new))
  }
}
