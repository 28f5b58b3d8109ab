import Foundation

/// How values of a type are read for a text filter.
///
/// Numbers, text, dates and the like are themselves. Enumerations are their raw values, or else the names of their
/// cases; links are the ids of their objects.
///
/// Proof of sendability: the function captures metatypes and other functions of this kind, nothing mutable.
struct ValueConversion<Value>: @unchecked Sendable {
  let convert: (Value) -> FilterValue

  init() { convert = Self.simple() ?? Self.composed() }

  /// The conversion of a type of the standard library or Foundation; nil for the others.
  private static func simple() -> ((Value) -> FilterValue)? {
    switch Value.self {
    case is String.Type: of(String.self) { .text($0) }
    case is Substring.Type: of(Substring.self) { .text(String($0)) }
    case is Character.Type: of(Character.self) { .text(String($0)) }
    case is URL.Type: of(URL.self) { .text($0.absoluteString) }
    case is Bool.Type: of(Bool.self) { .bool($0) }
    case is Date.Type: of(Date.self) { .date($0) }
    case is UUID.Type: of(UUID.self) { .uuid($0) }
    case is Data.Type: of(Data.self) { .data($0) }
    case is JSONValue.Type: of(JSONValue.self) { FilterValue($0) }
    case is Int.Type: of(Int.self) { .number(.integer(Int64($0))) }
    case is Double.Type: of(Double.self) { .number(.real($0)) }
    case is Float.Type: of(Float.self) { .number(FilterNumber(floating: $0)) }
    case is Decimal.Type: of(Decimal.self) { .number(FilterNumber($0)) }
    case let type as any BinaryInteger.Type: integer(type)
    case let type as any BinaryFloatingPoint.Type: float(type)
    default: nil
    }
  }

  private static func of<Known>(
    _: Known.Type, _ conversion: @escaping (Known) -> FilterValue
  ) -> (Value) -> FilterValue {
    // Known is Value itself, here and below: the caller compared the metatypes or found one by casting the
    // other.
    { conversion(unsafeBitCast($0, to: Known.self)) }
  }

  private static func composed() -> (Value) -> FilterValue {
    switch Value.self {
    case let type as any OptionalValue.Type: optional(type)
    case let type as any FilterLink.Type: link(type)
    case let type as any ElementCollection.Type: list(type)
    case let type as any FilterDictionary.Type: dictionary(type)
    case let type as any RawRepresentable.Type: raw(type)
    case let type as any Equatable.Type: other(type)
    default: { _ in .missing }
    }
  }

  private static func integer<Integer: BinaryInteger>(_: Integer.Type) -> (Value) -> FilterValue {
    of(Integer.self) { .number(FilterNumber($0)) }
  }

  private static func float<Float: BinaryFloatingPoint>(_: Float.Type) -> (Value) -> FilterValue {
    of(Float.self) { .number(FilterNumber(floating: $0)) }
  }

  private static func optional<Optional: OptionalValue>(_: Optional.Type) -> (Value) -> FilterValue {
    let wrapped = ValueConversion<Optional.Wrapped>()
    return of(Optional.self) { $0.wrapped.map(wrapped.convert) ?? .missing }
  }

  private static func link<Link: FilterLink>(_: Link.Type) -> (Value) -> FilterValue {
    let id = ValueConversion<Link.ID>()
    return of(Link.self) { id.convert($0.id) }
  }

  private static func list<Elements: ElementCollection>(_: Elements.Type) -> (Value) -> FilterValue {
    let member = ValueConversion<Elements.Member>()
    return of(Elements.self) { value in
      var elements: [FilterValue] = []
      value.forEachMemberInFilter { elements.append(member.convert($0)) }
      return .list(elements)
    }
  }

  private static func dictionary<Members: FilterDictionary>(_: Members.Type) -> (Value) -> FilterValue {
    let member = ValueConversion<Members.Value>()
    return of(Members.self) { .object($0.namedMembers(member.convert)) }
  }

  private static func raw<Raw: RawRepresentable>(_: Raw.Type) -> (Value) -> FilterValue {
    let rawValue = ValueConversion<Raw.RawValue>()
    return of(Raw.self) { rawValue.convert($0.rawValue) }
  }

  private static func other<Known: Equatable>(_: Known.Type) -> (Value) -> FilterValue {
    if Known.self is any CaseIterable.Type { return of(Known.self) { .text("\($0)") } }
    return of(Known.self) { .value(Constant(part: $0)) }
  }
}

/// A link to one object, recognisable at run time.
protocol FilterLink {
  associatedtype Target: Entity
  associatedtype ID
  var id: ID { get }
  init(id: ID)
}

extension Ref: FilterLink {
  init(id: Target.ID) { self.init(id) }
}

/// A dictionary, recognisable at run time.
protocol FilterDictionary {
  associatedtype Value
  /// The values under keys that are text, or are printed as text.
  func namedMembers(_ convert: (Value) -> FilterValue) -> [ComparedText: FilterValue]
  /// The values under all keys, in no order.
  func memberValues(_ convert: (Value) -> FilterValue) -> [FilterValue]
}

extension Dictionary: FilterDictionary {
  func namedMembers(_ convert: (Value) -> FilterValue) -> [ComparedText: FilterValue] {
    var members: [ComparedText: FilterValue] = [:]
    for (key, value) in self { members[ComparedText("\(key)")] = convert(value) }
    return members
  }

  func memberValues(_ convert: (Value) -> FilterValue) -> [FilterValue] { values.map(convert) }
}

extension Optional: FilterDictionary where Wrapped: FilterDictionary {
  func namedMembers(_ convert: (Wrapped.Value) -> FilterValue) -> [ComparedText: FilterValue] {
    self?.namedMembers(convert) ?? [:]
  }

  func memberValues(_ convert: (Wrapped.Value) -> FilterValue) -> [FilterValue] {
    self?.memberValues(convert) ?? []
  }
}

extension Constant {
  /// The value as text filters read a property of its type.
  var filterValue: FilterValue {
    struct Reading: ConstantVisitor {
      func visit<Value: Equatable>(_ value: Value) -> FilterValue { ValueConversion<Value>().convert(value) }
    }
    return open(Reading())
  }
}
