/// Finding a slot within one node.
extension NodeView {
  /// Number of slots whose key has `first` below `bound`.
  func slotsBelow(_ bound: UInt64) -> Int {
    let keys = keys
    var start = 0
    var length = count
    while length > 0 {
      let half = (length + 1) / 2
      start = keys[start + half - 1].first < bound ? start + half : start
      length -= half
    }
    return start
  }

  /// Number of slots whose key has `first` at most `bound`.
  func slotsThrough(_ bound: UInt64) -> Int {
    let keys = keys
    var start = 0
    var length = count
    while length > 0 {
      let half = (length + 1) / 2
      start = keys[start + half - 1].first <= bound ? start + half : start
      length -= half
    }
    return start
  }

  /// The first slot whose key is not below `key`, and whether it is that key.
  func position(
    of key: TreeKey, order: TreeLayout.Order, tie: (UInt64) -> Int
  ) -> (slot: Int, isExact: Bool) {
    let keys = keys
    var low = slotsBelow(key.first)
    guard low < count, keys[low].first == key.first else { return (low, false) }
    guard order == .both else { return (low, true) }
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let entry = keys[middle]
      // Beyond the run of equal firsts no tie may be asked.
      var sign = entry.first > key.first ? -1 : tie(entry.second)
      if sign == 0 {
        if key.second == entry.second { return (middle, true) }
        sign = key.second < entry.second ? -1 : 1
      }
      if sign > 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// Number of slots that stand before `first`, or at it and before in the sense of `isBefore`.
  func slotsBefore(_ first: UInt64, _ isBefore: (UInt64) -> Bool) -> Int {
    let keys = keys
    var low = slotsBelow(first)
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].first == first && isBefore(keys[middle].second) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Entries below the children before child `index`.
  func entries(beforeChild index: Int) -> Int {
    let counts = counts
    var sum = 0
    for child in 0..<index { sum &+= counts[child] }
    return sum
  }
}
