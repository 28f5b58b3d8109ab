/// Joins the simplified members of a conjunction, or of alternatives, to fewer (Q5).
///
/// Members stay in the order in which they were written. A merged member stands where its first part stood.
struct JunctionSimplifier {
  private enum Member {
    case filter(ConditionTree)
    /// Conditions of one path, by their number.
    case group(Int)
  }

  /// Conditions of one path that can be merged.
  fileprivate struct Group {
    var tests: [MembershipTest] = []
    /// Bounds of the values; only in a conjunction.
    var bounds: [Condition] = []
  }

  private let isConjunction: Bool
  private var members: [Member] = []
  private var groups: [Group] = []
  private var places: [Term: Int] = [:]
  private var known: Set<ConditionTree> = []

  init(isConjunction: Bool) { self.isConjunction = isConjunction }

  /// Adds a simplified member; false if it decides the answer for all rows.
  mutating func add(_ member: ConditionTree) -> Bool {
    switch member {
    case .constant(let answer): return answer == isConjunction
    case .all(let inner) where isConjunction, .any(let inner) where !isConjunction:
      for member in inner where !add(member) { return false }
      return true
    default: break
    }
    if let test = MembershipTest(member), test.isKnown || !isConjunction && !test.isExcluding {
      group(of: test.path) { $0.tests.append(test) }
      return true
    }
    if member.hasKnownEquality {
      if !known.insert(member).inserted { return true }
      if !member.hasClosure, known.contains(member.complement) { return false }
    }
    if isConjunction, case .condition(let condition) = member, let path = condition.boundedPath {
      group(of: path) { $0.bounds.append(condition) }
    } else {
      members.append(.filter(member))
    }
    return true
  }

  private mutating func group(of path: Term, _ change: (inout Group) -> Void) {
    let place = places[path] ?? groups.count
    if place == groups.count {
      places[path] = place
      groups.append(Group())
      members.append(.group(place))
    }
    change(&groups[place])
  }
}

extension JunctionSimplifier {
  /// The joined filter.
  var filter: ConditionTree {
    var filters: [ConditionTree] = []
    for member in members {
      switch member {
      case .filter(let filter): filters.append(filter)
      case .group(let place):
        for filter in isConjunction ? groups[place].conjuncts : groups[place].alternatives {
          if filter == .constant(!isConjunction) { return filter }
          if filter != .constant(isConjunction) { filters.append(filter) }
        }
      }
    }
    // Closures and predicates are given the same rows, whatever index or route is used.
    if isConjunction { filters = filters.filter { !$0.isOpaque } + filters.filter(\.isOpaque) }
    return switch filters.count {
    case 0: .constant(isConjunction)
    case 1: filters[0]
    default: isConjunction ? .all(filters) : .any(filters)
    }
  }
}

extension JunctionSimplifier.Group {
  /// Fewer filters whose conjunction passes the same rows.
  fileprivate var conjuncts: [ConditionTree] {
    guard let bounds = bounds.intersection else { return [.constant(false)] }
    let ranges = bounds.map { ConditionTree.condition($0) }
    if tests.isEmpty { return ranges }
    var (values, isExcluding) = MembershipTest.joined(tests, isConjunction: true)
    var isDecided = !isExcluding
    if !isExcluding {
      values = values.filter { value in
        let answers = bounds.map { $0.admits(value) }
        if answers.contains(nil) { isDecided = false }
        return !answers.contains(false)
      }
    }
    let filter = MembershipTest.filter(values, isExcluding: isExcluding, of: tests)
    return (isDecided ? [] : ranges) + (filter.map { [$0] } ?? tests.map(\.filter))
  }

  /// Fewer filters whose disjunction passes the same rows.
  fileprivate var alternatives: [ConditionTree] {
    let (values, isExcluding) = MembershipTest.joined(tests, isConjunction: false)
    // More values are looked up by their hash, which may be inconsistent with their equality.
    let canBeJoined =
      tests.count == 1 || tests[0].isKnown || values.count <= maximumComparedValues
    let filter = canBeJoined ? MembershipTest.filter(values, isExcluding: isExcluding, of: tests) : nil
    return filter.map { [$0] } ?? tests.map(\.filter)
  }
}
