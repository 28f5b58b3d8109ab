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
      radixSort { $0.first }
    }
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
