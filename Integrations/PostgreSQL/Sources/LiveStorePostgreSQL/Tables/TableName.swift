/// The name of a table with its schema.
package struct TableName: Sendable, Hashable, CustomStringConvertible {
  let schema: String
  let table: String

  init(schema: String, table: String) { (self.schema, self.table) = (schema, table) }

  /// Reads `table`, which is in the schema `public`, or `schema.table`. A name with a point or a quotation mark in it is
  /// quoted as in SQL.
  ///
  /// - Throws: `invalidTable`.
  init(_ text: String) throws {
    var parts: [String] = []
    var scalars = text.unicodeScalars[...]
    repeat {
      if !parts.isEmpty { scalars.removeFirst() }
      if scalars.first == "\"" {
        parts.append(try Self.quoted(&scalars, of: text))
      } else {
        let part = scalars.prefix { $0 != "." }
        parts.append(String(part))
        scalars = scalars[part.endIndex...]
      }
    } while scalars.first == "."
    guard scalars.isEmpty, parts.count <= 2, !parts.contains("") else { throw Self.invalid(text) }
    (schema, table) = (parts.count == 2 ? parts[0] : "public", parts[parts.count - 1])
  }

  private static func quoted(
    _ scalars: inout Substring.UnicodeScalarView, of text: String
  ) throws -> String {
    scalars.removeFirst()
    var part = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar != "\"" {
        part.append(scalar)
      } else if scalars.first == "\"" {
        part.append(scalars.removeFirst())
      } else {
        return String(part)
      }
    }
    throw invalid(text)
  }

  private static func invalid(_ text: String) -> PostgresError {
    PostgresError(
      PostgresError.invalidTable,
      "'\(text)' is no name of a table. Write \"posts\" or \"blog.posts\", and quote parts that have points.",
      table: text)
  }

  /// Whether two names are the same to the server, which compares bytes: to Swift, "é" is "e\u{301}", too.
  package static func == (left: TableName, right: TableName) -> Bool {
    left.schema.utf8.elementsEqual(right.schema.utf8) && left.table.utf8.elementsEqual(right.table.utf8)
  }

  /// Hashes what makes names equal; those that are equal to Swift alone share a hash.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(schema)
    hasher.combine(table)
  }

  /// The name without quotes, as messages show it.
  package var description: String { "\(schema).\(table)" }

  /// The name as SQL has it.
  var sql: String { "\(schema.asIdentifier).\(table.asIdentifier)" }
}

extension String {
  /// The name as an identifier of SQL.
  var asIdentifier: String { Quoting.quoted(self, by: "\"") }

  /// The text as a literal of a replication command, which takes a backslash for a character like others.
  var asReplicationLiteral: String { Quoting.quoted(self, by: "'") }
}
