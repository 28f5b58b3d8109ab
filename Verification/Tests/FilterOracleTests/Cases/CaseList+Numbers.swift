import Foundation
import LiveStore
import TestSupport

/// Numbers of different types, and arithmetic.
extension CaseList {
  private typealias Reading = @Sendable (CaseRow<Mode>) -> CaseNumber?

  /// The numeric properties by their names.
  private static var numbers: [(name: String, value: Reading)] {
    [
      ("int", { CaseNumber($0.item.int) }), ("maybeInt", { $0.item.maybeInt.map { CaseNumber($0) } }),
      ("small", { CaseNumber($0.item.small) }), ("big", { CaseNumber($0.item.big) }),
      ("real", { CaseNumber($0.item.real) }), ("maybeReal", { $0.item.maybeReal.map { CaseNumber($0) } }),
      ("float", { CaseNumber($0.item.float) }), ("decimal", { CaseNumber($0.item.decimal) }),
      ("maybeDecimal", { $0.item.maybeDecimal.map { CaseNumber($0) } }),
      ("owner.age", { $0.owner?.age.map { CaseNumber($0) } }),
      ("owner.score", { $0.owner.map { CaseNumber($0.score) } }),
      ("metadata[\"k\"]", { $0.item.metadata["k"].map { CaseNumber($0) } }),
    ]
  }

  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addNumbers() {
    addPairs()
    addMixedConstants()
    addArithmetic()
  }

  /// Every property against every other, each pair under two of the relations.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addPairs() {
    let numbers = Self.numbers
    for (index, left) in numbers.enumerated() {
      for (second, right) in numbers.enumerated() where index != second {
        for step in [0, 3] {
          let relation = CaseRelation.all[(index * 5 + second + step) % 6]
          add(
            "\(left.name) \(relation) \(right.name)",
            passes: { row in
              CaseRelation.holds(relation, left.value(row), right.value(row), CaseNumber.order)
            })
          if CaseRelation.equality.contains(relation) { markLastConstant() }
        }
      }
    }
    add(
      "int < real",
      passes: { row in
        CaseRelation.holds("<", CaseNumber(row.item.int), CaseNumber(row.item.real), CaseNumber.order)
      })
    constant("int == int", is: true)
    constant("int < int", is: false)
    add("real == real", passes: { !$0.item.real.isNaN })
    add("real != real", passes: { $0.item.real.isNaN })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addMixedConstants() {
    typealias Constant = (any Sendable, CaseNumber)
    let constants: [String: [Constant]] = [
      "int": [
        (2.5, CaseNumber(2.5)), (2.0, CaseNumber(2)), (9_007_199_254_740_992.0, CaseNumber(1 << 53)),
        (1e300, CaseNumber(1e300)), (-Double.infinity, CaseNumber(-Double.infinity)),
        (Decimal(string: "9007199254740992.5") ?? 0, CaseNumber(Decimal(string: "9007199254740992.5") ?? 0)),
        (UInt64.max, CaseNumber(UInt64.max)),
        (9_223_372_036_854_775_808.0, CaseNumber(9_223_372_036_854_775_808.0)),
      ],
      "maybeInt": [(0.5, CaseNumber(0.5)), (Double.nan, CaseNumber(Double.nan))],
      "small": [(300, CaseNumber(300)), (1.5, CaseNumber(1.5)), (-129, CaseNumber(-129))],
      "big": [
        (-1, CaseNumber(-1)), (Int.max, CaseNumber(Int.max)), (1.8e19, CaseNumber(1.8e19)),
        (18_446_744_073_709_551_616.0, CaseNumber(18_446_744_073_709_551_616.0)),
      ],
      "real": [
        (2, CaseNumber(2)), (9_007_199_254_740_993, CaseNumber(9_007_199_254_740_993)),
        (Decimal(string: "0.3") ?? 0, CaseNumber(Decimal(string: "0.3") ?? 0)), (Float(0.1), CaseNumber(0.1)),
        (Int.max, CaseNumber(Int.max)), (UInt64(1) << 63, CaseNumber(UInt64(1) << 63)),
      ],
      "maybeReal": [(0, CaseNumber(0)), (Int.min, CaseNumber(Int.min))],
      "float": [
        (0.1, CaseNumber(0.1)), (0, CaseNumber(0)), (16_777_217, CaseNumber(16_777_217)),
        (16_777_217.0, CaseNumber(16_777_217)), (123_456_790, CaseNumber(123_456_790)),
        (123_456_792.0, CaseNumber(123_456_792)), (1e300, CaseNumber(1e300)),
        (Double.leastNonzeroMagnitude, CaseNumber(Double.leastNonzeroMagnitude)),
      ],
      "decimal": [(0.1, CaseNumber(0.1)), (2, CaseNumber(2)), (1e29, CaseNumber(1e29))],
      "maybeDecimal": [(0.1 + 0.2, CaseNumber(0.1 + 0.2)), (Double.infinity, CaseNumber(Double.infinity))],
      "owner.age": [(5.5, CaseNumber(5.5)), (6.0, CaseNumber(6))],
      "owner.score": [(1, CaseNumber(1)), (CasePools.decimal("0.1"), CaseNumber(0.1))],
    ]
    for number in Self.numbers {
      for (argument, value) in constants[number.name] ?? [] {
        for relation in CaseRelation.all {
          var filterCase = FilterCase<Mode>(
            text: .init(format: "\(number.name) \(relation) %@", arguments: [argument])
          ) { CaseRelation.holds(relation, number.value($0), value, CaseNumber.order) }
          // Many constants lie outside of the property's type: whether a row can pass is seen by the others.
          filterCase.isConstant = true
          add(filterCase)
        }
      }
    }
    add("int IN {2.0, 3, 2.5}", passes: { [2, 3].contains($0.item.int) })
    add("real IN {1, 2.5, 10}", passes: { [1, 2.5, 10].contains($0.item.real) })
    add("int BETWEEN {0.5, 9.5}", passes: { (1...9).contains($0.item.int) })
    add(
      "decimal BETWEEN {0.1, 2.5}",
      passes: { row in
        [CaseNumber(0.1), CaseNumber(2.5)].enumerated().allSatisfy { index, bound in
          CaseRelation.holds(index == 0 ? ">=" : "<=", CaseNumber(row.item.decimal), bound, CaseNumber.order)
        }
      })
    add("int == 0x0A", typed: { $0.int == 10 }, { $0.item.int == 10 })
    add("int IN {0b11, 0o12, -7}", typed: { $0.int.in([3, 10, -7]) }, { [3, 10, -7].contains($0.item.int) })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addArithmetic() {
    typealias Value = @Sendable (CaseRow<Mode>) -> CaseResult?
    let int: Value = { .int($0.item.int) }
    let maybe: Value = { $0.item.maybeInt.map { .int($0) } }
    let real: Value = { .real($0.item.real) }
    let small: Value = { .int(Int($0.item.small)) }
    let two: Value = { _ in .int(2) }
    let half: Value = { _ in .real(0.5) }
    let operations: [(String, Character, Value, Value)] = [
      ("int + 2", "+", int, two), ("int - maybeInt", "-", int, maybe), ("maybeInt * 2", "*", maybe, two),
      ("int / 2", "/", int, two), ("int / small", "/", int, small), ("real / 2", "/", real, two),
      ("int * real", "*", int, real), ("int + 0.5", "+", int, half), ("real - small", "-", real, small),
      ("maybeInt / small", "/", maybe, small), ("int * small", "*", int, small),
      ("real / small", "/", real, small),
    ]
    for (format, symbol, left, right) in operations {
      for (relation, constant) in [("==", 1), (">", 1), ("<=", 0), ("!=", 5)] {
        var filterCase = FilterCase<Mode>(
          text: .init(format: "\(format) \(relation) \(constant)", arguments: [])
        ) {
          let value = CaseResult.apply(symbol, left($0), right($0))
          return CaseRelation.holds(relation, value?.number, CaseNumber(constant), CaseNumber.order)
        }
        filterCase.synonyms = [.init(format: "(\(format))\(relation)\(constant)", arguments: [])]
        filterCase.isConstant = relation == "==" || relation == "!="
        add(filterCase)
      }
    }
    for (format, symbol, left, right) in operations.filter({ $0.0.contains("/ ") || $0.0.contains("+") }) {
      var filterCase = FilterCase<Mode>(text: .init(format: "\(format) == nil", arguments: [])) {
        CaseResult.apply(symbol, left($0), right($0)) == nil
      }
      filterCase.isConstant = !format.contains("small") || format.contains("real")
      add(filterCase)
    }
    constant("int / 0 == nil", is: true)
    constant("int / 0 > 1", is: false)
    add(
      "int + maybeInt * 2 > 4",
      passes: { row in
        let product = CaseResult.apply("*", maybe(row), .int(2))
        let sum = CaseResult.apply("+", int(row), product)
        return CaseRelation.holds(">", sum?.number, CaseNumber(4), CaseNumber.order)
      })
    add("(small + 1) * 2 == 4", passes: { $0.item.small == 1 })
    add("small - 1 - 1 == 0", passes: { $0.item.small == 2 })
    add("10 / small / 2 == 1", passes: { $0.item.small != 0 && 10 / Int($0.item.small) / 2 == 1 })
    add("-small > 1", passes: { $0.item.small < -1 })
    add("abs(small) == 128", passes: { $0.item.small == -128 })
    add("abs(small) == 1", passes: { abs(Int($0.item.small)) == 1 })
    add("abs(real) == 1", passes: { abs($0.item.real) == 1 })
    add("abs(int) > 9007199254740992", passes: { $0.item.int.magnitude > 9_007_199_254_740_992 })
    add("small + 1 > small * 2", passes: { Int($0.item.small) + 1 > Int($0.item.small) * 2 })
    constant("int + 1 == nil", is: false)
    add(
      "int + 1 > int",
      passes: { row in
        let next = CaseResult.apply("+", .int(row.item.int), .int(1))
        return CaseRelation.holds(">", next?.number, CaseNumber(row.item.int), CaseNumber.order)
      })
    markLastConstant()
  }
}
