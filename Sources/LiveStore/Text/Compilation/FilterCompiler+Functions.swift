import Foundation

extension FilterCompiler {
  /// The result of an operation on two numbers, nil if one of them is.
  func arithmetic(
    _ operation: ArithmeticOperation, _ left: Side, _ right: Side
  ) throws(FilterSyntaxError) -> FilterField {
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
    let kind = NumberKind.joined(left.numbers, right.numbers) ?? .unknown
    let (first, second) = Self.terms(left, right)
    return FilterField(
      .operation(operation, first, second), kind: .number, numbers: kind,
      read: { row, context in
        guard case .number(let left) = readLeft(row, context),
          case .number(let right) = readRight(row, context)
        else { return .missing }
        let isCheap = operation != .power || kind == .integer || kind == .real
        if !isCheap, context.run?.computePower() == false { return .missing }
        if kind == .decimal, context.run?.computeDecimal() == false { return .missing }
        return operation.result(left, right, as: kind).map { .number($0) } ?? .missing
      }, named: left.named + right.named)
  }

  /// The operation as the expression written in Swift; nil if there is none.
  private static func typed(
    _ operation: ArithmeticOperation, _ left: Side, _ right: Side
  ) -> FilterField? {
    if operation == .power { return nil }
    let (first, second) = (left.field?.typed as? any OperandField, right.field?.typed as? any OperandField)
    return switch (left.content, right.content) {
    case (.target, .target(.field(let other))): first?.applying(operation, other)
    case (.target, .literal(let literal)): first?.applying(operation, constant: literal)
    case (.literal(let literal), .target): second?.applying(operation, afterConstant: literal)
    default: nil
    }
  }

  /// The terms of two operands, which may be of different kinds of numbers.
  ///
  /// A number that is an argument has a type, which arithmetic depends on. Where the type makes no difference, the number
  /// stands in the term as a text writes it, so that filters that say the same are equal.
  private static func terms(_ left: Side, _ right: Side) -> (Term, Term) {
    func plain(_ side: Side, beside other: Side) -> Side {
      guard case .literal(let literal) = side.content else { return side }
      let isSame =
        NumberKind.joined(literal.numbers, other.numbers) == .joined(literal.untyped.numbers, other.numbers)
      return isSame ? Side(literal.untyped, side.column) : side
    }
    let first = plain(left, beside: right)
    let second = plain(right, beside: first)
    // Of two constants the first may need no type any more.
    return (plain(first, beside: second).term, second.term)
  }

  /// The value of the first operand, or that of the second if it is nil.
  private func fallback(_ sides: [Side], _ column: Int) throws(FilterSyntaxError) -> FilterField {
    guard sides.count == 2, sides.allSatisfy({ $0.quantifier == nil }) else {
      throw FilterSyntaxError(column: column, message: "ifnull takes a value and one to take for nil")
    }
    if let field = sides[0].field, case .literal(let literal) = sides[1].content,
      let typed = field.typed?.filling(literal)
    {
      return typed
    }
    let (read, readOther) = (sides[0].read, sides[1].read)
    let (value, other) = Self.terms(sides[0], sides[1])
    return FilterField(
      .fallback(value, other), kind: sides[0].kind, numbers: .joined(sides[0].numbers, sides[1].numbers),
      read: { row, context in
        let value = read(row, context)
        if case .missing = value { return readOther(row, context) }
        return value
      }, named: sides[0].named + sides[1].named)
  }

  /// The result of a function.
  func function(
    _ name: String, _ operands: [FilterSyntax.Operand], _ column: Int
  ) throws(FilterSyntaxError) -> Side {
    if let number = FilterLiteral(name, operands) { return Side(number, column) }
    let sides = try operands.map { operand throws(FilterSyntaxError) in try self.side(operand) }
    switch name {
    case "now" where sides.isEmpty: return Side(.date(.exact(Date())), column)
    case "CAST": return try cast(sides, column)
    case "ifnull": return Side(try fallback(sides, column), column)
    default: break
    }
    guard sides.count == 1, let function = TermFunction(named: name) else { throw takesOne(name, column) }
    let (side, read) = (sides[0], sides[0].read)
    func field(
      _ kind: FilterKind, _ numbers: NumberKind?, _ read: @escaping FilterReader
    ) -> Side {
      Side(
        FilterField(
          .function(function, side.term), kind: kind, numbers: numbers, read: read,
          named: side.named), column)
    }
    switch function {
    case .number(let function):
      try require(.number, side, name)
      if function == .double, let double = (side.field?.typed as? any OperandField)?.double {
        return Side(double, column)
      }
      let numbers = side.numbers ?? .unknown
      return field(.number, function.numbers(of: numbers)) { row, context in
        guard case .number(let number) = read(row, context),
          numbers != .decimal || context.run?.computeDecimal() != false
        else { return .missing }
        return function.result(number, as: numbers).map { .number($0) } ?? .missing
      }
    case .text(let function):
      try require(.text, side, name)
      let isLength = function == .length
      return field(isLength ? .number : .text, isLength ? .integer : nil) { row, context in
        guard case .text(let text) = read(row, context),
          context.run?.read(text, isFolded: true) ?? true
        else { return .missing }
        return switch function {
        case .uppercase: .text(text.uppercased())
        case .lowercase: .text(text.lowercased())
        case .length: .number(.integer(Int64(text.count)))
        }
      }
    case .aggregate, .link, .words: throw takesOne(name, column)
    }
  }

  private func takesOne(_ name: String, _ column: Int) -> FilterSyntaxError {
    FilterSyntaxError(column: column, message: "\(name) takes one value")
  }

  private func require(_ kind: FilterKind, _ side: Side, _ name: String) throws(FilterSyntaxError) {
    if side.quantifier != nil { throw takesOne(name, side.column) }
    guard side.kind == kind || side.kind == .unknown else {
      throw FilterSyntaxError(
        column: side.column, message: "\(name) is for \(kind.described), and not for \(side.kind.described)")
    }
  }

  /// `CAST(seconds, "NSDate")`, seconds since 2001 or text in the form of ISO 8601, and
  /// `CAST(…, "NSNumber")`. A cast to `NSDecimalNumber` is a literal.
  private func cast(_ sides: [Side], _ column: Int) throws(FilterSyntaxError) -> Side {
    guard sides.count == 2, case .literal(.text(let type)) = sides[1].content, !type.hasManyMarks,
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
      return Side(.date(.exact(date)), column)
    case ("NSNumber", .text(let text)):
      guard let number = JSONNumber(decimalText: text) else {
        throw FilterSyntaxError(column: sides[0].column, message: "\(value) is no number")
      }
      return Side(.number(number), column)
    case ("NSUUID", .text(let text)):
      guard let uuid = UUID(uuidString: text) else {
        throw FilterSyntaxError(column: sides[0].column, message: "\(value) is no UUID")
      }
      return Side(.uuid(uuid), column)
    case ("NSDecimalNumber", .text), ("NSDecimalNumber", .number), ("NSDecimalNumber", .fraction):
      throw FilterSyntaxError(column: sides[0].column, message: "\(value) is no decimal of up to 38 digits")
    case ("NSString", .text), ("NSNumber", .number), ("NSNumber", .fraction): return sides[0]
    default:
      throw FilterSyntaxError(column: column, message: "CAST from \(value) to \(type) is not supported here")
    }
  }
}
