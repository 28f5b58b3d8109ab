import TestSupport
import Testing

import LiveStore

@Suite struct RadixSortTests {
  private struct Entry: BitwiseCopyable, Equatable {
    var word: UInt64
    var place: Int
  }

  /// Words that differ in every digit, in some alone, in the highest bits, and not at all.
  private static let masks: [UInt64] = [
    .max, 0x7FF, 0x800, 0xFFFF_FFFF, 0x7FF << 55, 1 << 63, (1 << 63) | 1, 0x0F0F_0F0F_0F0F_0F0F, 3, 0,
  ]

  @Test(arguments: masks)
  func `sorting by a word keeps equal words in their order`(mask: UInt64) {
    var random = SplitMix64(seed: mask ^ 7)
    for count in [0, 1, 2, 3, 100, 2_049] {
      let entries = ContiguousArray((0..<count).map { Entry(word: random.next() & mask, place: $0) })
      let expected = entries.sorted { ($0.word, $0.place) < ($1.word, $1.place) }
      for held in [0, 1, count, 3_000] {
        var buffer = ContiguousArray(repeating: Entry(word: 1, place: -1), count: held)
        var sorted = entries
        sorted.radixSort(through: &buffer) { $0.word }
        #expect(Array(sorted) == expected, "\(count) words, \(held) in the buffer")
      }
    }
  }
}
