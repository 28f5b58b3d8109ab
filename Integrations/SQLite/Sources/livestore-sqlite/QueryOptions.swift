import ArgumentParser
import LiveStore

/// Which objects are shown.
struct QueryOptions: ParsableArguments {
  @Argument(help: "The entity; it may be left out where the file has one.") var entity: String?

  @Option(name: .customLong("where"), help: "A filter, such as 'likeCount >= 10 AND title CONTAINS \"tea\"'.")
  var filter: String?

  @Option(help: "Properties to sort by, such as likeCount:desc,title.") var sort: String?

  @Option(help: "How many objects at the most.") var limit: Int?

  @Option(help: "The properties to show, such as id,title; all by default.") var select: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is \(limit). It needs 0 or more.") }
  }

  /// - Parameter properties: those of the entity.
  /// - Throws: an error if the filter cannot be parsed, or a property of the order is unknown.
  func query(_ properties: [String]) throws -> LiveStore.Query<StoredObject> {
    var query = StoredObject.all
    if let filter { query = try StoredObject.where(format: filter) }
    for key in sort?.split(separator: ",") ?? [] {
      let parts = key.split(separator: ":").map(String.init)
      guard let name = parts.first, parts.count == 1 || ["asc", "desc"].contains(parts[1]), parts.count <= 2
      else {
        throw ValidationError("--sort has \(key). It needs properties, with :asc or :desc behind them.")
      }
      let path = name.split(separator: ".").map(String.init)
      try require(path.first, properties)
      query = query.sorted(byPath: path, parts.last == "desc" ? .descending : .ascending)
    }
    return limit.map { query.limit($0) } ?? query
  }

  /// The properties that are shown.
  func columns(_ properties: [String]) throws -> [String] {
    guard let select else { return properties }
    let names = select.split(separator: ",").map(String.init)
    for name in names { try require(name, properties) }
    return names
  }

  private func require(_ name: String?, _ properties: [String]) throws {
    guard let name, !properties.isEmpty, !properties.contains(name) else { return }
    throw ValidationError("There is no property \(name). There are: \(properties.joined(separator: ", ")).")
  }
}
