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
  public let modifications: [Modification<Element>]
  /// The fewest moves that explain the new order, by `to`; a moved object may be unmodified.
  public let moves: [Move<Element.ID>]
  /// Whether two values of one object differ for this observer; nil for all listed properties.
  private let isModified: DifferenceTest?
  /// Linked values that count as modifications, too.
  private let linked: [Operand]

  /// Whether nothing changed; such a change set is never delivered.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
  }
}

/// Whether the objects of two rows differ, each read in its own state.
typealias DifferenceTest = @Sendable (ResultSide, UnsafeRawPointer, ResultSide, UnsafeRawPointer) -> Bool

/// An object whose value changed.
public struct Modification<Element: Entity>: Sendable, Identifiable {
  /// The index in the previous result.
  public let oldIndex: Int
  /// The index in the current result.
  public let newIndex: Int
  /// The object before.
  public let old: Element
  /// The object now.
  public let new: Element

  /// The object's id.
  public var id: Element.ID { new.id }

  /// A value before and after, if it differs; for any key path.
  ///
  /// ```swift
  /// if let likes = modification[\.likeCount] { print("\(likes.old) → \(likes.new)") }
  /// ```
  public subscript<Value: Equatable>(_ keyPath: KeyPath<Element, Value>) -> (old: Value, new: Value)? {
    let (before, after) = (old[keyPath: keyPath], new[keyPath: keyPath])
    return isSameValue(before, after) ? nil : (before, after)
  }

  /// The listed properties that differ, with both values, followed by the linked values that differ.
  public var properties: [PropertyChange] { ownProperties + linked }

  /// The listed properties that differ.
  var ownProperties: [PropertyChange] { propertyChanges(from: old, to: new) }
  let linked: [PropertyChange]
}

/// An object whose position among the others changed.
public struct Move<ID: Hashable & Sendable>: Hashable, Sendable, Identifiable {
  /// The object's id.
  public let id: ID
  /// The index in the previous result.
  public let from: Int
  /// The index in the current result.
  public let to: Int

  /// A move of the object with an id.
  public init(id: ID, from: Int, to: Int) {
    self.id = id
    self.from = from
    self.to = to
  }
}

/// A property of one object before and after a change.
public struct PropertyChange: Sendable, CustomStringConvertible {
  /// The property's name in the schema.
  public let name: String
  /// The value before; cast it to the property's type.
  public let old: any Sendable
  /// The value now.
  public let new: any Sendable

  /// The name and both values.
  public var description: String { "\(name): \(shown(old)) → \(shown(new))" }
}

/// The listed properties in which two objects of one id differ.
package func propertyChanges<Element: Entity>(from old: Element, to new: Element) -> [PropertyChange] {
  withObjects(old, new) { old, new in
    Element.schema.definitions.compactMap { definition in
      guard let functions = definition.functions, let name = definition.name, !functions.isSame(old, new)
      else { return nil }
      return PropertyChange(name: name, old: functions.value(old), new: functions.value(new))
    }
  }
}

extension ChangeSet {
  /// The difference of two results of one query.
  ///
  /// - Parameters:
  ///   - isModified: whether two values of one object differ for this observer; nil for all listed properties
  ///     and the linked values that the query names.
  ///   - linked: the linked values to report; nil for those that the query names.
  init(
    from previous: Results<Element>, to current: Results<Element>,
    isModified: DifferenceTest? = nil, linked: [Operand]? = nil
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
  public func properties(of modification: Modification<Element>) -> [PropertyChange] {
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
      let places = modifications.map {
        $0.oldIndex == $0.newIndex ? "\($0.newIndex)" : "\($0.oldIndex)→\($0.newIndex)"
      }
      parts.append("modified [\(places.joined(separator: ", "))]")
    }
    if !moves.isEmpty {
      parts.append("moved [\(moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", "))]")
    }
    let changes = parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    return "\(Element.self) \(previous.version)→\(current.version): \(changes)"
  }
}

extension Operand {
  /// The value in two rows, where it differs.
  func change(
    _ before: UnsafeRawPointer, _ old: ReadContext, _ after: UnsafeRawPointer, _ new: ReadContext
  ) -> PropertyChange? {
    guard let isSame, let value, !isSame(before, old, after, new) else { return nil }
    return PropertyChange(name: path.description, old: value(before, old), new: value(after, new))
  }
}
