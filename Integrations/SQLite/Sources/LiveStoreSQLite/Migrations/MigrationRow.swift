/// An object of a file in a migration: the values of its properties by name.
///
/// ```swift
/// let name = try row.value("name", as: String.self)
/// try row.set("createdAt", to: Date.now)
/// ```
public struct MigrationRow: Sendable, CustomStringConvertible {
  /// The entity.
  public let entity: String
  /// The number of the row in its table: the order of insertion.
  public let number: Int64
  private(set) var columns: ColumnNames
  /// The values that the row had.
  private(set) var values: [ColumnValue]
  /// Those that were set, by their position among the columns.
  private(set) var changes: [Int: CodedValue] = [:]

  init(_ entity: String, _ number: Int64, _ columns: ColumnNames, _ values: [ColumnValue]) {
    (self.entity, self.number, self.columns, self.values) = (entity, number, columns, values)
  }

  /// The names of the entity's properties, in the order of their columns.
  public var properties: [String] { columns.names }

  /// Reads a property.
  ///
  /// - Parameters:
  ///   - property: its name, the coding key.
  ///   - type: what it was written as; an optional type where it may be missing.
  /// - Throws: `invalidMigration` if the entity has no such property; `mismatch` if the value is none of the type.
  /// - Complexity: O(1), and the time to decode the value.
  public func value<Value: Decodable>(_ property: String, as type: Value.Type = Value.self) throws -> Value {
    guard let index = columns.index(of: property) else { throw Self.unknown(property, entity, columns) }
    do {
      return try DecodedValue.decode(type, of: stored(index), at: [ElementKey(stringValue: property)])
    } catch {
      throw StoreFileError(
        .mismatch,
        "Row \(number) of table \(entity) has no \(type) as \(property): \(DecodingText.of(error))",
        table: entity, row: number)
    }
  }

  private func stored(_ index: Int) -> StoredValue {
    changes[index].map { StoredValue($0) } ?? StoredValue(values[index], columns.kinds[index])
  }

  /// Sets a property, which may be new.
  ///
  /// - Parameters:
  ///   - property: its name, the coding key.
  ///   - value: its value; nil for none.
  /// - Throws: what the value throws when it is encoded.
  /// - Complexity: O(1), and the time to encode the value.
  public mutating func set(_ property: String, to value: some Encodable) throws {
    let path = [ElementKey(stringValue: property)]
    let coded = try ValueEncoder.readable(ValueEncoder.coded(value, at: path), at: path)
    if let index = columns.index(of: property) {
      changes[index] = coded
    } else {
      changes[values.count] = coded
      columns.add(property, kinds: [])
      values.append(.null)
    }
  }

  /// The properties that have values.
  public var description: String {
    let shown = columns.names.indices.map { (columns.names[$0], stored($0)) }.filter { !$0.1.isNull }
      .map { "\($0.0): \($0.1.json)" }
    return "\(entity) \(number) (\(shown.joined(separator: ", ")))"
  }

  static func unknown(_ property: String, _ entity: String, _ columns: ColumnNames) -> StoreFileError {
    StoreFileError(
      .invalidMigration,
      "\(entity) has no property \(property) in the file. It has: \(columns.names.joined(separator: ", ")).",
      table: entity)
  }
}
