/// Searching a slot within one node.
extension NodeView {
  /// The last slot whose key has `first` at most `bound`, which slot 0 must have.
  func lastSlot(through bound: UInt64) -> Int {
    if form == .run { return Int(min(bound &- keys[0].first, UInt64(count &- 1))) }
    return lastSlot(through: bound, count: count, keyOffset: keyOffset)
  }

  /// The same for a node known to have `count` slots and keys at this offset, so that its header is not read.
  ///
  /// For the greatest power of two p within the count, the first step goes to slot `count - p` or stays at 0. Either
  /// way the target is among the next p slots, which all exist, so no later step needs a test for the end. The count
  /// alone decides the steps, and the choices by key are conditional moves (a mispredicted branch would cost more
  /// than a step). Not inlined, because inside a caller's loop the compiler turns the conditional moves back into
  /// branches.
  @inline(never)
  func lastSlot(through bound: UInt64, count: Int, keyOffset: Int) -> Int {
    let keys = keys(at: keyOffset)
    var slot = 0
    @inline(__always) func step(_ width: Int) {
      slot = keys[slot &+ width].first <= bound ? slot &+ width : slot
    }
    if count >= 16 {
      if count > 32 {
        step(count &- 32)
        step(16)
      } else {
        step(count &- 16)
      }
      step(8)
      step(4)
      step(2)
      step(1)
      return slot
    }
    if count >= 8 {
      step(count &- 8)
      step(4)
      step(2)
      step(1)
      return slot
    }
    while slot &+ 1 < count, keys[slot &+ 1].first <= bound { slot &+= 1 }
    return slot
  }

  /// As `lastSlot`, for nodes in which no two keys have one `first`: when keys are consecutive numbers, as
  /// rows are, the slot is the distance from the first key.
  func uniqueSlot(through bound: UInt64) -> Int {
    let distance = bound &- keys[0].first
    if distance < UInt64(count) {
      let guess = Int(distance)
      if key(guess).first == bound { return guess }
    }
    return lastSlot(through: bound)
  }

  /// Number of slots whose key has `first` at most `bound`.
  func slotsThrough(_ bound: UInt64) -> Int {
    keys[0].first <= bound ? lastSlot(through: bound) &+ 1 : 0
  }

  /// Number of slots whose key has `first` below `bound`.
  func slotsBelow(_ bound: UInt64) -> Int {
    bound == 0 ? 0 : slotsThrough(bound &- 1)
  }

  /// The first slot whose key is not below `key`, and whether it is that key.
  func position(
    of key: TreeKey, order: TreeLayout.Order, tie: (UInt64) -> Int
  ) -> (slot: Int, isExact: Bool) {
    var low = slotsBelow(key.first)
    guard low < count, self.key(low).first == key.first else { return (low, false) }
    guard order == .both else { return (low, true) }
    let keys = keys
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let entry = keys[middle]
      // Beyond the run of equal firsts `tie` must not be called.
      var sign = entry.first > key.first ? -1 : tie(entry.second)
      if sign == 0 {
        if key.second == entry.second { return (middle, true) }
        sign = key.second < entry.second ? -1 : 1
      }
      if sign > 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The number of slots before `first`, or at it and before in the sense of `isBefore`.
  func slotsBefore(_ first: UInt64, _ isBefore: (UInt64) -> Bool) -> Int {
    var low = slotsBelow(first)
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let key = key(middle)
      if key.first == first && isBefore(key.second) {
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
