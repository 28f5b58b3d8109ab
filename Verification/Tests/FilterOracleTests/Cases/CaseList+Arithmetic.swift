import Foundation
import LiveStore
import TestSupport

/// Arithmetic on numbers of all types, optional or not, with constants on either side.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addArithmeticOfTypes() {
    addIntegers()
    addReals()
    addDecimals()
    addDictionaryValues()
  }

  /// Whether a result is in a relation with a constant; nil is in none.
  private static func holds(_ relation: String, _ value: CaseResult?, _ constant: Int) -> Bool {
    CaseRelation.holds(relation, value?.number, CaseNumber(constant), CaseNumber.order)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addIntegers() {
    typealias Value = @Sendable (CaseRow<Mode>) -> CaseResult?
    let int: Value = { .int($0.item.int) }
    let maybe: Value = { $0.item.maybeInt.map { .int($0) } }
    let big: Value = { .int(Int(clamping: $0.item.big)) }
    add(
      "10 - small < 5", typed: { 10 - $0.small < 5 },
      { row in
        10 - Int(row.item.small) < 5
      })
    add(
      "2 * int == 4", typed: { 2 * $0.int == 4 },
      { row in
        Self.holds("==", CaseResult.apply("*", .int(2), int(row)), 4)
      })
    add(
      "10 - int >= 10", typed: { 10 - $0.int >= 10 },
      { row in
        Self.holds(">=", CaseResult.apply("-", .int(10), int(row)), 10)
      })
    add(
      "10 / maybeInt > 2", typed: { 10 / $0.maybeInt > 2 },
      { row in
        Self.holds(">", CaseResult.apply("/", .int(10), maybe(row)), 2)
      })
    add(
      "maybeInt + 1 > 3", typed: { $0.maybeInt + 1 > 3 },
      { row in
        Self.holds(">", CaseResult.apply("+", maybe(row), .int(1)), 3)
      })
    add(
      "maybeInt * small <= 0", typed: { $0.maybeInt * $0.small <= 0 },
      { row in
        Self.holds("<=", CaseResult.apply("*", maybe(row), .int(Int(row.item.small))), 0)
      })
    add(
      "small / maybeInt == nil", typed: { $0.small / $0.maybeInt == nil },
      { row in
        row.item.maybeInt == nil || row.item.maybeInt == 0
      })
    add("maybeInt - maybeInt == 0", typed: { $0.maybeInt - $0.maybeInt == 0 }, { $0.item.maybeInt != nil })
    add(
      "big - 1 > 9223372036854775805", typed: { $0.big - 1 > 9_223_372_036_854_775_805 },
      { row in
        Self.holds(">", CaseResult.apply("-", big(row), .int(1)), 9_223_372_036_854_775_805)
      })
    add(
      "big + int > 0", typed: { $0.big + $0.int > 0 },
      { row in
        Self.holds(">", CaseResult.apply("+", big(row), int(row)), 0)
      })
    add(
      "owner.age * 2 > 9", typed: { $0.owner.age * 2 > 9 },
      { row in (row.owner?.age).map { $0 * 2 > 9 } ?? false })
    add(
      "small * small > maybeInt", typed: { $0.small * $0.small > $0.maybeInt },
      { row in
        row.item.maybeInt.map { Int(row.item.small) * Int(row.item.small) > $0 } ?? false
      })
  }

  /// The number that a `Float` stands for: itself if it is integral, else the decimal that it prints as.
  private static func double(_ float: Float) -> Double {
    float == float.rounded() ? Double(float) : Double("\(float)") ?? .nan
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addReals() {
    add(
      "maybeReal * 2 > 1", typed: { $0.maybeReal * 2 > 1 },
      { row in row.item.maybeReal.map { $0 * 2 > 1 } ?? false })
    add(
      "1 / maybeReal == 2", typed: { 1 / $0.maybeReal == 2 },
      { row in row.item.maybeReal.map { 1 / $0 == 2 } ?? false })
    add("1 - real > 0.5", typed: { 1 - $0.real > 0.5 }, { 1 - $0.item.real > 0.5 })
    add(
      "float + 0.5 == 1", typed: { $0.float + 0.5 == 1 },
      { row in
        Self.double(row.item.float) + 0.5 == 1
      })
    add(
      "float * real <= maybeReal", typed: { $0.float * $0.real <= $0.maybeReal },
      { row in
        guard let limit = row.item.maybeReal else { return false }
        return Self.double(row.item.float) * row.item.real <= limit
      })
    add(
      "double(small) / 4 < 0.5", typed: { $0.small.double / 4 < 0.5 },
      { row in
        Double(row.item.small) / 4 < 0.5
      })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addDecimals() {
    add("decimal * 2 == 5", typed: { $0.decimal * 2 == 5 }, { $0.item.decimal * 2 == 5 })
    add("decimal / 2 > 1", typed: { $0.decimal / 2 > 1 }, { $0.item.decimal / 2 > 1 })
    add(
      "1 / decimal >= 2", typed: { 1 / $0.decimal >= 2 }, { $0.item.decimal != 0 && 1 / $0.item.decimal >= 2 }
    )
    add(
      "decimal - 0.5 == 0", typed: { $0.decimal - 0.5 == 0 }, { $0.item.decimal == CasePools.decimal("0.5") })
    add(
      "decimal + maybeDecimal > 1", typed: { $0.decimal + $0.maybeDecimal > 1 },
      { row in
        row.item.maybeDecimal.map { row.item.decimal + $0 > 1 } ?? false
      })
    add("decimal * small > 5", passes: { $0.item.decimal * Decimal(Int($0.item.small)) > 5 })
    add(
      "decimal + real > 1",
      passes: { row in
        Double("\(row.item.decimal)").map { $0 + row.item.real > 1 } ?? false
      })
    constant("decimal / 0 == nil", is: true)
    add(
      "decimal / maybeDecimal == nil", typed: { $0.decimal / $0.maybeDecimal == nil },
      { ($0.item.maybeDecimal ?? 0) == 0 })
  }

  /// CONTAINS and IN look for a value of a dictionary.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addDictionaryValues() {
    add(
      "metadata CONTAINS 2", typed: { $0.metadata.contains(value: 2) },
      { $0.item.metadata.values.contains(2) })
    add("2 IN metadata", typed: { $0.metadata.contains(value: 2) }, { $0.item.metadata.values.contains(2) })
    add(
      "NOT metadata CONTAINS %@", 3, typed: { !$0.metadata.contains(value: 3) },
      { !$0.item.metadata.values.contains(3) })
    add(
      "metadata CONTAINS maybeInt",
      passes: { row in row.item.maybeInt.map { row.item.metadata.values.contains($0) } ?? false })
    add("small IN metadata", passes: { $0.item.metadata.values.contains(Int($0.item.small)) })
    constant("metadata CONTAINS 77", is: false)
  }
}
