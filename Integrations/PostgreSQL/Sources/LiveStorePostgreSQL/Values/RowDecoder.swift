/// Decodes objects from the rows of a table, one after the other.
///
/// Objects mostly ask for the same properties in the same order. So the decoder remembers the order of the first object
/// and compares each name with the next one, rather than looking it up.
///
/// Overlapping access cannot happen: it is used by one task, a row at a time, and what is accessed is a value that is
/// copied or replaced.
package final class RowDecoder: Decoder {
  /// Gives the properties of the object that a row updates; nil if there is none.
  package typealias Previous = () throws -> CapturedValues?

  let layout: RowLayout
  private let naming: ColumnNaming

  @exclusivity(unchecked) private var bytes: [UInt8] = []
  @exclusivity(unchecked) private var fields: [TupleData.Field] = []
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var previous: Previous?
  @exclusivity(unchecked) private var captured: CapturedValues?

  @exclusivity(unchecked) private var container: AnyObject?
  @exclusivity(unchecked) private var containerKey: (any Any.Type)?

  /// The properties that were asked for, with the indices of their columns, -1 if there is none.
  @exclusivity(unchecked) private var properties: [(name: String, column: Int)] = []
  @exclusivity(unchecked) private var next = 0
  private var indices: [String: Int] = [:]

  package init(_ layout: RowLayout, naming: ColumnNaming = .same) {
    (self.layout, self.naming) = (layout, naming)
  }

  package var codingPath: [any CodingKey] { [] }
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Decodes an object.
  ///
  /// - Parameter previous: gives the values that an update left out. It is called at most once, if there are some.
  package func decode<Object: Decodable>(_ type: Object.Type, from row: TupleData, previous: Previous? = nil)
    throws
    -> Object
  {
    try layout.check(row)
    (bytes, fields, self.previous) = (row.bytes, row.fields, previous)
    defer { finish() }
    return try decode(type, first: row.first)
  }

  /// Decodes all rows of a piece of a copy.
  package func decode<Object: Decodable>(_ type: Object.Type, from batch: TupleBatch) throws -> [Object] {
    guard batch.count > 0 else { return [] }
    try layout.check(batch[0])
    (bytes, fields) = (batch.bytes, batch.fields)
    defer { finish() }
    var objects: [Object] = []
    objects.reserveCapacity(batch.count)
    for row in 0..<batch.count { objects.append(try decode(type, first: row * batch.columnCount)) }
    return objects
  }

  private func decode<Object: Decodable>(_ type: Object.Type, first: Int) throws -> Object {
    (self.first, next) = (first, 0)
    do {
      return try Object(from: self)
    } catch let error as PostgresError {
      throw error
    } catch {
      throw PostgresError(
        PostgresError.mismatch,
        "A row of table \(layout.table) cannot be read as \(type). \(DecodingText.of(error))",
        table: layout.table)
    }
  }

  /// The columns that properties were asked for under and that the table does not have, in the order of asking.
  package var missingColumns: [String] {
    properties.filter { $0.column < 0 }.map { naming.column(for: $0.name) }
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if containerKey == type, let container {
      // The container was made for keys of this type.
      return unsafeDowncast(container, to: Container<Key>.self).container
    }
    let container = Container(KeyedDecodingContainer(RowMembers<Key>(row: self)))
    (self.container, containerKey) = (container, type)
    return container.container
  }

  /// The container of the rows before, which serves all rows. It refers to this, so it goes when the rows are decoded.
  private final class Container<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
  }

  private func finish() { (previous, captured, container, containerKey) = (nil, nil, nil, nil) }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notAnObject }

  package func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notAnObject }

  private var notAnObject: PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "A row of table \(layout.table) is only read as an object with named properties.",
      table: layout.table)
  }
}

extension RowDecoder {
  /// The index of the column for a property; -1 if there is none.
  @inline(__always)
  func column(_ name: String) -> Int {
    if next < properties.count, properties[next].name == name {
      next += 1
      return properties[next - 1].column
    }
    return unpredictedColumn(name)
  }

  @inline(never)
  private func unpredictedColumn(_ name: String) -> Int {
    // What may be missing is asked for twice.
    if next > 0, properties[next - 1].name == name { return properties[next - 1].column }
    if let index = indices[name] {
      next = index + 1
      return properties[index].column
    }
    let column = layout.index(of: naming.column(for: name)) ?? -1
    indices[name] = properties.count
    properties.append((name, column))
    next = properties.count
    return column
  }

  @inline(__always)
  func field(_ column: Int) -> TupleData.Field { fields[first + column] }

  @inline(__always)
  func withBytes<Result>(_ field: TupleData.Field, _ column: Int, _ body: (ValueBytes) -> Result) -> Result {
    let kind = layout.kinds[column]
    return bytes.withUnsafeBytes {
      body(
        ValueBytes(
          bytes: UnsafeRawBufferPointer(rebasing: $0[field.range]), isBinary: field.form == .binary,
          kind: kind))
    }
  }

  /// The text of a value.
  @inline(__always)
  func text(_ field: TupleData.Field, _ column: Int) -> String? {
    withBytes(field, column) { $0.isText && !$0.kind.hasSettings ? $0.utf8 : $0.text(layout.types[column]) }
  }

  func place(_ column: Int) -> ColumnPlace { ColumnPlace(table: layout.table, column: layout.names[column]) }

  /// A column that is neither null nor unchanged.
  func value(_ column: Int) -> FieldValue {
    let field = field(column)
    return FieldValue(
      bytes: bytes, range: field.range, isBinary: field.form == .binary, type: layout.types[column],
      place: place(column))
  }

  /// What the properties of each column may be named.
  var propertyNames: [[String]] { layout.names.map { naming.properties(for: $0) } }

  func noColumn(_ name: String) -> PostgresError { .noColumn(naming.column(for: name), layout) }

  /// The value that a property of the object before the update has; nil if it has none.
  func previousValue(_ name: String, _ column: Int) throws -> Any? {
    if captured == nil { captured = try previous?() }
    guard let captured else { throw PostgresError.isUnchanged(place(column)) }
    switch captured[name] {
    case .value(let value): return value
    case .absent: return nil
    case .unknown:
      throw PostgresError.isUnchanged(
        place(column), "The object does not encode the property \(name), or in parts. ")
    }
  }

  /// The value that a property of the object before the update has, which must be of the type that it is decoded as.
  func previousValue<Value>(_ name: String, _ column: Int, as type: Value.Type) throws -> Value {
    let value = try previousValue(name, column)
    if let value = value as? Value { return value }
    if value == nil { throw PostgresError.isNull(place(column), type) }
    throw PostgresError.isUnchanged(
      place(column), "The property \(name) is encoded as another type than \(type). ")
  }
}
