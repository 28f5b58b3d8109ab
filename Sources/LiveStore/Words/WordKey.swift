/// The key under which an index lists a word: its first letters, then bits of its hash.
///
/// ```
/// letter 1 | letter 2 | … | letter 6 | hash       seven bits for each letter, 22 for the hash
/// ```
/// Words that begin alike lie in one range of keys. Equal words have equal keys. Two words of one key are listed
/// together, which costs tests and no more (K2). A letter's bits are the lowest of its scalar: different ones within
/// most alphabets.
package enum WordKey {
  private static let letters = 6
  private static let letterBits: UInt64 = 7
  private static let hashBits: UInt64 = 22

  /// The key of a word.
  package static func key(of word: [UInt8]) -> UInt64 {
    beginning(of: word).bits | hash(word) >> (64 - hashBits)
  }

  /// The keys of all words that begin with a word; beyond six letters, also the keys of some other words.
  package static func keys(beginningWith word: [UInt8]) -> ClosedRange<UInt64> {
    let (bits, known) = beginning(of: word)
    return bits...(bits | (.max >> known))
  }

  /// The bits of the first letters, and how many bits these are.
  private static func beginning(of word: [UInt8]) -> (bits: UInt64, known: UInt64) {
    var (bits, known, place) = (UInt64(0), UInt64(0), 0)
    while place < word.count, known < UInt64(letters) * letterBits {
      var letter = UInt64(word[place]) & 0x7F
      place += 1
      // The lowest bits of a longer scalar are in its last two bytes.
      while place < word.count, word[place] & 0xC0 == 0x80 {
        letter = (letter << 6 | UInt64(word[place]) & 0x3F) & 0x7F
        place += 1
      }
      known += letterBits
      bits |= letter << (64 - known)
    }
    return (bits, known)
  }

  private static func hash(_ word: [UInt8]) -> UInt64 {
    var (hash, next) = (UInt64(word.count), UInt64(0))
    for (index, byte) in word.enumerated() {
      next = next << 8 | UInt64(byte)
      if index & 7 == 7 || index == word.count - 1 { (hash, next) = (wordHash(hash ^ next), 0) }
    }
    return hash
  }
}
