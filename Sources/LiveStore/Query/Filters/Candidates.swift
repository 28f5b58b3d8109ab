import Foundation

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
  /// The words of a text that can pass; their keys are its hashes, too, if they are few.
  package var words: Words?
  /// Whether every row with such a value passes, so that these rows need not be tested. Ranges begin behind `missing`.
  var isExact = false
  /// Whether the key ranges are single values.
  var areValues = false
  /// The bound behind the values that no comparison passes, nil and NaN: where ranges without a lower bound begin.
  var missing: Bound?

  package typealias EachHash = @Sendable (UnsafeRawPointer, ReadContext, (UInt64) -> Void) -> Void

  /// Words by their keys (K2).
  package struct Words: Sendable {
    /// The paths of the words in the properties, any of which may have one.
    package let properties: [PropertyPath]
    package var keys: [ClosedRange<UInt64>]
  }

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

extension Candidates.Bound {
  /// The bound behind nil and NaN, which come before all other values; nil for a type that has neither.
  fileprivate init?<Value>(behindMissing accessor: Accessor<Value>) {
    func hasNaN<V>(_: V.Type) -> Bool { V.self == Double.self || V.self == Float.self || V.self == Date.self }
    func ofOptional<O: OptionalValue>(_: O.Type) -> UInt64 { hasNaN(O.Wrapped.self) ? 1 << 63 : 0 }
    if let optional = Value.self as? any OptionalValue.Type {
      abbreviation = ofOptional(optional)
    } else if hasNaN(Value.self) {
      abbreviation = 1
    } else {
      return nil
    }
    isInclusive = false
    compare = { row, context in
      let value = accessor.read(row, context)
      return (value as? any OptionalValue)?.isNil ?? false || holdsNaN(value) ? 0 : 1
    }
  }
}

extension Candidates {
  /// - Parameters:
  ///   - values: the only values that can pass, if known.
  ///   - lower: with `upper`, the bounds of the values that can pass.
  ///   - isExact: whether all of these values pass, but for NaN, and nil between bounds.
  init<Value: Sendable>(
    _ path: PropertyPath, _ accessor: Accessor<Value>, equalTo values: [Value]? = nil,
    lower: ValueBound<Value>? = nil, upper: ValueBound<Value>? = nil, isExact: Bool = false
  ) {
    let order = ValueOrder<Value>.ofType()
    let hash = ValueHash<Value>()
    self.path = path
    eachHash = nil
    let relation = Value.self as? any RelationValue.Type
    isByReference = relation.map { $0.cardinality != .many } ?? false
    isConsistent = order?.isConsistent ?? (relation != nil)
    areValues = values != nil
    if isExact, let order, order.isConsistent {
      self.isExact = !(values ?? [lower, upper].compactMap { $0?.value }).contains(where: holdsNaN)
      missing = Bound(behindMissing: accessor)
    }
    if let order { abbreviate = { order.abbreviate(accessor.read($0, $1)) } } else { abbreviate = nil }
    if let hash { self.hash = { hash(accessor.read($0, $1)) } } else { self.hash = nil }
    self.hashes = hash.flatMap { hash in values?.map { hash($0) } }
    self.keyRanges = order.map { order in
      func bound(_ bound: ValueBound<Value>) -> Bound {
        let (value, isInclusive) =
          switch bound {
          case .inclusive(let value): (value, true)
          case .exclusive(let value): (value, false)
          }
        return Bound(
          abbreviation: order.abbreviate(value), isInclusive: isInclusive,
          compare: { order.compare(accessor.read($0, $1), value) })
      }
      if let values {
        return values.map { KeyRange(lower: bound(.inclusive($0)), upper: bound(.inclusive($0))) }
      }
      return [KeyRange(lower: lower.map(bound), upper: upper.map(bound))]
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

  /// Rows with a word whose key is one of these.
  init(_ path: PropertyPath, _ text: SearchedText, keys: ClosedRange<UInt64>) {
    self.path = path
    isByReference = false
    isConsistent = text.isConsistent
    keyRanges = nil
    hashes = keys.lowerBound == keys.upperBound ? [keys.lowerBound] : nil
    abbreviate = nil
    hash = nil
    words = Words(properties: text.properties, keys: [keys])
    let readers = text.readers
    eachHash = { row, context, body in
      for read in readers { read(row, context) { $0.forEachWordKey(body) } }
    }
  }
}
