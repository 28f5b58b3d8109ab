/// An object that moved within its section or to another.
public struct SectionedMove<ID: Hashable & Sendable>: Hashable, Sendable, Identifiable {
  /// The object's id.
  public let id: ID
  /// The position in the previous sections.
  public let from: SectionPosition
  /// The position in the current sections.
  public let to: SectionPosition

  /// A move of the object with an id.
  public init(id: ID, from: SectionPosition, to: SectionPosition) {
    self.id = id
    self.from = from
    self.to = to
  }
}
