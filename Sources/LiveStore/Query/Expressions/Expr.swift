/// A typed expression over a row: a property, or a condition on properties.
///
/// An expression is a value: it is compared, hashed and printed, and the store derives from it which indexes serve it
/// and which commits can affect it.
@dynamicMemberLookup
public struct Expr<Value>: Sendable {
  package let source: ExprSource
  @usableFromInline package let accessor: Accessor<Value>

  /// How many rows are around the one that it reads (B1); nil if it reads none.
  let level: Int?
  /// Whether it is read along links, and nil where they lead to no object.
  let isNilWithoutObject: Bool
  /// The stored property of the row, if the expression is one and it is known.
  let property: StoredProperty<Value>?

  init(
    source: ExprSource, accessor: Accessor<Value>, level: Int? = nil, isNilWithoutObject: Bool = false,
    property: StoredProperty<Value>? = nil
  ) {
    self.property = property
    self.source = source
    self.accessor = accessor
    self.level = level
    self.isNilWithoutObject = isNilWithoutObject
  }

  /// What it means.
  package var term: Term {
    switch source {
    case .path(let path): path
    case .condition(let filter): filter.term
    }
  }

  /// A part of this value.
  private func part<Whole, Member, Part>(
    _ keyPath: SendableKeyPath<Whole, Member>, _ accessor: Accessor<Part>
  ) -> Expr<Part> {
    Expr<Part>(
      source: .path(term.appending(memberPath(of: keyPath))), accessor: accessor, level: level,
      isNilWithoutObject: isNilWithoutObject)
  }

  /// A member of the value: `$0.address.city`.
  @_disfavoredOverload
  public subscript<Member>(dynamicMember keyPath: SendableKeyPath<Value, Member>) -> Expr<Member> {
    part(keyPath, accessor.appending(keyPath))
  }

  /// A member of an optional value, nil where the value is.
  @_disfavoredOverload
  public subscript<Wrapped, Member>(
    dynamicMember keyPath: SendableKeyPath<Wrapped, Member>
  ) -> Expr<Member?> where Value == Wrapped? {
    part(keyPath, accessor.chaining(keyPath))
  }

  /// An optional member of an optional value, nil if either is.
  @_disfavoredOverload
  public subscript<Wrapped, Member>(
    dynamicMember keyPath: SendableKeyPath<Wrapped, Member?>
  ) -> Expr<Member?> where Value == Wrapped? {
    part(keyPath, accessor.chaining(flattening: keyPath))
  }
}

/// The paths of members of values, to follow the paths to the values.
private let memberPaths = KeyPathTable()

private final class MemberPath: Sendable {
  let path: PropertyPath
  init(_ path: PropertyPath) { self.path = path }
}

private func memberPath<Root, Member>(of keyPath: SendableKeyPath<Root, Member>) -> PropertyPath {
  if let known = memberPaths.value(of: keyPath) as? MemberPath { return known.path }
  let path = PropertyPath(members: keyPath)
  if MemoryLayout<Root>.offset(of: keyPath) != nil { memberPaths.set(MemberPath(path), of: keyPath) }
  return path
}

extension Expr<Bool> {
  /// - Parameter level: how many rows are around the one that the filter tests; nil if it reads none.
  init(_ filter: ConditionTree, at level: Int?) {
    self.init(
      source: .condition(filter), accessor: .function { row, context in filter.matches(row, context) },
      level: level)
  }

  /// This condition as a filter; a Boolean property stands for its being true.
  @usableFromInline
  package var filter: ConditionTree {
    switch source {
    case .condition(let filter): filter
    case .path: (self == true).filter
    }
  }
}
