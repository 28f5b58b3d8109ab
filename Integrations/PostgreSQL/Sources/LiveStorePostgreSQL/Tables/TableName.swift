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
    var rest = text[...]
    repeat {
      if !parts.isEmpty { rest.removeFirst() }
      if rest.first == "\"" {
        parts.append(try Self.quoted(&rest, of: text))
      } else {
        let part = rest.prefix { $0 != "." }
        parts.append(String(part))
        rest = rest[part.endIndex...]
      }
    } while rest.first == "."
    guard rest.isEmpty, parts.count <= 2, !parts.contains("") else { throw Self.invalid(text) }
    (schema, table) = (parts.count == 2 ? parts[0] : "public", parts[parts.count - 1])
  }

  private static func quoted(_ rest: inout Substring, of text: String) throws -> String {
    rest.removeFirst()
    var part = ""
    while let character = rest.popFirst() {
      if character != "\"" {
        part.append(character)
      } else if rest.first == "\"" {
        part.append(rest.removeFirst())
      } else {
        return part
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

  /// The name without quotes, as messages show it.
  package var description: String { "\(schema).\(table)" }

  /// The name as SQL has it.
  var sql: String { "\(schema.asIdentifier).\(table.asIdentifier)" }
}

extension String {
  /// The name as an identifier of SQL.
  var asIdentifier: String { "\"\(replacing("\"", with: "\"\""))\"" }

  /// The text as a literal of SQL.
  var asLiteral: String {
    let text = replacing("'", with: "''")
    return text.contains("\\") ? "E'\(text.replacing("\\", with: "\\\\"))'" : "'\(text)'"
  }
}
