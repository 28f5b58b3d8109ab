/// The type of a column, as far as its values can be read.
///
/// Domains are the types that they are made from.
package struct PostgresType: Sendable, Hashable, CustomStringConvertible {
  /// How values are read.
  package enum Kind: UInt8, Sendable {
    case bool, int2, int4, int8
    /// Unsigned numbers of 32 bits: object and transaction ids.
    case oid
    case float4, float8, numeric
    /// All types of which the binary form is their text.
    case text
    /// The type `"char"`, which is one byte.
    case character
    case date, time, timestamp, timestamptz
    case uuid, bytea, json, jsonb, enumeration, array
    /// All other types, of which there is only the text.
    case other

    var isJSON: Bool { self == .json || self == .jsonb }
  }

  /// What the types have that are made from others.
  private final class Details: Sendable, Hashable {
    let element: PostgresType?
    let labels: [String]

    init(element: PostgresType? = nil, labels: [String] = []) {
      (self.element, self.labels) = (element, labels)
    }

    static func == (left: Details, right: Details) -> Bool {
      left.element == right.element && left.labels == right.labels
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(element)
      hasher.combine(labels)
    }
  }

  package let kind: Kind
  /// The name that errors give it.
  package let name: String
  /// What separates the elements in the text of an array of this type.
  package let delimiter: UInt8
  private let details: Details?

  private init(_ kind: Kind, _ name: String, delimiter: UInt8 = UInt8(ascii: ","), _ details: Details? = nil)
  {
    (self.kind, self.name, self.delimiter, self.details) = (kind, name, delimiter, details)
  }

  package static let bool = PostgresType(.bool, "boolean")
  package static let int2 = PostgresType(.int2, "smallint")
  package static let int4 = PostgresType(.int4, "integer")
  package static let int8 = PostgresType(.int8, "bigint")
  package static let oid = PostgresType(.oid, "oid")
  package static let float4 = PostgresType(.float4, "real")
  package static let float8 = PostgresType(.float8, "double precision")
  package static let numeric = PostgresType(.numeric, "numeric")
  package static let text = PostgresType(.text, "text")
  package static let character = PostgresType(.character, "\"char\"")
  package static let date = PostgresType(.date, "date")
  package static let time = PostgresType(.time, "time without time zone")
  package static let timestamp = PostgresType(.timestamp, "timestamp without time zone")
  package static let timestamptz = PostgresType(.timestamptz, "timestamp with time zone")
  package static let uuid = PostgresType(.uuid, "uuid")
  package static let bytea = PostgresType(.bytea, "bytea")
  package static let json = PostgresType(.json, "json")
  package static let jsonb = PostgresType(.jsonb, "jsonb")

  package static func text(name: String) -> PostgresType { PostgresType(.text, name) }

  package static func enumeration(name: String, labels: [String]) -> PostgresType {
    PostgresType(.enumeration, name, Details(labels: labels))
  }

  package static func array(of element: PostgresType) -> PostgresType {
    PostgresType(.array, element.name + "[]", Details(element: element))
  }

  package static func other(name: String, delimiter: UInt8 = UInt8(ascii: ",")) -> PostgresType {
    PostgresType(.other, name, delimiter: delimiter)
  }

  /// The type `character(n)`, which fills texts up with blanks.
  package static let padded = text(name: "character")

  /// Whether the server fills texts up with blanks.
  var isPadded: Bool { self == .padded }

  /// The type of the elements of an array.
  package var element: PostgresType? { details?.element }

  /// The labels of an enumeration in their order.
  var labels: [String] { details?.labels ?? [] }

  /// Whether values can be read in binary form.
  package var isBinarySafe: Bool { kind == .array ? element?.isBinarySafe == true : kind != .other }

  /// The name of the type.
  package var description: String { name }
}
