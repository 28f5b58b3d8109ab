extension RandomAccessCollection where Index == Int {
  /// The first position whose element fails a test, which exactly the elements before it pass.
  ///
  /// - Complexity: O(log `count`).
  @inline(__always)
  func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [ClosedRange<UInt32>] {
  /// Whether a value is in one of the ranges, which are ascending and do not overlap.
  func cover(_ value: UInt32) -> Bool {
    let index = partitionPoint { $0.upperBound < value }
    return index < count && self[index].lowerBound <= value
  }
}
