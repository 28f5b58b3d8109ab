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
