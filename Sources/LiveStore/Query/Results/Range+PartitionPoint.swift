extension Range<Int> {
  /// The first number for which a test does not hold, if it holds for all before that and for none behind; else the end.
  ///
  /// - Complexity: O(log *n*) tests.
  func partitionPoint(where isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
