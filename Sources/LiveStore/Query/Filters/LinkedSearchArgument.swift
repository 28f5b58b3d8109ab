/// The objects at the end of links. A row that passes the condition leads to one of them (Q10).
package struct LinkedSearchArgument: Sendable {
  /// The links from the row to the objects; not empty.
  let hops: [LinkStep]
  let objects: Objects

  /// What is known of the objects.
  enum Objects: Sendable {
    /// The value at a path is one of some constants, none of them nil.
    case equal(Term, [Constant])
    /// The value at a path is between bounds.
    case between(Term, ValueBound<Constant>?, ValueBound<Constant>?)
    /// They meet a condition.
    case condition(ConditionTree)
  }
}

extension Expr {
  /// The candidates among the objects that this value is read from, for a condition that nil does not meet.
  func linkedCandidates(_ objects: (Term) -> LinkedSearchArgument.Objects?) -> LinkedSearchArgument? {
    guard isNilWithoutObject, case .property(let rows, let path) = term, let place = rows.place,
      place.level == 0, !place.hops.isEmpty, let objects = objects(.property(.row(0), path))
    else { return nil }
    return LinkedSearchArgument(hops: place.hops, objects: objects)
  }
}

extension LinkedSearchArgument {
  /// The candidates between bounds, each of which is taken from one of two conditions on one path.
  static func between(
    lowerOf first: LinkedSearchArgument?, upperOf second: LinkedSearchArgument?
  ) -> LinkedSearchArgument? {
    guard let first, case .between(let path, let lower, _) = first.objects,
      case .between(_, _, let upper)? = second?.objects
    else { return nil }
    return LinkedSearchArgument(hops: first.hops, objects: .between(path, lower, upper))
  }
}
