/// The part of a pattern between two stars: characters by their numbers, and places for any character.
struct WildcardSegment: Sendable {
  private let symbols: [Int32]
  private let bits: WildcardBits?

  /// Segments up to this length are compared place by place.
  private static let shortest = 16

  init(_ symbols: [Int32]) {
    self.symbols = symbols
    bits = symbols.count > Self.shortest ? WildcardBits(symbols) : nil
  }

  var count: Int { symbols.count }

  /// Whether the segment is at a place of a text. Enough of the text must be left there.
  func isIn(_ text: [Int32], at place: Int, _ steps: inout Int) -> Bool {
    for index in symbols.indices {
      steps += 1
      if symbols[index] != text[place + index], symbols[index] != WildcardSymbols.any { return false }
    }
    return true
  }

  /// Where the first occurrence of the segment within a range of a text ends; nil if there is none, or if
  /// finding out takes too many steps.
  func firstEnd(in text: [Int32], _ range: Range<Int>, _ steps: inout Int, _ maximumSteps: Int) -> Int? {
    if let bits { return bits.firstEnd(in: text, range, &steps, maximumSteps) }
    var place = range.lowerBound
    while place + count <= range.upperBound, steps <= maximumSteps {
      if isIn(text, at: place, &steps) { return place + count }
      place += 1
    }
    return nil
  }
}

/// Searches for a long segment with one bit for each of its prefixes: it is set if that prefix ends at the current
/// place of the text (the algorithm of Baeza-Yates and Gonnet, "A New Approach to Text Searching", 1992).
struct WildcardBits: Sendable {
  /// Where a character stands in the segment.
  private enum Places: Sendable {
    /// A bit for each place.
    case mask([UInt64])
    /// The places, for characters that stand in fewer of them than a mask has words. So all masks together are not
    /// larger than the segment, and no character costs more than a mask.
    case list([Int])
  }

  private let count: Int
  private let anyMask: [UInt64]
  private let places: [Int32: Places]

  init(_ symbols: [Int32]) {
    let words = (symbols.count + 63) / 64
    func mask(_ places: [Int]) -> [UInt64] {
      var mask = [UInt64](repeating: 0, count: words)
      for place in places { mask[place / 64] |= 1 << (place % 64) }
      return mask
    }
    count = symbols.count
    var lists = Dictionary(grouping: symbols.indices) { symbols[$0] }
    anyMask = mask(lists.removeValue(forKey: WildcardSymbols.any) ?? [])
    places = lists.mapValues { $0.count < words ? .list($0) : .mask(mask($0)) }
  }

  func firstEnd(in text: [Int32], _ range: Range<Int>, _ steps: inout Int, _ maximumSteps: Int) -> Int? {
    var state = [UInt64](repeating: 0, count: anyMask.count)
    var moved = state
    for place in range {
      if steps > maximumSteps { return nil }
      steps += state.count
      var carry: UInt64 = 1
      for word in state.indices {
        moved[word] = state[word] << 1 | carry
        carry = state[word] >> 63
        state[word] = moved[word] & anyMask[word]
      }
      switch places[text[place]] {
      case .mask(let mask): for word in state.indices { state[word] |= moved[word] & mask[word] }
      case .list(let list): for place in list { state[place / 64] |= moved[place / 64] & 1 << (place % 64) }
      case nil: break
      }
      if state[(count - 1) / 64] >> ((count - 1) % 64) & 1 == 1 { return place + 1 }
    }
    return nil
  }
}
