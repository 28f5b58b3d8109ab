import Foundation
import LiveStore
import TestSupport

/// An operand as a text writes it, with its arguments and what it gives for a row.
struct NumberExpression<Mode: NumberMode>: Sendable {
  typealias World = NumberWorld<Mode>
  typealias Row = NumberRow<Mode>

  let text: String
  var arguments: [any Sendable] = []
  let kind: NumberOperandKind
  /// Whether it is a constant.
  var isConstant = false
  let value: @Sendable (Row, World) -> NumberResult
}

/// A random filter, and whether a row passes; nil where that depends on how decimals are rounded.
struct NumberFilter<Mode: NumberMode>: Sendable {
  let text: String
  let arguments: [any Sendable]
  let passes: @Sendable (NumberRow<Mode>, NumberWorld<Mode>) -> Bool?
}

/// Makes random operands and filters.
struct NumberFilterMaker<Mode: NumberMode> {
  typealias Expression = NumberExpression<Mode>
  typealias Row = NumberRow<Mode>
  typealias World = NumberWorld<Mode>
  var random: SplitMix64

  // MARK: Operands

  private static func property(
    _ text: String, _ kind: NumberOperandKind, _ number: @escaping @Sendable (Row, World) -> ExactNumber?
  ) -> Expression {
    Expression(text: text, kind: kind) { NumberResult(number($0, $1)) }
  }

  static var properties: [Expression] {
    [
      property("n", .integer) { row, _ in ExactNumber(row.n) },
      property("mn", .integer) { row, _ in row.mn.map { ExactNumber($0) } },
      property("small", .integer) { row, _ in ExactNumber(row.small) },
      property("u", .integer) { row, _ in ExactNumber(row.u) },
      property("mu", .integer) { row, _ in row.mu.map { ExactNumber($0) } },
      property("f", .real) { row, _ in ExactNumber(floating: row.f) },
      property("mf", .real) { row, _ in row.mf.map { ExactNumber(floating: $0) } },
      property("d", .real) { row, _ in ExactNumber(floating: row.d) },
      property("md", .real) { row, _ in row.md.map { ExactNumber(floating: $0) } },
      property("dec", .decimal) { row, _ in ExactNumber(row.dec) },
      property("mdec", .decimal) { row, _ in row.mdec.map { ExactNumber($0) } },
      property("part.n", .integer) { row, world in world.part(of: row)?.n.map { ExactNumber($0) } },
      property("part.f", .real) { row, world in world.part(of: row).map { ExactNumber(floating: $0.f) } },
      property("part.d", .real) { row, world in world.part(of: row).map { ExactNumber(floating: $0.d) } },
      property("part.dec", .decimal) { row, world in world.part(of: row)?.dec.map { ExactNumber($0) } },
      property("counts['k']", .integer) { row, _ in row.counts["k"].map { ExactNumber($0) } },
    ]
  }

  private static var elements: [Expression] {
    [
      property("ns[0]", .integer) { row, _ in row.ns.first.map { ExactNumber($0) } },
      property("us[LAST]", .integer) { row, _ in row.us.last.map { ExactNumber($0) } },
      property("fs[0]", .real) { row, _ in row.fs.first.map { ExactNumber(floating: $0) } },
      property("ds[1]", .real) { row, _ in row.ds.dropFirst().first.map { ExactNumber(floating: $0) } },
      property("decs[0]", .decimal) { row, _ in row.decs.first.map { ExactNumber($0) } },
    ]
  }

  private static var aggregates: [Expression] {
    [
      property("ns.@count", .integer) { row, _ in ExactNumber(row.ns.count) },
      property("ns.@sum", .integer) { row, _ in sum(row.ns, of: Int.self) },
      property("ns.@avg", .real) { row, _ in mean(row.ns.map { ExactNumber($0) }) },
      property("us.@sum", .integer) { row, _ in sum(row.us, of: UInt64.self) },
      property("us.@max", .integer) { row, _ in row.us.max().map { ExactNumber($0) } },
      property("fs.@min", .real) { row, _ in row.fs.min().map { ExactNumber(floating: $0) } },
      property("ds.@max", .real) { row, _ in row.ds.max().map { ExactNumber(floating: $0) } },
      property("decs.@max", .decimal) { row, _ in row.decs.max().map { ExactNumber($0) } },
      property("decs.@sum", .decimal) { row, _ in total(row.decs.map { ExactNumber($0) }) },
      Expression(text: "decs.@avg", kind: .decimal) { row, _ in
        if row.decs.isEmpty { return .missing }
        return .decimal(total(row.decs.map { ExactNumber($0) }) / ExactNumber(row.decs.count))
      },
      property("parts.@sum.n", .integer) { row, world in
        sum(world.parts(of: row).compactMap(\.n), of: Int.self)
      },
      property("parts.@avg.n", .real) { row, world in
        mean(world.parts(of: row).compactMap(\.n).map { ExactNumber($0) })
      },
      property("parts.@max.n", .integer) { row, world in
        world.parts(of: row).compactMap(\.n).max().map { ExactNumber($0) }
      },
      property("parts.@min.dec", .decimal) { row, world in
        world.parts(of: row).compactMap(\.dec).min().map { ExactNumber($0) }
      },
      property("parts.@sum.dec", .decimal) { row, world in
        total(world.parts(of: row).compactMap(\.dec).map { ExactNumber($0) })
      },
    ]
  }

  private static func total(_ numbers: [ExactNumber]) -> ExactNumber { numbers.reduce(ExactNumber(0), +) }

  /// The sum, or the nearest value of the type.
  private static func sum<Value: FixedWidthInteger>(_ values: [Value], of _: Value.Type) -> ExactNumber {
    ExactNumber(Value(clamping: values.reduce(Int128(0)) { $0 + Int128($1) }))
  }

  /// The double nearest to the mean.
  private static func mean(_ numbers: [ExactNumber]) -> ExactNumber? {
    numbers.isEmpty ? nil : ExactNumber(floating: (total(numbers) / ExactNumber(numbers.count)).double)
  }

  private static func constant(
    _ text: String, _ arguments: [any Sendable], _ kind: NumberOperandKind, _ number: ExactNumber
  ) -> Expression {
    Expression(text: text, arguments: arguments, kind: kind, isConstant: true) { _, _ in NumberResult(number)
    }
  }

  private static func literal(_ text: String) -> Expression {
    let isInteger = !text.contains(".") && !text.contains("e")
    return constant(text, [], isInteger ? .integer : .fraction, ExactNumber(text: text))
  }

  /// Numbers of the text, and arguments of each type.
  private static var constants: [[Expression]] {
    [
      NumberPools.ints.map { constant("%@", [$0], .integer, ExactNumber($0)) },
      NumberPools.unsigned.map { constant("%@", [$0], .integer, ExactNumber($0)) },
      NumberPools.floats.map { constant("%@", [$0], .real, ExactNumber(floating: $0)) },
      NumberPools.doubles.map { constant("%@", [$0], .real, ExactNumber(floating: $0)) },
      NumberPools.decimals.map { constant("%@", [$0], .decimal, ExactNumber($0)) },
      NumberPools.literals.map(literal),
    ]
  }

  /// A number of the text, or an argument of any type.
  mutating func constant() -> Expression {
    if random.chance(1, in: 12) { return Self.literal("-\(random.pick(NumberPools.literals))") }
    return random.pick(Self.constants[min(random.int(0...8), 5)])
  }

  mutating func operand(depth: Int) -> Expression {
    if depth == 0 || random.chance(1, in: 4) {
      switch random.int(0...9) {
      case 0...5: return random.pick(Self.properties)
      case 6: return random.pick(Self.elements)
      case 7: return random.pick(Self.aggregates)
      default: return constant()
      }
    }
    switch random.int(0...9) {
    case 0: return function(operand(depth: depth - 1))
    case 1: return fallback(operand(depth: 0), random.chance(1, in: 2) ? constant() : operand(depth: 0))
    case 2:
      let base = operand(depth: depth - 1)
      let exponent = random.int(-1...3)
      let number = ExactNumber(exponent)
      return joined(
        base, "**", Expression(text: "\(exponent)", kind: .integer) { _, _ in NumberResult(number) })
    default:
      let symbol = random.pick(["+", "-", "*", "/"])
      return joined(operand(depth: depth - 1), symbol, operand(depth: depth - 1))
    }
  }

  private func joined(_ left: Expression, _ symbol: String, _ right: Expression) -> Expression {
    let kind = NumberOperandKind.joined(left.kind, right.kind)
    return Expression(
      text: "(\(left.text) \(symbol) \(right.text))", arguments: left.arguments + right.arguments, kind: kind
    ) { row, world in
      NumberArithmetic.apply(symbol, left.value(row, world), right.value(row, world), as: kind)
    }
  }

  private mutating func function(_ operand: Expression) -> Expression {
    let name = random.pick(["abs", "floor", "ceiling", "trunc", "double"])
    return Expression(
      text: "\(name)(\(operand.text))", arguments: operand.arguments,
      kind: name == "double" || operand.kind == .fraction ? .real : operand.kind,
      isConstant: name == "double" && operand.isConstant
    ) { row, world in
      NumberArithmetic.apply(name, operand.value(row, world), as: operand.kind)
    }
  }

  private func fallback(_ value: Expression, _ other: Expression) -> Expression {
    Expression(
      text: "ifnull(\(value.text), \(other.text))", arguments: value.arguments + other.arguments,
      kind: .joined(value.kind, other.kind)
    ) { row, world in
      let value = value.value(row, world)
      if case .missing = value { return other.value(row, world) }
      return value
    }
  }

  // MARK: Filters

  /// Every property beside every other and every constant, under two of the relations, and every operation of two.
  mutating func family() -> [NumberFilter<Mode>] {
    let (properties, constants) = (Self.properties, Self.constants.flatMap(\.self))
    var filters: [NumberFilter<Mode>] = []
    for (index, left) in properties.enumerated() {
      for (place, right) in (properties + constants).enumerated() {
        for step in [0, 3] {
          filters.append(Self.comparison(left, CaseRelation.all[(index * 5 + place + step) % 6], right))
        }
      }
      for right in properties {
        for symbol in ["+", "-", "*", "/"] {
          let relation = random.pick(CaseRelation.all)
          filters.append(Self.comparison(joined(left, symbol, right), relation, random.pick(constants)))
        }
      }
    }
    return filters
  }

  mutating func filter(depth: Int = 2) -> NumberFilter<Mode> {
    guard depth > 0, random.chance(1, in: 4) else { return condition() }
    let left = filter(depth: depth - 1)
    if random.chance(1, in: 3) {
      return NumberFilter(text: "NOT (\(left.text))", arguments: left.arguments) { row, world in
        left.passes(row, world).map { !$0 }
      }
    }
    let right = filter(depth: depth - 1)
    let isBoth = random.chance(1, in: 2)
    return NumberFilter(
      text: "(\(left.text)) \(isBoth ? "AND" : "OR") (\(right.text))",
      arguments: left.arguments + right.arguments
    ) { row, world in
      guard let left = left.passes(row, world), let right = right.passes(row, world) else { return nil }
      return isBoth ? left && right : left || right
    }
  }

  private mutating func condition() -> NumberFilter<Mode> {
    switch random.int(0...7) {
    case 0: return membership()
    case 1: return range()
    case 2: return quantified()
    default: return comparison()
    }
  }

  private mutating func comparison() -> NumberFilter<Mode> {
    // Two constants are refused.
    var left = operand(depth: random.int(0...2))
    while left.isConstant { left = operand(depth: 1) }
    let right = random.chance(2, in: 3) ? constant() : operand(depth: random.int(0...1))
    let relation = random.pick(CaseRelation.all)
    let isFlipped = random.chance(1, in: 5)
    return isFlipped ? Self.comparison(right, relation, left) : Self.comparison(left, relation, right)
  }

  private static func comparison(
    _ left: Expression, _ relation: String, _ right: Expression
  ) -> NumberFilter<Mode> {
    NumberFilter(
      text: "\(left.text) \(relation) \(right.text)", arguments: left.arguments + right.arguments
    ) { row, world in holds(relation, left.value(row, world), right.value(row, world)) }
  }

  private static func holds(_ relation: String, _ left: NumberResult, _ right: NumberResult) -> Bool? {
    func number(_ result: NumberResult) -> ExactNumber?? {
      switch result {
      case .missing: .some(nil)
      case .number(let number, _): number
      case .unknown: nil
      }
    }
    guard let left = number(left), let right = number(right) else { return nil }
    return CaseRelation.holds(relation, left, right, ExactNumber.order)
  }

  private mutating func membership() -> NumberFilter<Mode> {
    let value = random.chance(2, in: 3) ? random.pick(Self.properties) : operand(depth: 1)
    if value.isConstant { return comparison() }
    let constants = (0..<random.int(0...3)).map { _ in constant() }
    return NumberFilter(
      text: "\(value.text) IN {\(constants.map(\.text).joined(separator: ", "))}",
      arguments: value.arguments + constants.flatMap(\.arguments)
    ) { row, world in
      let number = value.value(row, world)
      if case .unknown = number { return nil }
      return constants.contains { Self.holds("==", number, $0.value(row, world)) == true }
    }
  }

  private mutating func range() -> NumberFilter<Mode> {
    let value = random.chance(2, in: 3) ? random.pick(Self.properties) : operand(depth: 1)
    if value.isConstant { return comparison() }
    let (low, high) = (constant(), constant())
    return NumberFilter(
      text: "\(value.text) BETWEEN {\(low.text), \(high.text)}",
      arguments: value.arguments + low.arguments + high.arguments
    ) { row, world in
      let number = value.value(row, world)
      if case .unknown = number { return nil }
      return Self.holds(">=", number, low.value(row, world)) == true
        && Self.holds("<=", number, high.value(row, world)) == true
    }
  }

  private typealias Elements = @Sendable (Row, World) -> [ExactNumber]

  private mutating func quantified() -> NumberFilter<Mode> {
    let lists: [(String, Elements)] = [
      ("ns", { row, _ in row.ns.map { ExactNumber($0) } }),
      ("us", { row, _ in row.us.map { ExactNumber($0) } }),
      ("fs", { row, _ in row.fs.map { ExactNumber(floating: $0) } }),
      ("ds", { row, _ in row.ds.map { ExactNumber(floating: $0) } }),
      ("decs", { row, _ in row.decs.map { ExactNumber($0) } }),
      ("parts.f", { row, world in world.parts(of: row).map { ExactNumber(floating: $0.f) } }),
    ]
    let (name, elements) = random.pick(lists)
    let (quantifier, relation, constant) = (
      random.pick(["ANY", "ALL", "NONE"]), random.pick(CaseRelation.all), constant()
    )
    return NumberFilter(
      text: "\(quantifier) \(name) \(relation) \(constant.text)", arguments: constant.arguments
    ) { row, world in
      let right = constant.value(row, world)
      let answers = elements(row, world).map { Self.holds(relation, NumberResult($0), right) == true }
      return switch quantifier {
      case "ANY": answers.contains(true)
      case "ALL": !answers.contains(false)
      default: !answers.contains(true)
      }
    }
  }
}
