// The codes once more, where the type of a comparison is known: `catch let error as StoreError where error.code == .notFound`.

extension StoreError.Code {
  /// The store was not made with this entity.
  public static let unknownEntity = StoreError.unknownEntity
  /// The schema does not describe its entity.
  public static let invalidSchema = StoreError.invalidSchema
  /// An object with this id already exists.
  public static let duplicateID = StoreError.duplicateID
  /// No object has this id.
  public static let notFound = StoreError.notFound
  /// An update changed the object's id.
  public static let identifierChanged = StoreError.identifierChanged
  /// Two objects have the same value of a unique property.
  public static let uniqueViolation = StoreError.uniqueViolation
  /// A reference names an object that does not exist.
  public static let missingLinkTarget = StoreError.missingLinkTarget
  /// A required reference is left empty.
  public static let requiredLinkEmpty = StoreError.requiredLinkEmpty
  /// An object that refers to the deleted one prevents the deletion.
  public static let deleteRestricted = StoreError.deleteRestricted
  /// The entity is reserved for another writer: its objects follow another source. Or the store's file is
  /// only read.
  public static let readOnly = StoreError.readOnly
  /// A write was started inside a write of the same store, or made inside an update of the same object.
  public static let nestedWrite = StoreError.nestedWrite
  /// Another writer changed what a transaction had read.
  public static let conflict = StoreError.conflict
  /// The history does not reach back to a version, or the store has none of that number.
  public static let historyTruncated = StoreError.historyTruncated
  /// A text filter is not valid.
  public static let invalidFilter = StoreError.invalidFilter
  /// A filter exceeds a limit: its own, or the limit of patterns.
  public static let filterTooExpensive = StoreError.filterTooExpensive
  /// The task that asked was cancelled.
  public static let cancelled = StoreError.cancelled
  /// A JSON text is not valid.
  public static let invalidJSON = StoreError.invalidJSON
  /// A page cursor belongs to another query or to another store.
  public static let invalidCursor = StoreError.invalidCursor
  /// A store cannot continue as another: a place was given before, or a place or the version is too large.
  public static let invalidRestoration = StoreError.invalidRestoration
  /// Snapshots of different stores were compared.
  public static let differentStores = StoreError.differentStores
  /// The store was closed.
  public static let closed = StoreError.closed
}
