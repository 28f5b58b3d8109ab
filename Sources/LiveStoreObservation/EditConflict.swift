/// A property that a draft and another writer changed to different values.
public struct EditConflict: Sendable {
  /// The property's name.
  public let property: String
  /// Its value when the draft started.
  public let base: any Sendable
  /// Its value in the draft.
  public let draft: any Sendable
  /// Its value in the store.
  public let stored: any Sendable
}
