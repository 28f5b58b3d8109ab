/// Leaves: tables with linear probing. An entry is at its place or in the next free one.
extension HashNodeView {
  /// The place of a hash in a leaf, before probing. It comes from the hash's last 16 bits, which lead to no leaf at a
  /// depth of less than 33 bits.
  @inline(__always)
  static func place(_ hash: UInt64, _ capacity: Int) -> Int {
    let last = hash &>> 16 & 0xffff
    return Int(truncatingIfNeeded: (last &* UInt64(truncatingIfNeeded: capacity)) &>> 16)
  }

  /// The entry at a place of a leaf.
  @inline(__always)
  func entry(_ place: Int) -> HashEntry { HashEntry(at: words + place &* HashEntry.stride) }

  private func setEntry(_ place: Int, _ entry: HashEntry) {
    entry.store(at: words + place * HashEntry.stride)
  }

  /// The row of a hash in a leaf of this capacity; 0 if there is none.
  @inline(__always)
  func row(of hash: UInt64, _ capacity: Int) -> UInt64 {
    var place = HashNodeView.place(hash, capacity)
    while true {
      let entry = entry(place)
      if entry.isOf(hash) { return entry.row }
      if entry.row == 0 { return 0 }
      place &+= 1
      if place == capacity { place = 0 }
    }
  }

  /// Adds an entry to a leaf with room for it.
  func place(_ entry: HashEntry) {
    let capacity = capacity
    var place = HashNodeView.place(entry.hash, capacity)
    while self.entry(place).row != 0 { place = next(place, capacity) }
    setEntry(place, entry)
    count += 1
  }

  /// Removes the entry of an existing hash from a leaf.
  func take(_ hash: UInt64) {
    let capacity = capacity
    var free = HashNodeView.place(hash, capacity)
    while !entry(free).isOf(hash) { free = next(free, capacity) }
    // Later entries move up, except one whose place lies behind the free one.
    var place = next(free, capacity)
    while entry(place).row != 0 {
      let entry = entry(place)
      let wanted = HashNodeView.place(entry.hash, capacity)
      if distance(wanted, place, capacity) >= distance(free, place, capacity) {
        setEntry(free, entry)
        free = place
      }
      place = next(place, capacity)
    }
    setEntry(free, HashEntry())
    count -= 1
  }

  private func next(_ place: Int, _ capacity: Int) -> Int { place + 1 == capacity ? 0 : place + 1 }

  /// Steps from a place to another.
  private func distance(_ start: Int, _ end: Int, _ capacity: Int) -> Int {
    end >= start ? end - start : end + capacity - start
  }

  func forEachEntry(_ body: (HashEntry) -> Void) {
    for place in 0..<capacity where entry(place).row != 0 { body(entry(place)) }
  }

  /// For a leaf: a copy.
  func copyLeaf() -> HashNode {
    let node = HashNode.make(capacity: capacity, bits: 0)
    let view = HashNodeView(node)
    view.words.copyMemory(from: words, byteCount: capacity * HashEntry.stride)
    view.count = count
    return node
  }

  /// For a leaf: a copy with another capacity.
  func resized(_ capacity: Int) -> HashNode {
    let node = HashNode.makeLeaf(capacity: capacity)
    forEachEntry { HashNodeView(node).place($0) }
    return node
  }
}
