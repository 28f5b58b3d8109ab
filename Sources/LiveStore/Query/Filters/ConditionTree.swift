// Filters and results.
//
// A filter is a tree of conditions. Each condition has three parts: its form (for equality, hashing and
// printing), a function that tests up to 64 neighbouring rows at once and returns a bit for each, and its
// candidates: the values that can pass, as key ranges or as equality keys (hashes). The function is made
// where the filter is written, in the user's module, so that its loop is compiled for the property's type
// and offset; a leaf costs one call. The candidates serve the planner (rank ranges of an index) and the
// router.
//
// - **Q1** Candidates are a superset: a row that passes has a value among them. The filter is always tested
//   again.
// - **Q2** Equal filters give equal results in equal states; a closure equals only itself.
// - **Q3** The order of a result is total: by its keys, then by row number, or for entries of a list by
//   their position in it, whatever the direction of the keys.
// - **Q4** A page begins behind a position (`RowPosition`): values of the sort keys, and a row number for
//   ties. It does not refer to a row, so it stays where it is when rows come, go or move, and it can be
//   searched for in the table, in an index in the order of the sort, and in an evaluated result. A page of
//   the first two is collected from there on; any other needs the whole result, or all rows that pass and
//   are behind the position. A cursor (`PageCursor`) holds the values as JSON, and the sort as text, to be
//   compared with the next query's. It is encoded with the values as texts, since coders round numbers.
// - **Q5** A filter is simplified once, when it becomes part of a query or a condition on linked objects or
//   elements (`ConditionTree.simplified`); `&&` and `||` only collect. So a query's stages hold simplified
//   filters alone, and planner, router, keys of live results, `==`, text and SQL all see the same. Bounds of
//   one path become one range (`ConditionTree+Ranges`), so an index is searched between both. Equalities of
//   one path become one list, which is intersected, reduced by exclusions, or tested against the bounds
//   (`JunctionSimplifier`, `MembershipTest`). A contradiction passes nothing, and no commit is routed to it.
//   Linked values that only omitted conditions name change the rows all the same, so the stage tracks them;
//   only a filter that no row passes names nothing. Members stay in the order in which they were written, but
//   `==` and hashes do not depend on it, nor on the order of a list. Closures come last, in their order. A
//   `Filter` stores its parts as they were joined and is simplified where it is compared or shown: ten
//   thousand `||` are one list, made once.
// - **Q6** A simplified filter passes the same rows. Two constants are compared only where equality, hash
//   and order are known to be consistent: in types of the standard library and Foundation, and in
//   enumerations whose listed cases equal themselves alone (`KnownEquality`). Of all other types, up to
//   eight alternatives become a list, which is tested by the same `==`, and nothing else is merged. NaN is
//   a value that no row has, and no bound; nil is within no bounds; values of two types of JSON have no
//   order.
//
// Alternatives (`||`) over one property have the union of their candidates, so they are planned and routed
// as one.

/// Tests up to 64 rows at once: bit i of the result is set if the row at `base + i * stride` passes.
@usableFromInline
package typealias RowMask =
  @Sendable (
    _ base: UnsafeRawPointer, _ stride: Int, _ count: Int, _ context: ReadContext
  ) -> UInt64

/// A filter as a value: conditions joined by and, or, not (Q2).
///
/// Joins are flat (`a && b && c` is one node of three), so long chains need no deep recursion. Deeper nesting becomes
/// a `FilterProgram`. Joining does no more than that: a filter is simplified once, when it is complete (Q5).
@usableFromInline
package indirect enum ConditionTree: Hashable, Sendable {
  case constant(Bool)
  case condition(Condition)
  case all([ConditionTree])
  case any([ConditionTree])
  case not(ConditionTree)
}

extension ConditionTree {
  /// The filter of rows that pass all of some filters.
  static func all(of filters: [ConditionTree]) -> ConditionTree {
    let members = filters.flatMap { filter in
      if case .all(let inner) = filter { inner } else { filter == .constant(true) ? [] : [filter.asMember] }
    }
    if members.contains(.constant(false)) { return .constant(false) }
    return members.isEmpty ? .constant(true) : members.count == 1 ? members[0] : .all(members)
  }

  /// The filter of rows that pass at least one of some filters.
  static func any(of filters: [ConditionTree]) -> ConditionTree {
    let members = filters.flatMap { filter in
      if case .any(let inner) = filter { inner } else { filter == .constant(false) ? [] : [filter.asMember] }
    }
    if members.contains(.constant(true)) { return .constant(true) }
    return members.isEmpty ? .constant(false) : members.count == 1 ? members[0] : .any(members)
  }

  @usableFromInline
  package func and(_ other: ConditionTree) -> ConditionTree {
    switch (self, other) {
    case (.constant(true), let rest), (let rest, .constant(true)): rest
    case (.constant(false), _), (_, .constant(false)): .constant(false)
    case (.all(let left), .all(let right)): .all(left + right)
    case (.all(let left), _): .all(left + [other.asMember])
    case (_, .all(let right)): .all([asMember] + right)
    default: .all([asMember, other.asMember])
    }
  }

  @usableFromInline
  package func or(_ other: ConditionTree) -> ConditionTree {
    switch (self, other) {
    case (.constant(false), let rest), (let rest, .constant(false)): rest
    case (.constant(true), _), (_, .constant(true)): .constant(true)
    case (.any(let left), .any(let right)): .any(left + right)
    case (.any(let left), _): .any(left + [other.asMember])
    case (_, .any(let right)): .any([asMember] + right)
    default: .any([asMember, other.asMember])
    }
  }

  @usableFromInline
  package var negated: ConditionTree {
    switch self {
    case .constant(let value): .constant(!value)
    case .not(let inner): inner
    default: .not(asMember)
    }
  }

  /// Whether all conditions are known to be consistent.
  var isConsistent: Bool {
    switch self {
    case .constant: true
    case .condition(let condition): condition.isConsistent
    case .all(let filters), .any(let filters): filters.allSatisfy(\.isConsistent)
    case .not(let filter): filter.isConsistent
    }
  }

  /// Whether looking up candidates runs no code of users: their types are the standard library's or
  /// Foundation's.
  var hasKnownCandidates: Bool {
    switch self {
    case .constant, .not: true
    case .condition(let condition):
      condition.allCandidates.allSatisfy { $0.isConsistent && !$0.isByReference && $0.eachHash == nil }
    case .all(let filters), .any(let filters): filters.allSatisfy(\.hasKnownCandidates)
    }
  }

  /// The conditions that every matching row meets: the filter itself, or the members of its conjunction.
  package var conjuncts: [ConditionTree] {
    switch self {
    case .constant(true): []
    case .all(let filters): filters
    default: [self]
    }
  }
}

extension ConditionTree {
  /// The mask of the rows that pass.
  package func mask(
    _ base: UnsafeRawPointer, _ stride: Int, _ count: Int, _ context: ReadContext
  ) -> UInt64 {
    let every = every(count)
    switch self {
    case .constant(let value):
      return value ? every : 0
    case .condition(let condition):
      return condition.mask(base, stride, count, context)
    case .all(let filters):
      var result = every
      for filter in filters where result != 0 {
        result &=
          filter.isOpaque && result != every
          ? filter.mask(of: result, base, stride, context) : filter.mask(base, stride, count, context)
      }
      return result
    case .any(let filters):
      var result: UInt64 = 0
      for filter in filters where result != every { result |= filter.mask(base, stride, count, context) }
      return result
    case .not(let filter):
      return every & ~filter.mask(base, stride, count, context)
    }
  }

  /// The mask of some rows that pass; no other row is tested.
  private func mask(
    of rows: UInt64, _ base: UnsafeRawPointer, _ stride: Int, _ context: ReadContext
  ) -> UInt64 {
    var (rest, result) = (rows, UInt64(0))
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      if mask(base + index * stride, stride, 1, context) != 0 { result |= 1 << UInt64(index) }
      rest &= rest - 1
    }
    return result
  }

  /// Whether it is a closure or a predicate, which are only given rows that meet the expressions before them.
  var isOpaque: Bool {
    if case .condition(let condition) = self { condition.term.isOpaque } else { false }
  }

  /// The same as a function, for loops: made of the conditions' own functions, so that a block of rows is tested
  /// without going through the tree.
  package var rowMask: RowMask {
    switch self {
    case .condition(let condition): return condition.mask
    case .all(let filters) where !filters.isEmpty && !filters.contains(where: \.isOpaque):
      return joinedMasks(filters.map(\.rowMask)[...]) { left, right in
        { base, stride, count, context in
          let bits = left(base, stride, count, context)
          return bits == 0 || !context.goesOn() ? 0 : bits & right(base, stride, count, context)
        }
      }
    case .any(let filters) where !filters.isEmpty:
      return joinedMasks(filters.map(\.rowMask)[...]) { left, right in
        { base, stride, count, context in
          let bits = left(base, stride, count, context)
          return bits == every(count) || !context.goesOn()
            ? bits : bits | right(base, stride, count, context)
        }
      }
    case .not(let filter):
      let mask = filter.rowMask
      return { base, stride, count, context in every(count) & ~mask(base, stride, count, context) }
    case .constant, .all, .any:
      return { self.mask($0, $1, $2, $3) }
    }
  }

  /// Whether the row passes.
  @usableFromInline
  package func matches(_ row: UnsafeRawPointer, _ context: ReadContext) -> Bool {
    mask(row, 0, 1, context) != 0
  }
}

/// Joins masks in pairs, so that calls are nested no deeper than the logarithm of their number.
private func joinedMasks(
  _ masks: ArraySlice<RowMask>, _ join: (@escaping RowMask, @escaping RowMask) -> RowMask
)
  -> RowMask
{
  if masks.count == 1 { return masks[masks.startIndex] }
  let middle = masks.startIndex + masks.count / 2
  return join(joinedMasks(masks[..<middle], join), joinedMasks(masks[middle...], join))
}

/// The bits of this many rows, up to 64.
private func every(_ count: Int) -> UInt64 { count == 64 ? .max : (1 << UInt64(count)) - 1 }

extension ConditionTree: CustomStringConvertible {
  /// The meaning of the filter.
  package var term: Term {
    switch self {
    case .constant(let answer): .constant(Constant(answer))
    case .condition(let condition): condition.term
    case .all(let filters): .all(TermMembers(terms: filters.map(\.term), isConjunction: true))
    case .any(let filters): .any(TermMembers(terms: filters.map(\.term), isConjunction: false))
    case .not(let filter): .not(filter.term)
    }
  }

  @usableFromInline
  package var description: String { term.description }
}
