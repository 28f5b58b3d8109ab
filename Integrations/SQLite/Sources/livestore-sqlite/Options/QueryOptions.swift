import ArgumentParser
import LiveStore

/// Which objects are shown, and what of them.
package struct QueryOptions: ParsableArguments {
  @Argument(help: "The entity; it may be left out where the file has one.") var entity: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "A filter such as 'likeCount >= 10 AND title CONTAINS \"tea\"'.",
      discussion: """
        The language is that of NSPredicate: AND, OR, NOT, BEGINSWITH, LIKE, MATCHES, IN {1, 2}, address.city. An array \
        is searched by ANY tags == 'hot' (CONTAINS is for texts), tags.@count, ALL, NONE. Values are as query prints them: \
        a Bool is true or false, a UUID text in capital letters, a Date text in UTC such as '2026-11-25 08:30:00.250'.
        """, valueName: "filter"))
  var filter: String?

  @Option(help: ArgumentHelp("Properties to sort by, such as likeCount:desc,title.", valueName: "properties"))
  var sort: String?

  @Option(help: ArgumentHelp("How many objects at the most.", valueName: "count")) var limit: Int?

  @Option(
    help: ArgumentHelp(
      "The properties to show, such as id,address.city; all by default.", valueName: "properties"))
  var select: String?

  package init() {}

  /// The options in arguments.
  package init(parsing arguments: [String]) throws { self = try Self.parse(arguments) }

  package func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is \(limit). It needs 0 or more.") }
  }

  /// Whether there are properties in the options.
  var namesProperties: Bool { filter != nil || sort != nil || select != nil }

  /// The query, checked against the properties of an entity.
  ///
  /// - Throws: a sentence if the filter or the order cannot be read, or names a property that is not there.
  package func query(_ properties: [String]) throws -> RowQuery {
    var query = RowQuery(filter: StoredObject.all, order: try order(), limit: limit)
    if let filter {
      query.filter = try StoredObject.where(format: filter)
      for name in query.names { try require(name, properties, option: "--where") }
    }
    for key in query.order { try require(key.path.first, properties, option: "--sort") }
    return query
  }

  private func order() throws -> [RowQuery.Key] {
    try Self.list(sort).map { text in
      let names = Self.parts(text, at: ":")
      let parts = names.map { $0.lowercased() }
      guard parts.count <= 2, !names[0].isEmpty, parts.count < 2 || ["asc", "desc"].contains(parts[1]) else {
        throw ToolFailure.usage("--sort has \(text). A property may have :asc or :desc behind it.")
      }
      let path = Self.path(names[0])
      return RowQuery.Key(path: path, direction: parts.last == "desc" ? .descending : .ascending)
    }
  }

  /// The columns that are shown.
  func columns(_ properties: [String]) throws -> [Column] {
    guard let select else { return properties.map { Column(title: $0, path: [$0]) } }
    return try Self.list(select).map { text in
      let path = properties.contains(text) ? [text] : Self.path(text)
      try require(path.first, properties, option: "--select")
      return Column(title: text, path: path)
    }
  }

  private static func list(_ text: String?) -> [String] {
    parts(text ?? "", at: ",").filter { !$0.isEmpty }.map { String($0.trimmingPrefix(" ")) }
  }

  private static func path(_ text: String) -> [String] { parts(text, at: ".").filter { !$0.isEmpty } }

  private static func parts(_ text: String, at separator: Unicode.Scalar) -> [String] {
    text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }

  private func require(_ name: String?, _ properties: [String], option: String) throws {
    // Of an entity that never had an object, the file does not know the properties.
    guard let name, !properties.isEmpty, !properties.contains(name) else { return }
    let hint = NearestWord.hint(name, among: properties)
    throw ToolFailure.usage(
      "\(option): there is no property \(name)\(hint). There are \(properties.joined(separator: ", ")).")
  }
}
