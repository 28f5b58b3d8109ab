import Foundation
import LiveStore

/// Arithmetic on numbers of all types, optional or not, with constants on either side. `NumberOracleTests` have every two
/// properties, and operands of different kinds.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addArithmetic() {
    addIntegers()
    addRealsAndDecimals()
    addDictionaryValues()
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addIntegers() {
    add("int == 0x0A", typed: { $0.int == 10 })
    add("int IN {0b11, 0o12, -7}", typed: { $0.int.in([3, 10, -7]) })
    add("10 - small < 5", typed: { 10 - $0.small < 5 })
    add("2 * int == 4", typed: { 2 * $0.int == 4 })
    add("10 - int >= 10", typed: { 10 - $0.int >= 10 })
    add("10 / maybeInt > 2", typed: { 10 / $0.maybeInt > 2 })
    add("maybeInt + 1 > 3", typed: { $0.maybeInt + 1 > 3 })
    add("maybeInt * small <= 0", typed: { $0.maybeInt * $0.small <= 0 })
    add("small / maybeInt == nil", typed: { $0.small / $0.maybeInt == nil })
    add("maybeInt - maybeInt == 0", typed: { $0.maybeInt - $0.maybeInt == 0 })
    add("big - 1 > 9223372036854775805", typed: { $0.big - 1 > 9_223_372_036_854_775_805 })
    add("big + int > 0", typed: { $0.big + $0.int > 0 })
    add("owner.age * 2 > 9", typed: { $0.owner.age * 2 > 9 })
    add("small * small > maybeInt", typed: { $0.small * $0.small > $0.maybeInt })
    add("int + maybeInt * 2 > 4", meaning: { $0.int + $0.maybeInt * 2 > 4 })
    add("int + 1 > int", meaning: { $0.int + 1 > $0.int })
    markLastConstant()
    constant("int / 0 == nil", is: true)
    constant("int / 0 > 1", is: false)
    constant("int + 1 == nil", is: false)
    add("(small + 1) * 2 == 4", passes: { $0.item.small == 1 })
    add("small - 1 - 1 == 0", passes: { $0.item.small == 2 })
    add("10 / small / 2 == 1", passes: { $0.item.small != 0 && 10 / Int($0.item.small) / 2 == 1 })
    add("-small > 1", passes: { $0.item.small < -1 })
    add("abs(small) == 128", passes: { $0.item.small == -128 })
    add("abs(small) == 1", passes: { abs(Int($0.item.small)) == 1 })
    add("abs(int) > 9007199254740992", passes: { $0.item.int.magnitude > 9_007_199_254_740_992 })
    add("small + 1 > small * 2", passes: { Int($0.item.small) + 1 > Int($0.item.small) * 2 })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addRealsAndDecimals() {
    constant("int == int", is: true)
    constant("int < int", is: false)
    add("real == real", passes: { !$0.item.real.isNaN })
    add("real != real", passes: { $0.item.real.isNaN })
    add("abs(real) == 1", passes: { abs($0.item.real) == 1 })
    add("maybeReal * 2 > 1", typed: { $0.maybeReal * 2 > 1 })
    add("1 / maybeReal == 2", typed: { 1 / $0.maybeReal == 2 })
    add("1 - real > 0.5", typed: { 1 - $0.real > 0.5 })
    add("float + 0.5 == 1", typed: { $0.float + 0.5 == 1 })
    add("float * real <= maybeReal", typed: { $0.float * $0.real <= $0.maybeReal })
    add("double(small) / 4 < 0.5", typed: { $0.small.double / 4 < 0.5 })
    add("decimal * 2 == 5", typed: { $0.decimal * 2 == 5 })
    add("decimal / 2 > 1", typed: { $0.decimal / 2 > 1 })
    add("1 / decimal >= 2", typed: { 1 / $0.decimal >= 2 })
    add("decimal - 0.5 == 0", typed: { $0.decimal - 0.5 == 0 })
    add("decimal + maybeDecimal > 1", typed: { $0.decimal + $0.maybeDecimal > 1 })
    add("decimal / maybeDecimal == nil", typed: { $0.decimal / $0.maybeDecimal == nil })
    constant("decimal / 0 == nil", is: true)
  }

  /// CONTAINS and IN look for a value of a dictionary.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addDictionaryValues() {
    add("metadata CONTAINS 2", typed: { $0.metadata.contains(value: 2) })
    add("2 IN metadata", typed: { $0.metadata.contains(value: 2) })
    add("NOT metadata CONTAINS %@", 3, typed: { !$0.metadata.contains(value: 3) })
    add(
      "metadata CONTAINS maybeInt",
      passes: { row in row.item.maybeInt.map { row.item.metadata.values.contains($0) } ?? false })
    add("small IN metadata", passes: { $0.item.metadata.values.contains(Int($0.item.small)) })
    constant("metadata CONTAINS 77", is: false)
  }
}
