import LiveStore

/// A property that is shown, or a member of one.
struct Column: Equatable, Sendable {
  let title: String
  let path: [String]
}

/// What is shown of objects.
struct Projection: Sendable {
  let columns: [Column]

  /// The values of an object; nil where there is none.
  func values(_ object: StoredObject) -> [JSONValue?] { columns.map { object.value(at: $0.path) } }

  /// The object with the columns alone, as JSON.
  func json(_ object: StoredObject) -> JSONValue {
    let members = zip(columns, values(object)).compactMap { column, value in
      value.map { (key: column.title, value: $0) }
    }
    return .object(JSONObject(members))
  }
}
