public import Foundation

/// What went wrong, where, and how to fix it.
///
/// The message is for developers. Write messages for users from the code and the fields. `entity` and `id` name the
/// object at fault. For `uniqueViolation` it is the written object, and `property` and `value` are what both objects
/// have. For `missingLinkTarget` it is the object that links, for `deleteRestricted` the object whose link prevents
/// the deletion; `property` is the link, and `value` the id of its target. Errors of an import also have the place in
/// the JSON text: `line`, `index` and `codingPath`.
///
/// ```swift
/// do {
///   try store.write { tx in try tx.insert(post) }
/// } catch StoreError.duplicateID {
///   …
/// }
/// ```
public struct StoreError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// The kind of an error. New kinds may be added; compare with those that you handle.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The code's name.
    public let description: String
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that says what, where and what to do.
  public package(set) var message: String
  /// The entity's name, if the error concerns one.
  public var entity: String?
  /// The object's id as text, if the error concerns one.
  public var id: String?
  /// The property's name, if the error concerns one.
  public var property: String?
  /// The offending value as text, if there is one.
  public var value: String?
  /// The line, from 1, of an error in a JSON text: where the invalid text or the object begins.
  public var line: Int?
  /// The column, from 1, of an error in a text: in a filter the character, in JSON the byte of its line.
  public var column: Int?
  /// The position, from 0, of an imported object in its array or among its lines.
  public var index: Int?
  /// The path of the value that could not be decoded, within its object: `address.city`, `tags[2]`.
  public var codingPath: String?
  /// How many objects of an import were committed before the error.
  public var committedCount: Int?
  /// The oldest version that a bounded history still holds.
  public var oldest: Version?
  /// The limit that a filter exceeds.
  public var limit: Limit?

  package init(
    _ code: Code, _ message: String, entity: String? = nil, id: String? = nil, property: String? = nil,
    value: String? = nil
  ) {
    self.code = code
    self.message = message
    self.entity = entity
    self.id = id
    self.property = property
    self.value = value
  }

  /// The message: for logs, and for alerts without a better text.
  public var errorDescription: String? { message }
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension StoreError {
  /// A limit of filters. New limits may be added; compare with those that you handle.
  public struct Limit: Sendable, Hashable, CustomStringConvertible {
    /// The limit's name.
    public let description: String

    /// ``FilterLimits/maximumLength``.
    public static let length = Limit(description: "length")
    /// ``FilterLimits/maximumSteps``.
    public static let steps = Limit(description: "steps")
    /// ``FilterLimits/maximumDepth``.
    public static let depth = Limit(description: "depth")
    /// ``FilterLimits/paths``.
    public static let paths = Limit(description: "paths")
    /// ``FilterLimits/maximumVisits``, or the limit of ``Query/visiting(atMost:)``.
    public static let visits = Limit(description: "visits")
    /// What matching one text with a pattern may cost; it holds for every query.
    public static let pattern = Limit(description: "pattern")
  }
}

extension StoreError {
  /// The store was not made with this entity.
  public static let unknownEntity = Code(description: "unknownEntity")
  /// The schema does not describe its entity.
  public static let invalidSchema = Code(description: "invalidSchema")
  /// An object with this id already exists.
  public static let duplicateID = Code(description: "duplicateID")
  /// No object has this id.
  public static let notFound = Code(description: "notFound")
  /// An update changed the object's id.
  public static let identifierChanged = Code(description: "identifierChanged")
  /// Two objects have the same value of a unique property.
  public static let uniqueViolation = Code(description: "uniqueViolation")
  /// A reference names an object that does not exist.
  public static let missingLinkTarget = Code(description: "missingLinkTarget")
  /// A required reference is left empty.
  public static let requiredLinkEmpty = Code(description: "requiredLinkEmpty")
  /// An object that refers to the deleted one prevents the deletion.
  public static let deleteRestricted = Code(description: "deleteRestricted")
  /// The entity is reserved for another writer: its objects follow another source. Or the store's file is
  /// only read.
  public static let readOnly = Code(description: "readOnly")
  /// A write was started inside a write of the same store, or made inside an update of the same object.
  public static let nestedWrite = Code(description: "nestedWrite")
  /// Another writer changed what a transaction had read.
  public static let conflict = Code(description: "conflict")
  /// The history does not reach back to a version, or the store has none of that number.
  public static let historyTruncated = Code(description: "historyTruncated")
  /// A text filter is not valid.
  public static let invalidFilter = Code(description: "invalidFilter")
  /// A filter exceeds a limit: its own, or the limit of patterns.
  public static let filterTooExpensive = Code(description: "filterTooExpensive")
  /// The task that asked was cancelled.
  public static let cancelled = Code(description: "cancelled")
  /// A JSON text is not valid.
  public static let invalidJSON = Code(description: "invalidJSON")
  /// A page cursor belongs to another query or to another store.
  public static let invalidCursor = Code(description: "invalidCursor")
  /// A store cannot continue as another: a place was given before, or a place or the version is too large.
  public static let invalidRestoration = Code(description: "invalidRestoration")
  /// Snapshots of different stores were compared.
  public static let differentStores = Code(description: "differentStores")
  /// The store was closed.
  public static let closed = Code(description: "closed")
}

/// Makes codes usable as patterns: `catch StoreError.duplicateID`.
public func ~= (code: StoreError.Code, error: any Error) -> Bool {
  (error as? StoreError)?.code == code
}
