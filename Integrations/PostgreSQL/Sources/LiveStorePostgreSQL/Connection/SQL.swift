/// A statement with its parameters, written as a string literal.
///
/// Interpolated values become parameters, which the server receives apart from the text; no value can change
/// the statement. The server takes their types from the statement; where it cannot, write the type:
/// `\(count)::int8`.
///
/// ```swift
/// "UPDATE posts SET title = \(title), tags = \(tags) WHERE id = \(id)"
/// "INSERT INTO events (payload) VALUES (\(json: event))"
/// "SELECT count(*) FROM \(identifier: "audit", table) WHERE \(condition)"   // condition is an SQL
/// ```
public struct SQL: Sendable, Hashable, CustomStringConvertible {
  enum Part: Sendable, Hashable {
    case text(String)
    case parameter(SQLParameter)
  }

  private(set) var parts: [Part] = []

  /// A statement, or a part of one, without parameters.
  ///
  /// The text is run as it is: it must not be made of what users enter.
  public init(raw text: String) { parts = [.text(text)] }

  init(parts: [Part]) { self.parts = parts }

  /// The text with `$1`, `$2` … for the parameters, whose values are not shown.
  public var description: String { text }

  /// The text with `$1`, `$2` … for the parameters.
  package var text: String {
    var count = 0
    return parts.reduce(into: "") { text, part in
      switch part {
      case .text(let part): text += part
      case .parameter:
        count += 1
        text += "$\(count)"
      }
    }
  }

  /// The parameters, in order, as the server reads them.
  package var parameters: [String?] {
    get throws {
      try parts.compactMap { part -> String?? in
        guard case .parameter(let parameter) = part else { return nil }
        return .some(try parameter.text)
      }
    }
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// The statement of a literal without interpolations.
  public init(stringLiteral text: String) { self.init(raw: text) }

  /// The statement of a literal.
  public init(stringInterpolation: StringInterpolation) { self.init(parts: stringInterpolation.parts) }

  /// Collects a literal's parts.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    /// An interpolation without parts.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    /// Appends a part of the text.
    public mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    /// Appends a value as a parameter.
    public mutating func appendInterpolation(_ value: some SQLValue) {
      parts.append(.parameter(value.sqlParameter))
    }

    /// Appends a value as a parameter, or NULL for nil.
    public mutating func appendInterpolation<Value: SQLValue>(_ value: Value?) {
      parts.append(.parameter(value.sqlParameter))
    }

    /// Appends a raw value as a parameter, or NULL for nil.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
    where Value.RawValue: SQLValue {
      parts.append(.parameter((value?.rawValue).sqlParameter))
    }

    /// Appends a value as a parameter, or NULL for nil. A type's own parameter takes precedence over the raw
    /// value's.
    public mutating func appendInterpolation<Value: RawRepresentable & SQLValue>(_ value: Value?)
    where Value.RawValue: SQLValue {
      parts.append(.parameter(value.sqlParameter))
    }

    /// Appends raw values as one parameter, an array: `WHERE status = ANY (\(statuses))`.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ values: [Value])
    where Value.RawValue: SQLValue {
      parts.append(.parameter(values.map(\.rawValue).sqlParameter))
    }

    /// Appends values as one parameter, an array. A type's own parameter takes precedence over the raw
    /// value's.
    public mutating func appendInterpolation<Value: RawRepresentable & SQLValue>(_ values: [Value])
    where Value.RawValue: SQLValue {
      parts.append(.parameter(values.sqlParameter))
    }

    /// Appends a part of a statement with its parameters.
    public mutating func appendInterpolation(_ part: SQL) { parts += part.parts }

    /// Appends a value, encoded as JSON, as a parameter.
    public mutating func appendInterpolation(json value: some Encodable) {
      parts.append(.parameter(.json(value)))
    }

    /// Appends a text as it is: it must not be made of what users enter.
    public mutating func appendInterpolation(raw text: String) { appendLiteral(text) }

    /// Appends a name in quotation marks, qualified if there are several: of a schema and a table, of a table
    /// and a column.
    public mutating func appendInterpolation(identifier names: String...) {
      appendLiteral(names.map(\.asIdentifier).joined(separator: "."))
    }
  }

  /// The text as a literal of a statement, for commands that take no parameters.
  ///
  /// It is right whatever `standard_conforming_strings` is.
  package static func literal(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return Quoting.quoted(text, by: "'") }
    return " E" + Quoting.quoted(Quoting.escaped(text, ["\\"], with: "\\"), by: "'")
  }
}
