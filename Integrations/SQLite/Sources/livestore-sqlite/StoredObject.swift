import LiveStore

/// A row of the file, whose properties are known only at run time.
struct StoredObject: DynamicEntity {
  /// The number of the row.
  let id: Int64
  let object: JSONObject

  static let schema = Schema<StoredObject>(dynamic: { row, path in JSONValue.object(row.object)[path: path] })
}
