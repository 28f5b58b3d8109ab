/// One test of a filter, with the information for planning and routing. An object, so that copying a filter copies a
/// reference.
@usableFromInline
package final class Condition: Hashable, Sendable, CustomStringConvertible {
  /// The test as a value: conditions of equal forms are the same test.
  package let form: Form
  package let mask: RowMask
  /// The values that can pass, if known.
  package let candidates: Candidates?
  /// The values that the condition names.
  package let operands: [Operand]

  package init(form: Form, mask: @escaping RowMask, candidates: Candidates?, operands: [Operand] = []) {
    self.form = form
    self.mask = mask
    self.candidates = candidates
    self.operands = operands
  }

  @usableFromInline
  package static func == (lhs: Condition, rhs: Condition) -> Bool {
    lhs === rhs || lhs.form == rhs.form
  }
  @usableFromInline
  package func hash(into hasher: inout Hasher) { hasher.combine(form) }

  /// Whether the condition is known to be consistent: it always gives the same answer for a row, and passes only rows
  /// among its candidates. That holds for values of types of the standard library or Foundation. Closures, and the
  /// `==` and `<` of other types, may be inconsistent.
  var isConsistent: Bool {
    switch form {
    case .text, .link: true
    case .quantified(_, _, let filter): filter.isConsistent
    case .closure, .predicate: false
    case .program(let program): program.conditions.allSatisfy(\.isConsistent)
    default: candidates?.isConsistent ?? false
    }
  }

  package enum Form: Hashable, Sendable {
    case compare(PropertyPath, Comparison, Constant)
    case compareProperties(PropertyPath, Comparison, PropertyPath)
    case range(PropertyPath, lower: Constant?, upper: Constant?, isClosed: Bool)
    case member(PropertyPath, [Constant])
    case link(PropertyPath, Constant)
    case element(PropertyPath, Constant)
    case quantified(PropertyPath, Quantifier, Filter)
    case text(PropertyPath, TextTest, String, TextOptions)
    case closure(ClosureIdentity)
    case predicate(ClosureIdentity)
    case program(FilterProgram)
  }

  @usableFromInline
  package var description: String {
    switch form {
    case .compare(let path, let comparison, let value): "\(path) \(comparison.rawValue) \(value)"
    case .compareProperties(let left, let comparison, let right): "\(left) \(comparison.rawValue) \(right)"
    case .range(let path, let lower, let upper, let isClosed):
      "\(path) in \(lower?.description ?? "")\(isClosed ? "..." : upper == nil ? "..." : "..<")\(upper?.description ?? "")"
    case .member(let path, let values): "\(path) in [\(values.map(\.description).joined(separator: ", "))]"
    case .link(let path, let value), .element(let path, let value): "\(path) contains \(value)"
    case .quantified(let path, let quantifier, let filter): "\(path).\(quantifier.rawValue) { \(filter) }"
    case .text(let path, let test, let text, let options):
      "\(path) \(test.rawValue)\(options) \(String(reflecting: text))"
    case .closure: "{ closure }"
    case .predicate: "#Predicate"
    case .program(let program): "… of \(program.conditions.reduce(0) { count, _ in count + 1 }) conditions …"
    }
  }
}

/// How many of several objects must pass.
package enum Quantifier: String, Sendable {
  case contains, allSatisfy
}

/// A comparison's operator.
@usableFromInline
package enum Comparison: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// The values of one path that can pass a condition. Every row that passes has such a value; not every row with such
/// a value passes (Q1).
///
/// The hashes are those of the value or, if `eachHash` is set, of the elements or ids in it, one of which leads to
/// the row.
package struct Candidates: Sendable {
  package let path: PropertyPath
  /// Key ranges in the values' order, if they have one.
  package var keyRanges: [KeyRange]?
  /// Equality keys: hashes of the only values that can pass, if they are few and hashable.
  package var hashes: [UInt64]?
  /// Whether the hashes are those of the ids that the value refers to, as in an index of links.
  package let isByReference: Bool
  /// Whether equality, order and hashes of the values are known to be consistent.
  let isConsistent: Bool
  /// The abbreviation of a row's value.
  package let abbreviate: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
  /// The hash of a row's value; nil also if a row has several.
  package let hash: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
  /// Calls a body with each of the hashes of a row that has several.
  package let eachHash: EachHash?

  package typealias EachHash = @Sendable (UnsafeRawPointer, ReadContext, (UInt64) -> Void) -> Void

  /// Values between two bounds.
  package struct KeyRange: Sendable {
    package var lower: Bound?
    package var upper: Bound?
  }

  package struct Bound: Sendable {
    package let abbreviation: UInt64
    package let isInclusive: Bool
    /// The row's value compared with the bound.
    package let compare: @Sendable (UnsafeRawPointer, ReadContext) -> Int
  }
}

extension Candidates {
  /// - Parameters:
  ///   - values: the only values that can pass, if known.
  ///   - lower: with `upper`, the bounds of the values that can pass.
  init<Value: Sendable>(
    _ path: PropertyPath, _ accessor: Accessor<Value>, equalTo values: [Value]? = nil,
    lower: (value: Value, isInclusive: Bool)? = nil, upper: (value: Value, isInclusive: Bool)? = nil
  ) {
    let order = ValueOrder<Value>.ofType()
    let hash = ValueHash<Value>()
    self.path = path
    eachHash = nil
    let relation = Value.self as? any RelationValue.Type
    isByReference = relation.map { $0.cardinality != .many } ?? false
    isConsistent = order?.isConsistent ?? (relation != nil)
    if let order { abbreviate = { order.abbreviate(accessor.read($0, $1)) } } else { abbreviate = nil }
    if let hash { self.hash = { hash(accessor.read($0, $1)) } } else { self.hash = nil }
    self.hashes = hash.flatMap { hash in values?.map { hash($0) } }
    self.keyRanges = order.map { order in
      func bound(_ value: Value, isInclusive: Bool) -> Bound {
        Bound(
          abbreviation: order.abbreviate(value), isInclusive: isInclusive,
          compare: { order.compare(accessor.read($0, $1), value) })
      }
      if let values {
        return values.map {
          KeyRange(lower: bound($0, isInclusive: true), upper: bound($0, isInclusive: true))
        }
      }
      return [
        KeyRange(
          lower: lower.map { bound($0.value, isInclusive: $0.isInclusive) },
          upper: upper.map { bound($0.value, isInclusive: $0.isInclusive) })
      ]
    }
  }

  /// Rows whose value holds an element; nil where elements have no hash.
  init?<Value: ElementCollection>(
    _ path: PropertyPath, _ accessor: Accessor<Value>, holding element: Value.Member
  ) {
    guard let hash = ValueHash<Value.Member>() else { return nil }
    self.path = path
    isByReference = false
    isConsistent = ElementFunctions.haveConsistentHash(Value.Member.self)
    keyRanges = nil
    hashes = [hash(element)]
    abbreviate = nil
    self.hash = nil
    eachHash = { row, context, body in
      accessor.read(row, context).forEachMember { body(hash($0)) }
    }
  }

  /// Rows that link to a target.
  init<Value: RelationValue>(_ path: PropertyPath, _ accessor: Accessor<Value>, linkingTo hash: UInt64) {
    self.path = path
    isByReference = true
    isConsistent = true
    keyRanges = nil
    hashes = [hash]
    abbreviate = nil
    self.hash = nil
    eachHash = { row, context, body in
      accessor.read(row, context).forEachReference { body(idHash($0.id)) }
    }
  }
}
