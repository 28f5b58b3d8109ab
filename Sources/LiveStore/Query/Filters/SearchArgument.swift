/// The values of one path that can pass a condition. Every row that passes has such a value; not every row with such
/// a value passes (Q1).
///
/// The hashes are the value's or, if `eachHash` is set, those of its elements or ids; one of them leads to
/// the row.
package struct SearchArgument: Sendable {
  /// The part that depends on the values' property alone, not on the condition.
  private let values: SearchedValues
  /// Key ranges in the values' order, if they have one.
  package var keyRanges: [KeyRange]?
  /// Equality keys: hashes of the only values that can pass, if they are few and hashable.
  package var hashes: [UInt64]?
  /// The words of a text that can pass; their keys are its hashes, too, if they are few.
  package var words: Words?
  /// Whether every row with such a value passes, so that these rows need not be tested.
  var isExact = false
  /// Whether the key ranges are single values.
  var areValues = false
  /// Whether ranges without a lower bound begin behind the values that no comparison passes.
  var isBehindMissing = false

  package typealias EachHash = @Sendable (UnsafeRawPointer, ReadContext, (UInt64) -> Void) -> Void

  /// Words by their keys (K2).
  package struct Words: Sendable {
    /// The paths of the words in the properties, any of which may have one.
    package let properties: [Term]
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

  init(_ values: SearchedValues, hashes: [UInt64]? = nil) {
    self.values = values
    self.hashes = hashes
  }
}

extension SearchArgument {
  package var path: Term { values.path }
  /// Whether the hashes are those of the ids that the value refers to, as in an index of links.
  package var isByReference: Bool { values.isByReference }
  /// Whether equality, order and hashes of the values are known to be consistent.
  var isConsistent: Bool { values.isConsistent }
  /// The abbreviation of a row's value.
  package var abbreviate: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)? { values.abbreviate }
  /// The hash of a row's value; nil also if a row has several.
  package var hash: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)? { values.hash }
  /// Calls a body with each of the hashes of a row that has several.
  package var eachHash: EachHash? { values.eachHash }
  /// The bound behind nil and NaN, which no comparison passes: where ranges without a lower bound begin.
  var missing: Bound? { isBehindMissing ? values.missing : nil }
}

/// The part of candidates that depends on their property alone, not on the condition. An object, so that
/// copying candidates copies a reference.
final class SearchedValues: Sendable {
  let path: Term
  let isByReference: Bool
  let isConsistent: Bool
  let abbreviate: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
  let hash: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
  let eachHash: SearchArgument.EachHash?
  let missing: SearchArgument.Bound?

  init(
    _ path: Term, isByReference: Bool = false, isConsistent: Bool,
    abbreviate: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)? = nil,
    hash: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)? = nil,
    eachHash: SearchArgument.EachHash? = nil, missing: SearchArgument.Bound? = nil
  ) {
    self.path = path
    self.isByReference = isByReference
    self.isConsistent = isConsistent
    self.abbreviate = abbreviate
    self.hash = hash
    self.eachHash = eachHash
    self.missing = missing
  }
}

extension SearchArgument {
  /// Rows whose value holds an element; nil where elements have no hash.
  init?<Value: ElementCollection>(
    _ path: Term, _ accessor: Accessor<Value>, holding element: Value.Member
  ) {
    guard let hash = ValueHash<Value.Member>() else { return nil }
    let values = SearchedValues(
      path, isConsistent: ElementFunctions.haveConsistentHash(Value.Member.self),
      eachHash: { row, context, body in
        accessor.read(row, context).forEachMemberInFilter { body(hash($0)) }
      })
    self.init(values, hashes: [hash(element)])
  }

  /// Rows that link to a target.
  init<Value: RelationValue>(_ path: Term, _ accessor: Accessor<Value>, linkingTo hash: UInt64) {
    let values = SearchedValues(
      path, isByReference: true, isConsistent: true,
      eachHash: { row, context, body in
        accessor.read(row, context).forEachReference { body(idHash($0.id)) }
      })
    self.init(values, hashes: [hash])
  }

  /// Rows with a word whose key is one of these.
  init(_ path: Term, _ text: SearchedText, keys: ClosedRange<UInt64>) {
    let readers = text.readers
    let values = SearchedValues(
      path, isConsistent: text.isConsistent,
      eachHash: { row, context, body in
        for read in readers { read(row, context) { $0.forEachWordKey(body) } }
      })
    self.init(values, hashes: keys.lowerBound == keys.upperBound ? [keys.lowerBound] : nil)
    words = Words(properties: text.properties, keys: [keys])
  }
}
