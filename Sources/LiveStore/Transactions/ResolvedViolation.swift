/// An object that broke a rule of its schema, and what ``WriteTransaction/resolveViolations()`` did about it.
public struct ResolvedViolation: Sendable {
  /// What the commit would have thrown. Its message names the object, the property and the value.
  public let error: StoreError
  /// The object as it was before.
  public let object: any Entity
  /// Whether the object was deleted. If not, the link `error.property` has lost the ids that name no object.
  public let isDeleted: Bool
}
