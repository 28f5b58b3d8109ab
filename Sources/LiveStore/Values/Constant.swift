/// A value inside a filter, of any type that can be compared.
///
/// Equal constants make equal filters, which share one maintained result. A type that is not `Hashable` hashes to
/// nothing, which is correct and only slower.
@usableFromInline
package struct Constant: Hashable, Sendable, CustomStringConvertible {
  private let box: any ConstantBox

  package init<Value: Equatable & Sendable>(_ value: Value) { box = EquatableBox(value: value) }

  @usableFromInline
  package static func == (lhs: Constant, rhs: Constant) -> Bool { lhs.box.isEqual(to: rhs.box) }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { box.hash(into: &hasher) }
  @usableFromInline
  package var description: String { shown(box.anyValue) }
}

private protocol ConstantBox: Sendable {
  var anyValue: any Sendable { get }
  func isEqual(to other: any ConstantBox) -> Bool
  func hash(into hasher: inout Hasher)
}

private struct EquatableBox<Value: Equatable & Sendable>: ConstantBox {
  let value: Value
  /// Constants are equal as defined by `isSameValue`; the hash of a NaN depends on its bits.
  private let isHashed: Bool

  init(value: Value) {
    self.value = value
    isHashed = !holdsNaN(value)
  }

  var anyValue: any Sendable { value }
  func isEqual(to other: any ConstantBox) -> Bool {
    (other as? EquatableBox).map { isSameValue($0.value, value) } ?? false
  }
  func hash(into hasher: inout Hasher) {
    if isHashed { (value as? any Hashable)?.hash(into: &hasher) }
  }
}

/// A value as filters, plans and changes show it: text quoted, nil as `nil`, optionals without wrapping.
package func shown(_ value: Any?) -> String {
  guard let value else { return "nil" }
  if let optional = value as? any OptionalValue { return shownWrapped(optional) }
  return value is String ? String(reflecting: value) : String(describing: value)
}

private func shownWrapped<O: OptionalValue>(_ optional: O) -> String {
  optional.wrapped.map { shown($0) } ?? "nil"
}
