// What the evaluation of a term costs.

extension Term {
  /// Whether evaluating it takes a run that is limited, or that remembers answers: it matches patterns, compares at run time,
  /// or tests linked objects by their own links.
  var needsRun: Bool {
    switch self {
    case .text(_, .matches, _, _), .text(_, .like, _, _), .general: true
    case .pair(_, let relation, _): relation.operator == .matches || relation.operator == .like
    case .some(let objects, let condition), .filtered(let objects, let condition):
      objects.needsRun || condition.needsRun || condition.readsManyLinked
    default: anyPart(\.needsRun)
    }
  }

  /// Whether some condition in it follows links to several objects.
  private var readsManyLinked: Bool {
    switch self {
    case .all, .any, .not, .program: anyPart(\.readsManyLinked)
    default: readsSeveral && followsLinks
    }
  }

  /// Whether it is about several objects, where it follows links.
  var readsSeveral: Bool {
    switch self {
    case .some, .general, .contains, .link, .search, .closure, .predicate, .filtered, .values, .aggregate,
      .function, .relevance, .linking:
      true
    default: anyPart(\.readsSeveral)
    }
  }
}

extension Term {
  /// How many conditions and operations there are, with those on linked objects and elements.
  var partCount: Int {
    var count = ownPartCount
    _ = anyPart { part in
      count += part.partCount
      return false
    }
    return count
  }

  private var ownPartCount: Int {
    switch self {
    // Each of these folds, searches or splits a short text.
    case .text(_, .contains, _, _), .text(_, .like, _, _), .text(_, .matches, _, _), .search: 8
    case .text(_, _, _, let options): options.isEmpty ? 1 : 8
    // Numbers are compared by their decimals; a text becomes a pattern for each row.
    case .pair: 16
    // Each step to its values is one at run time, and long constants are compared with each of them.
    case .general(let left, _, let right): 8 + (left.size + right.size) / 2
    case .some, .compare, .compareTerms, .range, .member, .link, .contains, .predicate, .closure, .operation,
      .aggregate:
      1
    default: 0
    }
  }
}

extension Term {
  /// How many values are computed for it, those of conditions on linked objects and elements included. What is read of
  /// rows counts as visits of these.
  private var size: Int {
    var size = 1
    switch self {
    case .constant(let value): size = value.size
    case .row, .element, .property, .target, .linking: size = 0
    default: break
    }
    _ = anyPart { part in
      size += part.size
      return false
    }
    return size
  }
}
