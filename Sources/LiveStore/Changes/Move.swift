/// An object whose position among the others changed; in a result with sections, one that moved within its section or
/// to another.
public struct Move<ID: Hashable & Sendable, Index: Hashable & Sendable>: Hashable, Sendable, Identifiable {
  /// The object's id.
  public let id: ID
  /// The index in the previous result.
  public let from: Index
  /// The index in the current result.
  public let to: Index

  /// A move of the object with an id.
  public init(id: ID, from: Index, to: Index) {
    self.id = id
    self.from = from
    self.to = to
  }
}
