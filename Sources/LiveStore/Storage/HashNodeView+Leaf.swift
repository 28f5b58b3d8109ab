/// Leaves: tables with linear probing. An entry is in its bucket or in the next free one.
extension HashNodeView {
  /// The bucket of a hash in a leaf, before probing. It comes from the hash's last 16 bits, which lead to no leaf at a
  /// depth of less than 33 bits.
  @inline(__always)
  package static func bucket(_ hash: UInt64, _ capacity: Int) -> Int {
    let last = hash &>> 16 & 0xffff
    return Int(truncatingIfNeeded: (last &* UInt64(truncatingIfNeeded: capacity)) &>> 16)
  }

  /// The entry in a bucket of a leaf.
  @inline(__always)
  package func entry(_ bucket: Int) -> HashEntry { HashEntry(at: words + bucket &* HashEntry.stride) }

  private func setEntry(_ bucket: Int, _ entry: HashEntry) {
    entry.store(at: words + bucket * HashEntry.stride)
  }

  /// The row of a hash in a leaf of this capacity; 0 if there is none.
  @inline(__always)
  func row(of hash: UInt64, _ capacity: Int) -> UInt64 {
    var bucket = HashNodeView.bucket(hash, capacity)
    while true {
      let entry = entry(bucket)
      if entry.isOf(hash) { return entry.row }
      if entry.row == 0 { return 0 }
      bucket &+= 1
      if bucket == capacity { bucket = 0 }
    }
  }

  /// Adds an entry to a leaf with room for it.
  func insertEntry(_ entry: HashEntry) {
    let capacity = capacity
    var bucket = HashNodeView.bucket(entry.hash, capacity)
    while self.entry(bucket).row != 0 { bucket = next(bucket, capacity) }
    setEntry(bucket, entry)
    count += 1
  }

  /// Removes the entry of an existing hash from a leaf.
  func take(_ hash: UInt64) {
    let capacity = capacity
    var free = HashNodeView.bucket(hash, capacity)
    while !entry(free).isOf(hash) { free = next(free, capacity) }
    // Later entries move up, except one whose bucket lies behind the free one.
    var bucket = next(free, capacity)
    while entry(bucket).row != 0 {
      let entry = entry(bucket)
      let wanted = HashNodeView.bucket(entry.hash, capacity)
      if distance(wanted, bucket, capacity) >= distance(free, bucket, capacity) {
        setEntry(free, entry)
        free = bucket
      }
      bucket = next(bucket, capacity)
    }
    setEntry(free, HashEntry())
    count -= 1
  }

  private func next(_ bucket: Int, _ capacity: Int) -> Int { bucket + 1 == capacity ? 0 : bucket + 1 }

  /// Steps from one bucket to another.
  private func distance(_ start: Int, _ end: Int, _ capacity: Int) -> Int {
    end >= start ? end - start : end + capacity - start
  }

  func forEachEntry(_ body: (HashEntry) -> Void) {
    for bucket in 0..<capacity where entry(bucket).row != 0 { body(entry(bucket)) }
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
    forEachEntry { HashNodeView(node).insertEntry($0) }
    return node
  }
}
