/// Rows that entries of indexes name, each once and in insertion order (Q9).
///
/// Few are a list of their numbers; many are a bit for each number between the table's first row and its last.
struct RowSet {
  /// The row number of the first bit.
  private let base: UInt64
  private var bits: ContiguousArray<UInt64>
  /// The rows, if there are no bits. While entries are added, they may be in any order, and more than once.
  private var list: ContiguousArray<UInt64> = []
  private var isSorted = true

  /// - Parameter count: how many entries are going to be added, at most.
  init(_ state: TableState, expecting count: Int) {
    base = state.rows.isEmpty ? 0 : state.rows.entry(at: 0).key.first
    let words = Int((state.nextRow - base + 63) / 64)
    // An entry of a list is sorted in the time of about sixteen words of bits.
    bits = count * 16 > words ? ContiguousArray(repeating: 0, count: words) : []
  }

  /// Adds the rows of ranges of an index.
  mutating func insert(_ ranges: [Range<Int>], of tree: Tree) {
    for range in ranges {
      tree.forEachLeaf(in: range) { keys, _, count in
        if bits.isEmpty {
          for place in 0..<count { list.append(keys[place].second) }
          isSorted = false
        } else {
          for place in 0..<count {
            let bit = keys[place].second - base
            bits[Int(bit >> 6)] |= 1 << (bit & 63)
          }
        }
        return true
      }
    }
  }

  mutating func insert(_ row: UInt64) {
    if bits.isEmpty {
      list.append(row)
      isSorted = false
    } else {
      bits[Int((row - base) >> 6)] |= 1 << ((row - base) & 63)
    }
  }
}

extension RowSet {
  /// Adds the rows of another set of the same table.
  mutating func formUnion(_ other: RowSet) {
    if bits.isEmpty, !other.bits.isEmpty {
      let rows = list
      self = other
      for row in rows { insert(row) }
    } else if other.bits.isEmpty {
      for row in other.list { insert(row) }
    } else {
      for place in bits.indices { bits[place] |= other.bits[place] }
    }
  }

  /// Leaves the rows that another set of the same table has, too.
  mutating func formIntersection(_ other: RowSet) {
    if !bits.isEmpty, !other.bits.isEmpty {
      for place in bits.indices { bits[place] &= other.bits[place] }
    } else if bits.isEmpty {
      let known = other.bits.isEmpty ? Set(other.list) : []
      list.removeAll { row in
        other.bits.isEmpty
          ? !known.contains(row) : other.bits[Int((row - base) >> 6)] >> ((row - base) & 63) & 1 == 0
      }
    } else {
      let all = self
      self = other
      formIntersection(all)
    }
  }

  /// Calls `body` with each row in insertion order until it returns false.
  mutating func forEach(_ body: (UInt64) -> Bool) {
    if bits.isEmpty {
      if !isSorted { list.sort() }
      isSorted = true
      var last: UInt64?
      for row in list where row != last {
        guard body(row) else { return }
        last = row
      }
      return
    }
    for (place, word) in bits.enumerated() {
      var rest = word
      while rest != 0 {
        guard body(base + UInt64(place << 6 + rest.trailingZeroBitCount)) else { return }
        rest &= rest - 1
      }
    }
  }
}
