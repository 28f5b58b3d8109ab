/// The sums of many groups, by the groups' numbers, for the library's own use.
///
/// Only the parts that the rows need are stored: a count takes one word for each group. Doubles are added in
/// units that the first double selects (`DoubleUnits`); doubles of another size have an `ExactSum`.
@_documentation(visibility: internal)
public struct GroupSums: Sendable {
  private var rows: ContiguousArray<Int> = []
  private var values: ContiguousArray<Int> = []
  private var integers: ContiguousArray<Int128> = []
  private var units: DoubleUnits?
  private var doubles: ContiguousArray<Int128> = []
  private var others: [UInt32: ExactSum] = [:]

  init() {}

  /// Counts rows of groups. There are `count` groups by now.
  mutating func addRows(_ numbers: UnsafeBufferPointer<UInt32>, count: Int) {
    rows.extend(to: count)
    rows.withUnsafeMutableBufferPointer { rows in
      for number in numbers { rows[Int(number)] &+= 1 }
    }
  }

  /// Adds a value for each of these rows, which have been counted; nil adds none.
  @inline(__always)
  mutating func addIntegers(_ numbers: UnsafeBufferPointer<UInt32>, _ value: (Int) -> Int128?) {
    values.extend(to: rows.count)
    integers.extend(to: rows.count)
    values.withUnsafeMutableBufferPointer { values in
      integers.withUnsafeMutableBufferPointer { integers in
        for (index, number) in numbers.enumerated() {
          guard let value = value(index) else { continue }
          values[Int(number)] &+= 1
          // There are too few values for a sum of 64-bit integers to overflow 128 bits.
          integers[Int(number)] &+= value
        }
      }
    }
  }

  /// The same for doubles.
  @inline(__always)
  mutating func addDoubles(_ numbers: UnsafeBufferPointer<UInt32>, _ value: (Int) -> Double?) {
    values.extend(to: rows.count)
    doubles.extend(to: rows.count)
    for (index, number) in numbers.enumerated() {
      guard let value = value(index) else { continue }
      values[Int(number)] &+= 1
      if let units = units?.units(value) {
        doubles[Int(number)] &+= units
      } else {
        addOther(value, number)
      }
    }
  }

  @inline(never)
  private mutating func addOther(_ value: Double, _ number: UInt32) {
    if value == 0 { return }
    if units == nil, let near = DoubleUnits(near: value) {
      units = near
      if let first = near.units(value) { return doubles[Int(number)] = first }
    }
    others[number, default: ExactSum()].add(value, isRemoval: false)
  }

  /// The sum of a group.
  subscript(number: Int) -> ExactSum {
    var sum = others.isEmpty ? ExactSum() : others[UInt32(number)] ?? ExactSum()
    sum.rows = rows[number]
    if number < values.count { sum.values = values[number] }
    if number < integers.count { sum.integer = integers[number] }
    if let units, number < doubles.count { sum.fraction.add(doubles[number], units) }
    return sum
  }
}

extension ContiguousArray where Element: AdditiveArithmetic {
  /// Appends zeros until there are `count` elements.
  @inline(__always)
  fileprivate mutating func extend(to count: Int) {
    if self.count < count { append(contentsOf: repeatElement(.zero, count: count &- self.count)) }
  }
}
