public import Foundation

/// Chosen fields of an entity, to be written as JSON text: for services that show some properties of their rows.
///
/// ```swift
/// let fields = try JSONFields<Post>([\.title, \.likeCount, \.author.name])
/// var rows = store.fetch(Post.all).jsonRows(fields)
/// var text: [UInt8] = []
/// while rows.next() { try rows.writeFields(to: &text) }   // {"title":"First","likeCount":3,"author.name":"Ann"}
/// ```
/// How a field is written is found once, from its type. Texts, Booleans, numbers, dates, ids, URLs, and optionals and arrays
/// of these are written as they are; values of other `Encodable` types by Foundation's encoder. A date is a text as in RFC
/// 3339, to the nanosecond, and with more digits where it would be read as another date. A number that is not finite is one
/// of the texts `NaN`, `Infinity` and `-Infinity`. ``decoder()`` reads these forms.
public struct JSONFields<Element: Entity>: Sendable {
  /// The names of the fields, as text filters write them: `title`, `author.name`.
  public let names: [String]
  /// The paths of the fields.
  public let paths: RowPaths<Element>
  /// The names of the fields whose values have no JSON form, and are written as texts that describe them; see ``described()``.
  public let describedNames: Set<String>

  let fields: [JSONField]
  let key: JSONField
  /// Writes an object as a whole; nil if its fields are written one by one.
  private(set) var writeObject: (@Sendable (Element, RowEncoder, inout [UInt8]) throws -> Void)?

  /// The fields at some paths.
  ///
  /// - Parameter paths: paths over a row; through links, a value is null where they lead to no object.
  /// - Throws: `invalidSchema` if a path is no path of properties, has no JSON form, or is given twice.
  public init(_ paths: RowPaths<Element>) throws(StoreError) {
    var fields: [JSONField] = []
    for path in paths {
      let value = Row<Element>()[keyPath: path]
      guard let source = value as? any JSONFieldSource, let field = source.jsonField else {
        throw StoreError(
          StoreError.invalidSchema,
          "\((value as? any JSONFieldSource)?.jsonName ?? "A path") of \(Element.self) has no JSON form. Make its type "
            + "Encodable, or leave it out.", entity: "\(Element.self)",
          property: (value as? any JSONFieldSource)?.jsonName)
      }
      guard !fields.contains(where: { $0.name == field.name }) else {
        throw StoreError(
          StoreError.invalidSchema, "\(field.name) of \(Element.self) is given twice. Leave one out.",
          entity: "\(Element.self)", property: field.name)
      }
      fields.append(field)
    }
    self.init(paths, fields, names: fields.map(\.name), key: try Self.requireKey())
  }

  private init(
    _ paths: RowPaths<Element>, _ fields: [JSONField], names: [String], described: Set<String> = [],
    key: JSONField
  ) {
    (self.paths, self.fields, self.names, self.key) = (paths, fields, names, key)
    describedNames = described
  }

  private static func requireKey() throws(StoreError) -> JSONField {
    if let key = Row<Element>().rowID.jsonField { return key }
    throw StoreError(
      StoreError.invalidSchema, "The id of \(Element.self) has no JSON form. Make its type Encodable.",
      entity: "\(Element.self)", property: "id")
  }

  /// Whole objects, as their `encode(to:)` writes them, with dates and numbers as fields have them: for consumers that decode
  /// the objects again.
  ///
  /// ```swift
  /// let posts = try JSONFields<Post>.objects()                      // {"id":7,"title":"First","likeCount":3}
  /// let post = try JSONFields<Post>.decoder().decode(Post.self, from: value)
  /// ```
  /// ``names`` are the properties of the schema, and ``paths`` is empty.
  /// - Throws: `invalidSchema` if the id has no JSON form.
  public static func objects() throws(StoreError) -> JSONFields where Element: Encodable {
    var result = JSONFields([], [], names: Element.schema.propertyNames, key: try requireKey())
    result.writeObject = { object, encoder, bytes in try encoder.write(object, to: &bytes) }
    return result
  }

  /// A decoder of what is written.
  ///
  /// ```swift
  /// let post = try JSONFields<Post>.decoder().decode(Post.self, from: JSONValue(parsing: text))
  /// ```
  public static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = Date(timestamp: try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "It is no time as in RFC 3339.")
      }
      return date
    }
    return decoder
  }

  /// All properties that the schema lists, for tools that show rows to developers.
  ///
  /// ```swift
  /// let fields = JSONFields<Post>.described()
  /// print(fields.names, fields.describedNames)
  /// ```
  /// A value whose type has no JSON form is a text that describes it. A ``DynamicEntity`` has one field, `SELF`, its object.
  /// - Complexity: O(*p*) for *p* properties.
  public static func described() -> JSONFields {
    let schema = Element.schema
    var (fields, paths, described): ([JSONField], RowPaths<Element>, Set<String>) = ([], [], [])
    func add<Value>(_ expression: Expr<Value>, as name: String) {
      fields.append(expression.jsonField ?? JSONField(describing: expression.accessor, as: name))
      if expression.jsonField == nil { described.insert(name) }
    }
    func add(_ property: some TypedProperty<Element>, as name: String) {
      paths.append(\Row<Element>.[property.keyPath])
      add(Row<Element>()[property.keyPath], as: name)
    }
    for definition in schema.definitions {
      guard let property = definition.typed, let name = definition.name else { continue }
      add(property, as: name)
    }
    if schema.resolver != nil {
      let object = Accessor<Element>(\.self)
      fields.append(JSONField(encoding: object, as: "SELF") ?? JSONField(describing: object, as: "SELF"))
    }
    let id = Row<Element>().rowID
    return JSONFields(
      paths, fields, names: fields.map(\.name), described: described,
      key: id.jsonField ?? JSONField(describing: id.accessor, as: "id"))
  }
}

/// A field of rows, and how it is written.
struct JSONField: Sendable {
  let name: String
  /// The name as the beginning of a member: `"title":`.
  let member: [UInt8]
  let write: Writer

  typealias Writer = @Sendable (UnsafeRawPointer, ReadContext, RowEncoder, inout [UInt8]) throws -> Void

  init(_ name: String, _ write: @escaping Writer) {
    var member: [UInt8] = []
    JSONValue.write(name, to: &member)
    member.append(UInt8(ascii: ":"))
    (self.name, self.member, self.write) = (name, member, write)
  }
}

/// An expression whose values may have a JSON form, whatever their type.
private protocol JSONFieldSource {
  /// Its path as text; nil if it is no path.
  var jsonName: String? { get }
  var jsonField: JSONField? { get }
}

extension Expr: JSONFieldSource {
  fileprivate var jsonName: String? { isValue ? term.description : nil }

  fileprivate var jsonField: JSONField? {
    guard let name = jsonName else { return nil }
    let accessor = accessor
    if let type = Value.self as? any JSONText.Type {
      return JSONField(name, as: type, accessor)
    }
    return JSONField(encoding: accessor, as: name)
  }
}

extension JSONField {
  /// Nil if the values are not `Encodable`.
  fileprivate init?<Value>(encoding accessor: Accessor<Value>, as name: String) {
    guard Value.self is any Encodable.Type else { return nil }
    self.init(name) { row, context, encoder, bytes in
      guard let value = accessor.read(row, context) as? any Encodable else { return }
      try encoder.write(value, to: &bytes)
    }
  }

  fileprivate init<Value>(describing accessor: Accessor<Value>, as name: String) {
    self.init(name) { row, context, _, bytes in
      JSONValue.write("\(accessor.read(row, context))", to: &bytes)
    }
  }

  /// - Parameter type: the type of the values, which they have.
  fileprivate init?<Value, Known: JSONText>(_ name: String, as type: Known.Type, _ accessor: Accessor<Value>)
  {
    guard let accessor = accessor as? Accessor<Known> else { return nil }
    self.init(name) { row, context, _, bytes in accessor.read(row, context).write(to: &bytes) }
  }
}
