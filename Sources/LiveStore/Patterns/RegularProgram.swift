/// One state of a regular expression. Targets are relative to it, so that a part can be copied.
enum RegularState: Sendable {
  /// Consumes the scalar, then goes to the next state.
  case scalar(UInt32)
  /// Consumes a scalar of the set with this number, then goes to the next state.
  case set(Int32)
  /// Goes to the next state if the assertion holds.
  case assertion(RegularAssertion)
  /// Goes to the next state and to the target.
  case split(Int32)
  /// Goes to the target.
  case jump(Int32)
  /// The pattern matches the consumed scalars.
  case end
}

/// The states of a part of a regular expression: entered at the first, left behind the last.
struct RegularPart: Sendable {
  private(set) var states: [RegularState] = []

  var count: Int { states.count }

  mutating func append(_ state: RegularState) { states.append(state) }

  mutating func append(_ part: RegularPart) { states += part.states }

  /// Any of the parts, of which there is at least one.
  ///
  /// - Complexity: O(states of all parts).
  static func any(of parts: [RegularPart]) -> RegularPart {
    var result = RegularPart()
    let size = parts.reduce(0) { $0 + $1.count + 2 } - 2
    for part in parts {
      let isLast = result.count + part.count == size
      if !isLast { result.append(.split(Int32(part.count + 2))) }
      result.append(part)
      if !isLast { result.append(.jump(Int32(size - result.count))) }
    }
    return result
  }

  /// The part or nothing.
  var optional: RegularPart {
    var result = RegularPart()
    result.append(.split(Int32(count + 1)))
    result.append(self)
    return result
  }

  /// The part any number of times.
  var anyNumber: RegularPart {
    var result = RegularPart()
    result.append(.split(Int32(count + 2)))
    result.append(self)
    result.append(.jump(Int32(-count - 1)))
    return result
  }

  /// The part a number of times; without an upper bound if `maximum` is nil. It is nil if it would have more than
  /// `limit` states.
  func repeated(_ minimum: Int, _ maximum: Int?, limit: Int) -> RegularPart? {
    if states.isEmpty { return self }
    let size = (count + 1).multipliedReportingOverflow(by: Swift.max(minimum, maximum ?? minimum + 1))
    guard !size.overflow, size.partialValue <= limit else { return nil }
    var result = RegularPart()
    for _ in 0..<minimum { result.append(self) }
    guard let maximum else {
      result.append(anyNumber)
      return result
    }
    let optional = optional
    for _ in minimum..<maximum { result.append(optional) }
    return result
  }
}

/// A whole regular expression.
struct RegularProgram: Sendable {
  let states: [RegularState]
  let sets: [ScalarSet]
  /// The program as bits, if it is small and simple.
  private let bits: RegularBits?

  init(states: [RegularState], sets: [ScalarSet]) {
    self.states = states
    self.sets = sets
    bits = RegularBits(states, sets)
  }

  /// - Parameter maximumSteps: after how many steps it gives up, and returns false.
  func matches<Text: RandomAccessCollection<UInt32>>(_ text: Text, _ steps: inout Int, maximumSteps: Int)
    -> Bool
  where Text.Index == Int {
    if let answer = bits?.matches(text, &steps, maximumSteps: maximumSteps) { return answer }
    var matcher = RegularMatcher(program: self, text: text, maximumSteps: maximumSteps)
    defer { steps += matcher.steps }
    return matcher.matches()
  }
}
