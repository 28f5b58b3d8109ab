/// Keys to sort, with the memory for sorting, which is used again for the next keys.
package struct KeyBuffer {
  package var keys: ContiguousArray<TreeKey> = []
  /// Where a step of sorting puts the keys.
  private var target: ContiguousArray<TreeKey> = []

  package init() {}

  package mutating func removeAll() { keys.removeAll(keepingCapacity: true) }
}

extension KeyBuffer {
  /// Sorts keys whose second words ascend by their first words, and where these are equal by the second.
  ///
  /// - Complexity: O(*n*). A million scattered words take a quarter of the time of `sort`.
  package mutating func sortByWords() {
    if zip(keys, keys.dropFirst()).allSatisfy({ $0.first <= $1.first }) { return }
    if keys.count < 128 {
      keys.sort { $0.first != $1.first ? $0.first < $1.first : $0.second < $1.second }
    } else {
      keys.radixSort(through: &target) { $0.first }
    }
  }
}

extension KeyBuffer {
  /// Sorts runs of equal first words by the values behind them, and equal values by their second words.
  ///
  /// - Parameter compare: compares the values behind two second words.
  package mutating func sortTies(_ compare: (UInt64, UInt64) -> Int) {
    var start = 0
    while start < keys.count {
      var end = start + 1
      while end < keys.count, keys[end].first == keys[start].first { end += 1 }
      if end - start > 1 {
        keys[start..<end].sort { lhs, rhs in
          let sign = compare(lhs.second, rhs.second)
          return sign != 0 ? sign < 0 : lhs.second < rhs.second
        }
      }
      start = end
    }
  }

  /// Whether neighbours with equal first words are in the order of the values behind them.
  package func areTiesInOrder(_ compare: (UInt64, UInt64) -> Int) -> Bool {
    zip(keys, keys.dropFirst()).allSatisfy { lhs, rhs in
      if lhs.first != rhs.first { return true }
      let sign = compare(lhs.second, rhs.second)
      return sign < 0 || sign == 0 && lhs.second < rhs.second
    }
  }

  /// Removes keys that are equal to the one before.
  package mutating func removeRepetitions() {
    var last: TreeKey?
    keys.removeAll { key in
      defer { last = key }
      return key == last
    }
  }
}
