import Foundation

extension FilterParser {
  /// The literal that a function of literals stands for: `date(100,0)`, `data("aGk=")`, `obj("Item", 3)`; nil if it is
  /// computed from a row.
  func literal(
    _ name: String, _ operands: [FilterSyntax.Operand], _ column: Int
  ) throws(FilterSyntaxError) -> FilterSyntax.Operand? {
    let values = operands.map { operand -> FilterLiteral? in
      if case .literal(let value, _) = operand { value } else { nil }
    }
    switch (name, values.count) {
    case ("date", _):
      guard values.count == 2, case .number(let seconds)?? = values.first,
        case .number(let rest)?? = values.last,
        let seconds = seconds.integer, let nanoseconds = rest.integer.flatMap({ Int32(exactly: $0) }),
        nanoseconds.magnitude < 1_000_000_000
      else { throw error("date(…) needs seconds since 1970 and nanoseconds", at: column) }
      return .literal(.date(FilterDate.written(seconds: seconds, nanoseconds: nanoseconds)), column: column)
    case ("data", _), ("bin", _), ("binary", _):
      guard values.count == 1, case .text(let text)?? = values.first else {
        throw error("\(name)(…) needs a string", at: column)
      }
      if name != "data" { return .literal(.data(Data(text.utf8)), column: column) }
      guard let data = Data(base64Encoded: text) else {
        throw error("the text in data(…) is not Base64", at: column)
      }
      return .literal(.data(data), column: column)
    case ("obj", _), ("object", _):
      guard values.count == 2, case .text(let entity)?? = values.first, let id = values[1] else {
        throw error("\(name)(…) needs the name of an entity and an id", at: column)
      }
      return .literal(.object(entity: entity, id: id), column: column)
    case ("CAST", 2):
      guard case .text("NSDate")?? = values.last, let seconds = values[0]?.number else { return nil }
      return .literal(.date(.exact(Date(timeIntervalSinceReferenceDate: seconds))), column: column)
    default: return nil
    }
  }
}
