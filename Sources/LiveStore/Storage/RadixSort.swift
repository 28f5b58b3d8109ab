extension ContiguousArray where Element: BitwiseCopyable {
  /// Sorts by a word of each element; elements of equal words keep their order.
  ///
  /// Sorts by one byte after the other, from the lowest to the highest, without the bytes that all words have
  /// in common. (Radix sort, after Herman Hollerith.)
  ///
  /// - Parameter target: memory for as many elements, initialised with any elements before and after.
  /// - Complexity: O(`count`). A million scattered words take a quarter of the time of `sort`.
  @inline(__always)
  package mutating func radixSort(through target: inout Self, by word: (Element) -> UInt64) {
    if isEmpty { return }
    var starts = digitCounts(word)
    target.removeLast(Swift.max(0, target.count - count))
    target.append(contentsOf: self[target.count...])
    for digit in 0..<8 {
      let shift = UInt64(digit * 8)
      let table = digit * 256
      if starts[table + Int(word(self[0]) >> shift & 255)] == count { continue }
      var sum = 0
      for value in table..<(table + 256) { (starts[value], sum) = (sum, sum + starts[value]) }
      withUnsafeBufferPointer { source in
        target.withUnsafeMutableBufferPointer { target in
          starts.withUnsafeMutableBufferPointer { starts in
            for element in source {
              let value = table &+ Int(truncatingIfNeeded: word(element) &>> shift & 255)
              target[starts[value]] = element
              starts[value] &+= 1
            }
          }
        }
      }
      swap(&self, &target)
    }
  }

  /// How often each value of each byte of the words occurs.
  @inline(__always)
  private func digitCounts(_ word: (Element) -> UInt64) -> [Int] {
    var counts = [Int](repeating: 0, count: 8 * 256)
    counts.withUnsafeMutableBufferPointer { counts in
      for element in self {
        var rest = word(element)
        for table in 0..<8 {
          counts[table &* 256 &+ Int(truncatingIfNeeded: rest & 255)] &+= 1
          rest &>>= 8
        }
      }
    }
    return counts
  }
}
