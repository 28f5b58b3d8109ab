import Foundation
import TestSupport
import Testing

import LiveStore

@Suite struct `Hashes of ids` {
  @Test func `each bit of a UUID changes about half of the bits of its hash`() {
    let seed = Seeds.forSuite(1)[0]
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var changed = 0
    for _ in 0..<50 {
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let hash = idHash(uuid(bytes))
      for bit in 0..<128 {
        var other = bytes
        other[bit / 8] ^= 1 << (bit % 8)
        let difference = (idHash(uuid(other)) ^ hash).nonzeroBitCount
        check(difference > 2, "bit \(bit) of \(bytes) changes \(difference) bits")
        changed += difference
      }
    }
    // 24 of 48 bits on average, over 6,400 pairs.
    #expect(23 * 6_400...25 * 6_400 ~= changed, "\(changed)")
  }

  @Test(arguments: [0, 7, 8, 15])
  func `UUIDs that are numbers in one of their bytes and the next have hashes of their own`(
    byte: Int
  ) {
    let hashes = (0..<65_536).map { number in
      var bytes = [UInt8](repeating: 0, count: 16)
      bytes[byte] = UInt8(number & 255)
      bytes[(byte + 1) % 16] = UInt8(number >> 8)
      return idHash(uuid(bytes))
    }
    // About n² / 2^49 pairs of n collide.
    #expect(Set(hashes).count >= 65_535)
    let first = Dictionary(grouping: hashes) { $0 >> 56 }
    #expect(first.count == 256 && first.values.allSatisfy { 128...384 ~= $0.count })
  }

  @Test func `equal numbers of different types may be ids, and are found`() throws {
    #expect(idHash(UInt(5)) == idHash(5) && idHash(Int32(-5)) == idHash(-5) && idHash(UInt32(5)) == idHash(5))
    let store = try Store(Small.self, Named.self)
    let id = UUID()
    try store.write { tx in
      try tx.insert(contentsOf: ([.min, -1, 0, .max] as [Int32]).map { Small(id: $0) })
      try tx.insert(Named(id: id))
    }
    for id in [.min, -1, 0, .max] as [Int32] { check(store[Small.self, id]?.id == id, "\(id)") }
    #expect(store[Small.self, 1] == nil)
    #expect(store[Named.self, id]?.id == id && store[Named.self, UUID()] == nil)
  }

  private func uuid(_ bytes: [UInt8]) -> UUID {
    UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}

private struct Small: Entity {
  let id: Int32
  static let schema = Schema<Small> {}
}

private struct Named: Entity {
  let id: UUID
  static let schema = Schema<Named> {}
}
