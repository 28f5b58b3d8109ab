extension ContiguousArray where Element: BitwiseCopyable {
  /// Sorts by a word of each element; elements of equal words keep their order.
  ///
  /// From the least significant digit of eleven bits to the most significant, leaving out digits in which all words
  /// are equal. (Radix sort, after Herman Hollerith.)
  ///
  /// - Complexity: O(`count`).
  @inline(__always)
  mutating func radixSort(by word: (Element) -> UInt64) {
    guard let first else { return }
    var varying: UInt64 = 0
    for element in self { varying |= word(element) ^ word(first) }
    var other = self
    for shift in stride(from: UInt64(0), to: 64, by: 11) where varying >> shift & 0x7FF != 0 {
      var starts = [Int](repeating: 0, count: 1 << 11)
      for element in self { starts[Int(word(element) >> shift & 0x7FF)] += 1 }
      var start = 0
      for digit in starts.indices { (starts[digit], start) = (start, start + starts[digit]) }
      for element in self {
        let digit = Int(word(element) >> shift & 0x7FF)
        other[starts[digit]] = element
        starts[digit] += 1
      }
      swap(&self, &other)
    }
  }
}
