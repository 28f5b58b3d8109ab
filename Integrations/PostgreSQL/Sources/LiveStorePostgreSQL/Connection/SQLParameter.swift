import Foundation
import LiveStore

/// A parameter of a statement as the server reads it.
public struct SQLParameter: Sendable, Hashable {
  private enum Content: Sendable, Hashable {
    case null
    case text(String)
    case array([SQLParameter])
    /// A value that the server has no text for, and the reason.
    case invalid(String, reason: String)
  }

  private let content: Content

  /// NULL.
  public static let null = SQLParameter(content: .null)

  /// A value as the server reads it: `12`, `2026-01-31`, `[1,5)`.
  public static func text(_ text: String) -> SQLParameter { SQLParameter(content: .text(text)) }

  /// An array.
  public static func array(_ elements: [SQLParameter]) -> SQLParameter {
    SQLParameter(content: .array(elements))
  }

  /// A value, encoded as JSON with dates in ISO 8601, to the microsecond, as columns of JSON are read.
  ///
  /// The numbers of a `JSONValue` are exact, wherever it is in the value. `1.50` and `1.5` are one number.
  public static func json(_ value: some Encodable) -> SQLParameter {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let instant = PostgresInstant(nearest: date) else {
        throw EncodingError.invalidValue(
          date,
          .init(codingPath: encoder.codingPath, debugDescription: "The date is out of PostgreSQL's range."))
      }
      var container = encoder.singleValueContainer()
      try container.encode(instant.iso8601)
    }
    encoder.outputFormatting = .sortedKeys
    do {
      return .text(try encoder.encodedValue(of: value).description)
    } catch {
      return .invalid("\(type(of: value))", "it cannot be encoded as JSON: \(error)")
    }
  }

  /// A value that cannot be sent; the statement throws the reason when it is run.
  static func invalid(_ value: String, _ reason: String) -> SQLParameter {
    SQLParameter(content: .invalid(value, reason: reason))
  }

  /// The parameter's text; nil for NULL.
  package var text: String? {
    get throws {
      switch content {
      case .null: nil
      case .text(let text): text
      case .array(let elements): try "{\(elements.map { try $0.arrayElement }.joined(separator: ","))}"
      case .invalid(let value, let reason):
        throw PostgresError(
          PostgresError.mismatch, "The value \(value) is no parameter: \(reason).", value: value)
      }
    }
  }

  /// The text within that of an array.
  private var arrayElement: String {
    get throws {
      guard let text = try text else { return "NULL" }
      if case .array = content { return text }
      return "\"\(Quoting.escaped(text, ["\\", "\""], with: "\\"))\""
    }
  }
}
