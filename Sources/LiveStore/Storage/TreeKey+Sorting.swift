// Sorting keys that are inserted at once.

extension ContiguousArray<TreeKey> {
  /// Sorts keys whose second words ascend by their first words, and where these are equal by the second.
  ///
  /// - Complexity: O(`count`). A million scattered words take a quarter of the time of `sort`.
  package mutating func sortByWords() {
    if zip(self, dropFirst()).allSatisfy({ $0.first <= $1.first }) { return }
    if count < 128 {
      sort { $0.first != $1.first ? $0.first < $1.first : $0.second < $1.second }
    } else {
      sortByDigits()
    }
  }

  /// By one byte after the other, from the lowest to the highest, without those that all keys have in common. Each
  /// step leaves keys of one digit in their order.
  private mutating func sortByDigits() {
    var starts = digitCounts()
    var target = ContiguousArray(repeating: TreeKey(0, 0), count: count)
    for digit in 0..<8 {
      let shift = UInt64(digit * 8)
      let table = digit * 256
      if starts[table + Int(self[0].first >> shift & 255)] == count { continue }
      var sum = 0
      for value in table..<(table + 256) { (starts[value], sum) = (sum, sum + starts[value]) }
      withUnsafeBufferPointer { source in
        target.withUnsafeMutableBufferPointer { target in
          starts.withUnsafeMutableBufferPointer { starts in
            for key in source {
              let value = table &+ Int(truncatingIfNeeded: key.first &>> shift & 255)
              target[starts[value]] = key
              starts[value] &+= 1
            }
          }
        }
      }
      swap(&self, &target)
    }
  }

  /// How often each value of each byte of the first words occurs.
  private func digitCounts() -> [Int] {
    var counts = [Int](repeating: 0, count: 8 * 256)
    counts.withUnsafeMutableBufferPointer { counts in
      for key in self {
        var word = key.first
        for table in 0..<8 {
          counts[table &* 256 &+ Int(truncatingIfNeeded: word & 255)] &+= 1
          word &>>= 8
        }
      }
    }
    return counts
  }

  /// Sorts runs of equal first words by the values behind them, and equal values by their second words.
  ///
  /// - Parameter compare: compares the values behind two second words.
  package mutating func sortTies(_ compare: (UInt64, UInt64) -> Int) {
    var start = 0
    while start < count {
      var end = start + 1
      while end < count, self[end].first == self[start].first { end += 1 }
      if end - start > 1 {
        self[start..<end].sort { lhs, rhs in
          let sign = compare(lhs.second, rhs.second)
          return sign != 0 ? sign < 0 : lhs.second < rhs.second
        }
      }
      start = end
    }
  }

  /// Whether neighbours with equal first words are in the order of the values behind them.
  package func areTiesInOrder(_ compare: (UInt64, UInt64) -> Int) -> Bool {
    zip(self, dropFirst()).allSatisfy { lhs, rhs in
      if lhs.first != rhs.first { return true }
      let sign = compare(lhs.second, rhs.second)
      return sign < 0 || sign == 0 && lhs.second < rhs.second
    }
  }

  /// Removes keys that are equal to the one before.
  package mutating func removeRepetitions() {
    var last: TreeKey?
    removeAll { key in
      defer { last = key }
      return key == last
    }
  }
}
