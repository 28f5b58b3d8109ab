/// Matches one text, state by state (Thompson, "Regular Expression Search Algorithm", 1968): it has the set
/// of all states that the scalars so far can lead to, and reads each scalar of the text once.
///
/// A state is in the set at most once, so a scalar costs at most one step for each state of the program.
/// Membership in a class, and whether a word begins or ends, are tested at most once for each scalar.
struct RegularMatcher<Text: RandomAccessCollection<UInt32>> where Text.Index == Int {
  private let program: RegularProgram
  private let text: Text
  /// The states that consume the next scalar.
  private var active: [Int32] = []
  private var next: [Int32] = []
  /// For each state, the last place at which it was entered, plus one.
  private var entered: [Int]
  /// States to be entered at the current place.
  private var waiting: [Int32] = []
  private var isEnd = false
  /// For each set, its last answer for a scalar that is not ASCII: twice the place of that scalar plus one, plus one
  /// if it is a member.
  private var answers: [Int]
  /// The last place at which it was tested whether a word begins or ends, plus one; and the answer.
  private var boundary = (place: 0, isThere: false)
  /// How many states were entered, plus other work of the same duration.
  private(set) var steps: Int
  private let maximumSteps: Int

  /// - Parameter maximumSteps: after how many steps it gives up; it may take one scalar's steps more.
  init(program: RegularProgram, text: Text, maximumSteps: Int = .max) {
    self.program = program
    self.text = text
    self.maximumSteps = maximumSteps
    entered = [Int](repeating: 0, count: program.states.count)
    answers = [Int](repeating: 0, count: program.sets.count)
    // Allocating room for the states takes time, too.
    steps = (program.states.count + program.sets.count) / 8
  }

  /// - Returns: false also if it gives up.
  mutating func matches() -> Bool {
    enter(0, at: 0)
    for place in 0..<text.count {
      if steps > maximumSteps { return false }
      swap(&active, &next)
      if active.isEmpty { return false }
      next.removeAll(keepingCapacity: true)
      isEnd = false
      take(text[place], at: place)
    }
    return isEnd
  }

  private mutating func take(_ value: UInt32, at place: Int) {
    for state in active {
      switch program.states[Int(state)] {
      case .scalar(let expected) where expected == value: enter(state + 1, at: place + 1)
      case .set(let set) where isMember(value, at: place, of: Int(set)): enter(state + 1, at: place + 1)
      default: break
      }
    }
  }

  private mutating func isMember(_ value: UInt32, at place: Int, of set: Int) -> Bool {
    if value < 0x80 { return program.sets[set].containsASCII(value) }
    if answers[set] / 2 != place + 1 {
      steps += program.sets[set].steps
      answers[set] = (place + 1) * 2 + (program.sets[set].contains(value) ? 1 : 0)
    }
    return answers[set] % 2 == 1
  }

  private mutating func isWordBoundary(at place: Int) -> Bool {
    if boundary.place != place + 1 {
      boundary = (place + 1, RegularAssertion.isWordBoundary(text, place, &steps))
    }
    return boundary.isThere
  }

  /// Enters a state and all states that it leads to without consuming a scalar.
  private mutating func enter(_ first: Int32, at place: Int) {
    var state = first
    while true {
      if entered[Int(state)] != place + 1 {
        entered[Int(state)] = place + 1
        steps += 1
        switch program.states[Int(state)] {
        case .scalar, .set: next.append(state)
        case .end: isEnd = true
        case .jump(let distance):
          state += distance
          continue
        case .split(let distance):
          waiting.append(state + distance)
          state += 1
          continue
        case .assertion(let assertion):
          if assertion.holds(in: text, at: place, isWordBoundary: isWordBoundary(at: place)) {
            state += 1
            continue
          }
        }
      }
      guard let other = waiting.popLast() else { return }
      state = other
    }
  }
}
