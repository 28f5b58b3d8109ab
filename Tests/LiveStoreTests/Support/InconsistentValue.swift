import Synchronization

/// How a value breaks the laws of `==`, `<` or hashes.
enum Inconsistency: String, CaseIterable, Sendable {
  /// `<=` for `<`, the most usual mistake.
  case lessOrEqual
  case alwaysLess
  case neverLess
  /// Each of three is less than the next.
  case cyclic
  /// Another answer each time.
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

  private static let whims = Mutex(SplitMix(1))

  private struct SplitMix {
    var state: UInt64
    init(_ state: UInt64) { self.state = state }

    mutating func next() -> Bool {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 40 & 1 == 1
    }
  }

  static func < (lhs: InconsistentValue, rhs: InconsistentValue) -> Bool {
    switch lhs.inconsistency ?? rhs.inconsistency {
    case .lessOrEqual: lhs.number <= rhs.number
    case .alwaysLess: true
    case .neverLess: false
    case .cyclic: (rhs.number - lhs.number) %% 3 == 1
    case .whimsical: whims.withLock { $0.next() }
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
