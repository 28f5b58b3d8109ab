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
