import Foundation

/// A value inside a filter, of any type that can be compared.
///
/// Equal constants make equal filters, which share one maintained result. A type that is not `Hashable` hashes to
/// nothing, which is correct and only slower.
@usableFromInline
package struct Constant: Hashable, Sendable, CustomStringConvertible {
  private let box: any ConstantBox
  /// Whether the value is -0.0 where that differs from 0.0, as in a quotient.
  package private(set) var isNegativeZero = false

  package init<Value: Equatable & Sendable>(_ value: Value) { box = EquatableBox(value: value) }

  /// A value that other values are computed from.
  package init<Value: Equatable & Sendable>(operand value: Value) {
    self.init(value)
    if let number = value as? any FloatingPoint { isNegativeZero = number.isZero && number.sign == .minus }
  }

  /// A value that is a part of a `Sendable` one, and so `Sendable` itself.
  package init<Value: Equatable>(part value: Value) { box = EquatableBox(value: value) }

  package var typeName: String { "\(type(of: box.anyValue))" }

  /// How many short values are compared in about the time that this one takes.
  var size: Int { (box.anyValue as? any SizedConstant)?.size ?? 1 }

  /// Calls a function that is generic in the value's type.
  package func open<Visitor: ConstantVisitor>(_ visitor: Visitor) -> Visitor.Result { box.open(visitor) }

  /// The value, if it is of this type.
  package func value<Value>(as _: Value.Type = Value.self) -> Value? { box.anyValue as? Value }

  /// Negative, zero or positive; nil for values of two types, for values without an order, and for NaN.
  package func order(_ other: Constant) -> Int? { box.order(other.box) }

  @usableFromInline
  package static func == (lhs: Constant, rhs: Constant) -> Bool {
    lhs.isNegativeZero == rhs.isNegativeZero && lhs.box.isEqual(to: rhs.box)
  }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { box.hash(into: &hasher) }
  @usableFromInline
  package var description: String { shown(box.anyValue) }
}

/// A constant that takes the longer to be compared, the larger it is.
protocol SizedConstant {
  var size: Int { get }
}

extension Array: SizedConstant where Element: SizedConstant {
  var size: Int { reduce(1) { $0 + $1.size } }
}

/// A function of a value of any type that can be compared.
package protocol ConstantVisitor {
  associatedtype Result
  func visit<Value: Equatable>(_ value: Value) -> Result
}

private protocol ConstantBox: Sendable {
  func open<Visitor: ConstantVisitor>(_ visitor: Visitor) -> Visitor.Result
  var anyValue: any Sendable { get }
  func isEqual(to other: any ConstantBox) -> Bool
  func order(_ other: any ConstantBox) -> Int?
  func hash(into hasher: inout Hasher)
}

// Proof of sendability: the value is `Sendable`, or a part of such a value; both initialisers of `Constant` require it.
private struct EquatableBox<Value: Equatable>: ConstantBox, @unchecked Sendable {
  let value: Value
  /// Constants are equal as defined by `isSameValue`; the hash of a NaN depends on its bits.
  private let isHashed: Bool

  init(value: Value) {
    self.value = value
    isHashed = !holdsNaN(value)
  }

  // Of one layout; the value is Sendable, as above.
  var anyValue: any Sendable { unsafeBitCast(value as Any, to: (any Sendable).self) }
  func order(_ other: any ConstantBox) -> Int? {
    guard let other = other as? EquatableBox, let order = ValueOrder<Value>.ofType(), value == value,
      other.value == other.value
    else { return nil }
    return order.compare(value, other.value)
  }
  func open<Visitor: ConstantVisitor>(_ visitor: Visitor) -> Visitor.Result { visitor.visit(value) }
  func isEqual(to other: any ConstantBox) -> Bool {
    (other as? EquatableBox).map { isSameValue($0.value, value) } ?? false
  }
  func hash(into hasher: inout Hasher) {
    if let text = value as? String { return hasher.combine(textHash(text)) }
    if isHashed { (value as? any Hashable)?.hash(into: &hasher) }
  }
}

/// A value as filters, plans and changes show it: text quoted, nil as `nil`, optionals without wrapping.
package func shown(_ value: Any?) -> String {
  guard let value else { return "nil" }
  if let optional = value as? any OptionalValue { return shownWrapped(optional) }
  // Foundation ends the process when it describes a date that is not a number.
  if let date = value as? Date, date.timeIntervalSinceReferenceDate.isNaN { return "nan" }
  if let dates = value as? [Date] ?? (value as? Set<Date>).map(Array.init) {
    return "[\(dates.map { shown($0) }.joined(separator: ", "))]"
  }
  if value is String { return String(reflecting: value) }
  return holdsUnshownDate(value)
    ? "a value of type \(type(of: value)) with a date that is not a number" : String(describing: value)
}

/// Whether a date that is not a number is among the parts of a value.
private func holdsUnshownDate(_ value: Any) -> Bool {
  if let date = value as? Date { return date.timeIntervalSinceReferenceDate.isNaN }
  func isWithoutDate<T>(_: T) -> Bool { isWithoutNaN(T.self) || T.self is AnyObject.Type }
  if _openExistential(value, do: isWithoutDate) { return false }
  return Mirror(reflecting: value).children.contains { holdsUnshownDate($0.value) }
}

private func shownWrapped<O: OptionalValue>(_ optional: O) -> String {
  optional.wrapped.map { shown($0) } ?? "nil"
}
