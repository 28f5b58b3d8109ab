public import LiveStore

/// A table of the server that a replica follows, and the entity that its rows are.
///
/// ```swift
/// Replicated("posts", Post.self)                                      // columns are named as the properties
/// Replicated("blog.users", User.self, columns: .snakeCase, where: "active")
/// Replicated("tags", Tag.self) { row in Tag(id: try row.decode("id"), name: try row.decode("label")) }
/// ```
public struct Replicated<Element: Entity>: ReplicaMember {
  let name: String
  let filter: String?
  let rows: RowFunctions<Element>.Maker
  /// The column that is the id; nil if a closure reads the id.
  let idColumn: String?
  /// Whether values that an update leaves out can be taken from the object in the store.
  let completesObjects: Bool
  /// The columns that are read; nil if that is not known.
  let columns: Set<String>?
  let unreadable: UnreadableRows

  /// A table whose rows are read by `Codable`.
  ///
  /// - Parameters:
  ///   - name: the table, `posts` or `blog.posts`; without a schema it is in `public`.
  ///   - type: the entity. A property has the column that is named as its coding key. An optional one without a column
  ///     is nil, and ``PostgresReplica/Options/onWarning`` says so.
  ///   - columns: how columns are named otherwise.
  ///   - filter: the publication's row filter for this table, to be sure that it is this one; nil if it has none.
  ///   - id: reads the id of a row, of which only the columns of the replica identity may be there; nil if the property
  ///     `id` has a column.
  ///   - unreadable: what is done about a row that the entity cannot hold.
  public init(
    _ name: String, _ type: Element.Type, columns: ColumnNaming = .same, where filter: String? = nil,
    id: (@Sendable (PostgresRow) throws -> Element.ID)? = nil, unreadable: UnreadableRows = .stopTable
  ) where Element: Codable {
    (self.name, self.filter, self.unreadable) = (name, filter, unreadable)
    idColumn = id == nil ? columns.column(for: "id") : nil
    completesObjects = true
    let requested = RequestedProperties(of: Element.self)
    self.columns =
      requested.isComplete && id == nil ? Set(requested.properties.map { columns.column(for: $0.name) }) : nil
    rows = { layout in
      let missing = try requested.check(layout, columns)
      let decoder = RowDecoder(layout, naming: columns)
      return RowFunctions(
        layout: layout,
        object: { row, previous in
          guard row.hasUnchanged else { return try decoder.decode(Element.self, from: row) }
          let captured = try previous().map { try CapturedValues(of: $0) }
          return try decoder.decode(Element.self, from: row) { captured }
        },
        objects: { try decoder.decode(Element.self, from: $0) },
        id: try Self.idFunction(layout, id, columns.column(for: "id")),
        warnings: missing.map { property in
          "\(layout.absence(of: columns.column(for: property))) for the optional property \(property) of \(Element.self), which is therefore nil."
        })
    }
  }

  /// A table whose rows are read by a closure.
  ///
  /// An update leaves out large values that it does not change, and a closure cannot take them from the object that it
  /// replaces. So the table must have `REPLICA IDENTITY FULL` if it has columns of types without a fixed length.
  ///
  /// - Parameters:
  ///   - name: the table, `posts` or `blog.posts`; without a schema it is in `public`.
  ///   - type: the entity.
  ///   - filter: the publication's row filter for this table, to be sure that it is this one; nil if it has none.
  ///   - id: reads the id of a row, of which only the columns of the replica identity may be there; nil if it is in the
  ///     column `id`.
  ///   - unreadable: what is done about a row that the entity cannot hold.
  ///   - object: makes an object of a row. What it throws reaches the caller of `start` as a ``PostgresError`` that names
  ///     the table; what the row throws names the column and the value, too.
  public init(
    _ name: String, _ type: Element.Type, where filter: String? = nil,
    id: (@Sendable (PostgresRow) throws -> Element.ID)? = nil, unreadable: UnreadableRows = .stopTable,
    _ object: @escaping @Sendable (PostgresRow) throws -> Element
  ) {
    (self.name, self.filter, self.unreadable) = (name, filter, unreadable)
    idColumn = id == nil ? "id" : nil
    completesObjects = false
    columns = nil
    rows = { layout in
      RowFunctions(
        layout: layout, object: { row, _ in try object(PostgresRow(layout, row)) },
        objects: { batch in try (0..<batch.count).map { try object(PostgresRow(layout, batch[$0])) } },
        id: try Self.idFunction(layout, id, "id"))
    }
  }

  private static func idFunction(
    _ layout: RowLayout, _ id: (@Sendable (PostgresRow) throws -> Element.ID)?, _ column: String
  ) throws -> (TupleData) throws -> Element.ID {
    if let id { return { try id(PostgresRow(layout, $0)) } }
    guard let type = Element.ID.self as? any Decodable.Type else {
      throw PostgresError(
        PostgresError.invalidTable,
        "The id of \(Element.self) is a \(Element.ID.self), which is not Decodable. Say how a row of \(layout.table) gives it: Replicated(…, id: { row in … }).",
        table: layout.table)
    }
    return { row in
      // The type is that of the id.
      try value(type, column, PostgresRow(layout, row)) as! Element.ID
    }
  }

  private static func value<Value: Decodable>(
    _ type: Value.Type, _ column: String, _ row: PostgresRow
  ) throws -> Any {
    try row.decode(column, as: type)
  }

  /// What the replica follows.
  public var replicated: ReplicatedEntity {
    ReplicatedEntity {
      TypedTable(
        name: try TableName(name), filter: filter, idColumn: idColumn, completesObjects: completesObjects,
        columns: columns, unreadable: unreadable, rows: rows)
    }
  }
}

/// An entity of a replica's store that is not replicated: objects of the program's own beside those of the server.
///
/// ```swift
/// Local(Draft.self)          // may link to replicated entities; written as in any store
/// ```
/// The rules of its schema hold: when the server deletes a post, drafts lose their links to it (`onDelete: .nullify`) or
/// are deleted, too (`.cascade`). The server asks no store, so no rule may refuse that: a link to a replicated entity may
/// not be `.owned`, and not `.restrict`, which is the default of a link that is not optional; nor may a link to what is
/// deleted with one restrict deletions. ``PostgresReplica/start(_:publication:slot:options:progress:_:)`` throws
/// `invalidSchema` then.
///
/// Optimistic edits read these objects, and are refused where they would change them:
/// ``PostgresReplica/write(optimistically:_:)``.
public struct Local<Element: Entity>: ReplicaMember {
  /// An entity that only this program writes.
  public init(_ type: Element.Type) {}

  /// Nothing is followed.
  public var replicated: ReplicatedEntity { ReplicatedEntity { nil } }
}
