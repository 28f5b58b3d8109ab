import TestSupport

/// How a value breaks the laws of `==`, `<` or hashes.
enum Inconsistency: String, CaseIterable, Sendable {
  /// `<=` for `<`, the most usual mistake.
  case lessOrEqual
  case alwaysLess
  case neverLess
  /// Each of three is less than the next.
  case cyclic
  /// Any answer for each pair, in each direction.
  case whimsical
  case equalToAll
  case equalToNone
  /// Equal from the left alone.
  case equalOneWay
  /// Equal values of different hashes.
  case hashedApart
  case hashedAlike
}

/// A number whose order, equality or hash may be inconsistent when it meets another.
struct InconsistentValue: Comparable, Hashable, Sendable {
  var number: Int
  var inconsistency: Inconsistency?
  /// What `==` does not look at.
  var salt = 0

  /// A function of the pair alone, so that the answers that a test gets depend on no other test or thread.
  private static func whim(_ lhs: InconsistentValue, _ rhs: InconsistentValue) -> Bool {
    var seed = 0
    for part in [lhs.number, lhs.salt, rhs.number, rhs.salt] { seed = seed &* 1_000_003 &+ part }
    var random = SplitMix64(seed: UInt64(truncatingIfNeeded: seed))
    return random.chance(1, in: 2)
  }

  static func < (lhs: InconsistentValue, rhs: InconsistentValue) -> Bool {
    switch lhs.inconsistency ?? rhs.inconsistency {
    case .lessOrEqual: lhs.number <= rhs.number
    case .alwaysLess: true
    case .neverLess: false
    case .cyclic: (rhs.number - lhs.number) %% 3 == 1
    case .whimsical: whim(lhs, rhs)
    default: lhs.number < rhs.number
    }
  }

  static func == (lhs: InconsistentValue, rhs: InconsistentValue) -> Bool {
    switch lhs.inconsistency ?? rhs.inconsistency {
    case .equalToAll: true
    case .equalToNone: false
    case .equalOneWay: lhs.inconsistency != nil || lhs.number == rhs.number
    default: lhs.number == rhs.number
    }
  }

  func hash(into hasher: inout Hasher) {
    switch inconsistency {
    case .hashedApart: hasher.combine(salt)
    case .hashedAlike, .equalToAll: break
    default: hasher.combine(number)
    }
  }
}

infix operator %% : MultiplicationPrecedence

/// The remainder that is never negative.
private func %% (lhs: Int, rhs: Int) -> Int { (lhs % rhs + rhs) % rhs }
