extension StoreInspection {
  /// An entity: its schema, and what its table and indexes hold.
  public struct EntityReport: Sendable, Hashable, Codable {
    /// The name of the type.
    public var name: String
    /// How many objects there are.
    public var rows: Int
    /// The bytes of the table's nodes with the objects in them, estimated as in ``IndexReport/bytes``. What objects
    /// refer to, such as the text of long strings, is not counted.
    public var bytes: Int
    /// The listed and ignored properties, in the order of the schema, and then the links in embedded values.
    public var properties: [PropertyReport]
    /// The indexes: of ids, of properties, of links, of elements, of words.
    public var indexes: [IndexReport]
  }

  /// A property of an entity.
  public struct PropertyReport: Sendable, Hashable, Codable {
    /// Its name, with the path for a link in an embedded value: `address.owner`.
    public var name: String
    /// The type of its value, as Swift prints it.
    public var type: String
    /// Its options without the point: `indexed`, `unique`, `indexedElements`, `searchable`; `ignored`.
    public var options: [String]
    /// The relation, if the property holds links.
    public var relation: RelationReport?
  }

  /// What a property links to.
  public struct RelationReport: Sendable, Hashable, Codable {
    /// The name of the entity that it links to.
    public var target: String
    /// Whether it holds any number of links, and not one at most.
    public var isToMany: Bool
    /// Whether it must hold a link.
    public var isRequired: Bool
    /// Whether the linked objects are deleted with the object.
    public var isOwned: Bool
    /// What happens to the object when a linked object is deleted.
    public var deleteRule: DeleteRule
  }

  /// An index of an entity.
  public struct IndexReport: Sendable, Hashable, Codable {
    /// What an index lists rows by.
    public enum Kind: String, Sendable, Hashable, Codable {
      /// The ids of the entity's objects.
      case ids
      /// The values of a property, or of several.
      case values
      /// The ids that objects link to.
      case links
      /// The elements of a collection.
      case elements
      /// The words of text.
      case words
    }

    /// The property, or `(status, date)` for several.
    public var name: String
    /// What it lists rows by.
    public var kind: Kind
    /// Whether no two objects may have the same value.
    public var isUnique: Bool
    /// How many entries it has.
    public var entries: Int
    /// The bytes of its nodes, estimated: sixteen leaves spread over the index are looked at, and all others are taken
    /// to be as full and as large. For ids, which are in hash tables, it is the usual size for their number.
    public var bytes: Int
  }
}
