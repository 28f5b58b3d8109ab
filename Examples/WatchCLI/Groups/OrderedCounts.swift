package import LiveStore

/// Values in order, each with how often it is there.
///
/// ```
/// chunks   1×2 2×1 5×1 │ 7×3 9×1 │ 12×1 …      up to `capacity` different values in each
/// ```
package struct OrderedCounts {
  private struct Entry {
    let value: JSONValue
    var count: Int
  }

  private struct Chunk {
    /// At least one, in ascending order.
    var entries: [Entry]
    /// The sum of their counts.
    var count: Int
  }

  private var chunks: [Chunk] = []
  private let capacity: Int
  /// How many values there are.
  package private(set) var count = 0
  /// How many different values there are.
  package private(set) var distinctCount = 0

  /// No values.
  package init(capacity: Int = 256) {
    self.capacity = capacity
  }

  /// The smallest value; nil if there is none.
  package var first: JSONValue? { chunks.first?.entries.first?.value }
  /// The largest value; nil if there is none.
  package var last: JSONValue? { chunks.last?.entries.last?.value }

  /// The value at an index of all values in order.
  ///
  /// - Complexity: O(different values / capacity + capacity)
  package subscript(index: Int) -> JSONValue {
    var rest = index
    for chunk in chunks {
      if rest >= chunk.count {
        rest -= chunk.count
        continue
      }
      for entry in chunk.entries {
        if rest < entry.count { return entry.value }
        rest -= entry.count
      }
    }
    preconditionFailure("an index must be below the number of values")
  }

  /// Adds a value, or removes one that is there.
  ///
  /// - Complexity: O(log(different values) + capacity), and O(different values / capacity) for a new chunk.
  package mutating func add(_ value: JSONValue, isRemoval: Bool = false) {
    let index = max(0, Self.firstIndex(in: chunks.indices) { chunks[$0].entries[0].value > value } - 1)
    if chunks.isEmpty { chunks.append(Chunk(entries: [], count: 0)) }
    let place = Self.firstIndex(in: chunks[index].entries.indices) {
      chunks[index].entries[$0].value >= value
    }
    let isThere = place < chunks[index].entries.count && chunks[index].entries[place].value == value
    let change = isRemoval ? -1 : 1
    chunks[index].count += change
    count += change
    if isThere {
      chunks[index].entries[place].count += change
      if chunks[index].entries[place].count == 0 { removeEntry(at: place, of: index) }
    } else {
      precondition(!isRemoval, "a value that is removed must be there")
      chunks[index].entries.insert(Entry(value: value, count: 1), at: place)
      distinctCount += 1
      if chunks[index].entries.count > capacity { split(index) }
    }
  }

  /// Leaves out what stands between the smallest and the largest value.
  mutating func keepEnds() {
    guard distinctCount > 2, let first = chunks.first?.entries.first, let last = chunks.last?.entries.last
    else { return }
    (count, distinctCount) = (first.count + last.count, 2)
    chunks = [Chunk(entries: [first, last], count: count)]
  }

  private mutating func split(_ index: Int) {
    let upper = Array(chunks[index].entries[(capacity / 2)...])
    let moved = upper.reduce(0) { $0 + $1.count }
    chunks[index].entries.removeLast(upper.count)
    chunks[index].count -= moved
    chunks.insert(Chunk(entries: upper, count: moved), at: index + 1)
  }

  /// Removes an entry, and joins its chunk with a neighbour if both have few.
  private mutating func removeEntry(at place: Int, of index: Int) {
    chunks[index].entries.remove(at: place)
    distinctCount -= 1
    let pairs = [index - 1, index].filter { $0 >= 0 && $0 + 1 < chunks.count }
    let joined = pairs.first {
      chunks[$0].entries.count + chunks[$0 + 1].entries.count <= capacity / 2
    }
    if let joined {
      let right = chunks.remove(at: joined + 1)
      chunks[joined].entries += right.entries
      chunks[joined].count += right.count
    } else if chunks[index].entries.isEmpty {
      chunks.remove(at: index)
    }
  }

  /// The first index that meets a condition which all behind it meet; the end if there is none.
  private static func firstIndex(in range: Range<Int>, where isMet: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isMet(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
