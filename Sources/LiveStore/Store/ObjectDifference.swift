/// An object before and after a commit.
public struct ObjectDifference<Element: Entity>: Sendable {
  /// The object before; nil if it was inserted.
  public let old: Element?
  /// The object after; nil if it was deleted.
  public let new: Element?
}
