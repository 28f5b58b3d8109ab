/// The objects of an entity that differ between two versions.
///
/// The objects are made as they are asked for, so that many differences take little memory.
public struct ObjectDifferences<Element: Entity>: RandomAccessCollection, Sendable {
  private let edits: [ObjectEdit]
  private let states: (before: StoreState, after: StoreState)

  init(edits: [ObjectEdit], _ before: StoreState, _ after: StoreState) {
    (self.edits, states) = (edits, (before, after))
  }

  /// The objects before and after in the rows of a table that differ between two states.
  ///
  /// - Complexity: O(*k* log *k*) for *k* rows.
  init(_ rows: [RowChange], in table: Int, _ before: StoreState, _ after: StoreState) {
    let edits = ObjectEdit.edits(rows, after.catalog.entities[table].ids)
    self.init(edits: edits.sorted { $0.row < $1.row }, before, after)
  }

  /// The position of the first object.
  public var startIndex: Int { 0 }
  /// The position after the last object.
  public var endIndex: Int { edits.count }

  /// An object before and after.
  ///
  /// - Complexity: O(1)
  public subscript(position: Int) -> ObjectDifference<Element> {
    // Rows of this entity's table hold Elements, and both states live as long as this value.
    withExtendedLifetime(states) {
      let edit = edits[position]
      return ObjectDifference(
        old: edit.old?.old?.object(as: Element.self).pointee,
        new: edit.new?.new?.object(as: Element.self).pointee,
        oldPlace: edit.old?.row, newPlace: edit.new?.row)
    }
  }
}

/// An object before and after.
public struct ObjectDifference<Element: Entity>: Sendable {
  /// The object before; nil if it was inserted.
  public let old: Element?
  /// The object after; nil if it was deleted.
  public let new: Element?
  /// The place before in the insertion order of the entity; nil if the object was inserted.
  ///
  /// Places ascend from 1 in that order, with gaps where objects were deleted. An object keeps its place
  /// until it is deleted. If it is inserted again, it gets another place, unless an undo restores it.
  public let oldPlace: UInt64?
  /// The place after; nil if the object was deleted.
  public let newPlace: UInt64?
}
