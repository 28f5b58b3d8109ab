import Foundation

extension FilterCompiler {
  /// The result of an operation on two numbers, nil if one of them is.
  func arithmetic(
    _ operation: FilterSyntax.Arithmetic, _ left: Side, _ right: Side
  ) throws(FilterSyntaxError) -> any FilterField {
    for side in [left, right] {
      let isNumber = side.kind == .number || side.kind == .unknown
      guard isNumber, side.quantifier == nil else {
        throw FilterSyntaxError(
          column: side.column,
          message: "\(operation.rawValue) is for numbers, and this is \(side.kind.described)")
      }
    }
    if let field = Self.typed(operation, left, right) { return field }
    let (readLeft, readRight) = (left.read, right.read)
    let isExact = left.kind == .unknown || right.kind == .unknown
    let isDecimal =
      [left, right].contains { $0.numbers == .decimal }
      && ![left, right].contains { $0.numbers == .real } && operation != .power
    return ComputedField(
      kind: .number,
      read: { row, context in
        guard case .number(let left) = readLeft(row, context),
          case .number(let right) = readRight(row, context)
        else { return .missing }
        let result =
          isDecimal ? operation.decimal(left, right) : operation.result(left, right, isExact: isExact)
        return result.map { .number($0) } ?? .missing
      }, operands: left.operands + right.operands)
  }

  /// The operation as the expression written in Swift; nil if there is none.
  private static func typed(
    _ operation: FilterSyntax.Arithmetic, _ left: Side, _ right: Side
  ) -> (any FilterField)? {
    guard let operation = ArithmeticOperation(rawValue: operation.rawValue) else { return nil }
    switch (left.content, right.content) {
    case (.target(.field(let left)), .target(.field(let right))):
      return (left as? any FilterOperandField)?.applying(operation, right)
    case (.target(.field(let field)), .literal(let literal)):
      return (field as? any FilterOperandField)?.applying(operation, constant: literal)
    case (.literal(let literal), .target(.field(let field))):
      return (field as? any FilterOperandField)?.applying(operation, afterConstant: literal)
    default: return nil
    }
  }

  /// The value of the first operand, or that of the second if it is nil.
  private func fallback(_ sides: [Side], _ column: Int) throws(FilterSyntaxError) -> Side {
    guard sides.count == 2, sides.allSatisfy({ $0.quantifier == nil }) else {
      throw FilterSyntaxError(column: column, message: "ifnull takes a value and one to take for nil")
    }
    if case .target(.field(let field)) = sides[0].content, case .literal(let literal) = sides[1].content,
      let typed = field.filling(literal)
    {
      return Side(content: .target(.field(typed)), column: column)
    }
    let (read, readOther) = (sides[0].read, sides[1].read)
    let field = ComputedField(
      kind: sides[0].kind,
      read: { row, context in
        let value = read(row, context)
        if case .missing = value { return readOther(row, context) }
        return value
      }, operands: sides[0].operands + sides[1].operands)
    return Side(content: .target(.field(field)), column: column)
  }

  /// The nearest double of a number.
  private func double(_ sides: [Side], _ column: Int) throws(FilterSyntaxError) -> Side {
    guard sides.count == 1, sides[0].quantifier == nil, sides[0].kind == .number || sides[0].kind == .unknown
    else { throw FilterSyntaxError(column: column, message: "double takes a number") }
    if case .target(.field(let field)) = sides[0].content,
      let double = (field as? any FilterOperandField)?.double
    {
      return Side(content: .target(.field(double)), column: column)
    }
    let read = sides[0].read
    let field = ComputedField(
      kind: .number,
      read: { row, context in
        guard case .number(let number) = read(row, context) else { return .missing }
        return .number(.real(number.double))
      }, operands: sides[0].operands)
    return Side(content: .target(.field(field)), column: column)
  }

  /// The result of a function.
  func function(
    _ name: String, _ operands: [FilterSyntax.Operand], _ column: Int
  ) throws(FilterSyntaxError) -> Side {
    var sides: [Side] = []
    for operand in operands { sides.append(try side(operand)) }
    if name == "now", sides.isEmpty {
      return Side(content: .literal(.date(.exact(Date()))), column: column)
    }
    switch name {
    case "CAST": return try cast(sides, column)
    case "ifnull": return try fallback(sides, column)
    case "double": return try double(sides, column)
    default: break
    }
    guard sides.count == 1, let apply = Self.function(name) else {
      throw FilterSyntaxError(column: column, message: "\(name) takes one value")
    }
    let kind: FilterKind = Self.textFunctions.contains(name) ? .text : .number
    guard sides[0].kind == kind || sides[0].kind == .unknown else {
      throw FilterSyntaxError(
        column: sides[0].column,
        message: "\(name) is for \(kind.described), and not for \(sides[0].kind.described)")
    }
    let read = sides[0].read
    let field = ComputedField(
      kind: name == "length" ? .number : kind, read: { apply(read($0, $1)) }, operands: sides[0].operands)
    return Side(content: .target(.field(field)), column: column)
  }

  private static var textFunctions: Set<String> { ["uppercase", "lowercase", "length"] }

  private static func function(_ name: String) -> (@Sendable (FilterValue) -> FilterValue)? {
    func number(_ apply: @escaping @Sendable (FilterNumber) -> FilterNumber)
      -> @Sendable (FilterValue) -> FilterValue
    {
      { if case .number(let number) = $0 { .number(apply(number)) } else { .missing } }
    }
    func real(_ apply: @escaping @Sendable (Double) -> Double) -> @Sendable (FilterValue) -> FilterValue {
      number { if case .integer = $0 { $0 } else { .real(apply($0.double)) } }
    }
    func text(_ apply: @escaping @Sendable (String) -> FilterValue) -> @Sendable (FilterValue) -> FilterValue
    {
      { if case .text(let text) = $0 { apply(text) } else { .missing } }
    }
    switch name {
    case "abs":
      return number {
        if case .integer(let value) = $0, value != .min { return .integer(abs(value)) }
        return .real(abs($0.double))
      }
    case "floor": return real { $0.rounded(.down) }
    case "ceiling": return real { $0.rounded(.up) }
    case "trunc": return real { $0.rounded(.towardZero) }
    case "sqrt": return number { .real($0.double.squareRoot()) }
    case "uppercase": return text { .text($0.uppercased()) }
    case "lowercase": return text { .text($0.lowercased()) }
    case "length": return text { .number(.integer(Int64($0.count))) }
    default: return nil
    }
  }

  /// `CAST(seconds, "NSDate")`, seconds since 2001 or text in the form of ISO 8601, and `CAST(…, "NSNumber")`.
  private func cast(_ sides: [Side], _ column: Int) throws(FilterSyntaxError) -> Side {
    guard sides.count == 2, case .literal(.text(let type)) = sides[1].content,
      case .literal(let value) = sides[0].content
    else {
      throw FilterSyntaxError(column: column, message: "CAST takes a value and the name of a type in quotes")
    }
    switch (type, value) {
    case ("NSDate", .text(let text)):
      guard let date = try? Date(text, strategy: .iso8601) else {
        throw FilterSyntaxError(
          column: sides[0].column, message: "\(value) is no date such as 2026-01-31T12:00:00Z")
      }
      return Side(content: .literal(.date(.exact(date))), column: column)
    case ("NSNumber", .text(let text)):
      guard let number = JSONNumber(decimalText: text) else {
        throw FilterSyntaxError(column: sides[0].column, message: "\(value) is no number")
      }
      return Side(content: .literal(.number(number)), column: column)
    case ("NSUUID", .text(let text)):
      guard let uuid = UUID(uuidString: text) else {
        throw FilterSyntaxError(column: sides[0].column, message: "\(value) is no UUID")
      }
      return Side(content: .literal(.uuid(uuid)), column: column)
    case ("NSString", .text), ("NSNumber", .number): return sides[0]
    default:
      throw FilterSyntaxError(column: column, message: "CAST from \(value) to \(type) is not supported here")
    }
  }
}
