/// A small regular expression, with a bit for each state that consumes a scalar (Glushkov, "The Abstract
/// Theory of Automata", 1961). It matches as `RegularMatcher` does, without memory of its own for each text.
///
/// Assertions that hold only at the beginning or at the end of a text can be decided beforehand. `$` is such
/// an assertion where the text does not end with a line break.
struct RegularBits: Sendable {
  /// The states that can consume the first scalar.
  private let first: UInt64
  private let matchesEmpty: Bool
  /// For each state, the states that can consume the scalar after its own.
  private var following: [UInt64] = []
  /// The states that can consume the last scalar.
  private var last: UInt64 = 0
  /// For each ASCII scalar, the states that consume it.
  private var ascii = [UInt64](repeating: 0, count: 128)
  /// For each other scalar of a literal, the states that consume it.
  private var literals: [UInt32: UInt64] = [:]
  private var classes: [(set: ScalarSet, states: UInt64)] = []
  private let hasLineEnd: Bool

  /// How many states a program may have: from each state that consumes a scalar, all are followed.
  private static let maximumStates = 256

  /// Nil if the program has too many states, or assertions that depend on more of a text than its ends.
  init?(_ states: [RegularState], _ sets: [ScalarSet]) {
    if states.count > Self.maximumStates { return nil }
    var takers: [Int] = []
    var hasLineEnd = false
    for (index, state) in states.enumerated() {
      switch state {
      case .scalar, .set: takers.append(index)
      case .assertion(.textStart), .assertion(.textEnd): break
      case .assertion(.lastLineEnd): hasLineEnd = true
      case .assertion: return nil
      default: break
      }
      if takers.count > 64 { return nil }
    }
    self.hasLineEnd = hasLineEnd
    var walk = RegularClosure(states, takers)
    func closure(_ state: Int, atStart: Bool, atEnd: Bool) -> (states: UInt64, isEnd: Bool) {
      walk.closure(of: state, atStart: atStart, atEnd: atEnd)
    }
    first = closure(0, atStart: true, atEnd: false).states
    matchesEmpty = closure(0, atStart: true, atEnd: true).isEnd
    for (bit, taker) in takers.enumerated() {
      following.append(closure(taker + 1, atStart: false, atEnd: false).states)
      if closure(taker + 1, atStart: false, atEnd: true).isEnd { last |= 1 << bit }
    }
    addTakers(takers.map { states[$0] }, sets)
  }

  private mutating func addTakers(_ takers: [RegularState], _ sets: [ScalarSet]) {
    var users: [Int32: UInt64] = [:]
    for (bit, taker) in takers.enumerated() {
      switch taker {
      case .scalar(let value) where value < 0x80: ascii[Int(value)] |= 1 << bit
      case .scalar(let value): literals[value, default: 0] |= 1 << bit
      case .set(let set): users[set, default: 0] |= 1 << bit
      default: break
      }
    }
    classes = users.map { (sets[Int($0.key)], $0.value) }
    for value in ascii.indices {
      for (set, states) in classes where set.containsASCII(UInt32(value)) { ascii[value] |= states }
    }
  }

  /// Whether the text matches; nil if that must be decided by `RegularMatcher`.
  ///
  /// - Parameter maximumSteps: after how many steps it gives up, and returns false.
  func matches(
    _ text: some BidirectionalCollection<UInt32>, _ steps: inout Int, maximumSteps: Int
  ) -> Bool? {
    if hasLineEnd, let last = text.last, RegularAssertion.isLineBreak(last) { return nil }
    if text.isEmpty { return matchesEmpty }
    var active = first
    var taken: UInt64 = 0
    for value in text {
      taken = active & takers(of: value, active, &steps)
      if taken == 0 || steps > maximumSteps { return false }
      active = 0
      var rest = taken
      while rest != 0 {
        active |= following[rest.trailingZeroBitCount]
        rest &= rest - 1
        steps += 1
      }
    }
    return taken & last != 0
  }

  private func takers(of value: UInt32, _ active: UInt64, _ steps: inout Int) -> UInt64 {
    if value < 0x80 { return ascii[Int(value)] }
    var result = literals[value] ?? 0
    for (set, states) in classes where states & active != 0 {
      steps += set.steps
      if set.contains(value) { result |= states }
    }
    return result
  }
}

/// Follows the states of a program that consume no scalar.
private struct RegularClosure {
  private let states: [RegularState]
  /// For each state that consumes a scalar, its bit; 0 for others.
  private var bits: [UInt64]
  /// For each state, the last walk that reached it.
  private var walks: [Int]
  private var walk = 0
  private var waiting: [Int] = []

  /// - Parameter takers: the states that consume a scalar, in the order of their bits.
  init(_ states: [RegularState], _ takers: [Int]) {
    self.states = states
    bits = [UInt64](repeating: 0, count: states.count)
    walks = [Int](repeating: 0, count: states.count)
    for (bit, taker) in takers.enumerated() { bits[taker] = 1 << bit }
  }

  /// The scalar-consuming states reached from a state without consuming one, and whether the end is reached.
  mutating func closure(of state: Int, atStart: Bool, atEnd: Bool) -> (states: UInt64, isEnd: Bool) {
    var (result, isEnd): (UInt64, Bool) = (0, false)
    walk += 1
    reach(state)
    while let state = waiting.popLast() {
      switch states[state] {
      case .scalar, .set: result |= bits[state]
      case .end: isEnd = true
      case .jump(let distance): reach(state + Int(distance))
      case .split(let distance):
        reach(state + 1)
        reach(state + Int(distance))
      case .assertion(.textStart): if atStart { reach(state + 1) }
      case .assertion: if atEnd { reach(state + 1) }
      }
    }
    return (result, isEnd)
  }

  private mutating func reach(_ state: Int) {
    if walks[state] == walk { return }
    walks[state] = walk
    waiting.append(state)
  }
}
