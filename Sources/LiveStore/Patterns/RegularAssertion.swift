/// A test of a place in a text, which consumes no scalar.
enum RegularAssertion: Sendable {
  case textStart, textEnd
  /// The end of the text, or before a line break that is the end.
  case lastLineEnd
  case lineStart, lineEnd
  case wordBoundary, noWordBoundary
  /// Not before a line feed. After a carriage return: the two are one line break, consumed as a whole.
  case noLineFeed

  /// Whether it holds at a place, from 0 to the length of the text.
  ///
  /// - Parameter isWordBoundary: whether the place is one; only asked where it matters.
  func holds<Text: RandomAccessCollection<UInt32>>(
    in text: Text, at place: Int, isWordBoundary: @autoclosure () -> Bool
  ) -> Bool where Text.Index == Int {
    let end = text.count
    switch self {
    case .textStart: return place == 0
    case .textEnd: return place == end
    case .lastLineEnd:
      if place == end { return true }
      if place == end - 1 { return Self.isLineBreak(text[place]) && !Self.isInLineBreak(text, place) }
      return place == end - 2 && Self.isInLineBreak(text, place + 1)
    case .lineStart: return place == 0 || place < end && Self.isLineBreak(text[place - 1])
    case .lineEnd:
      return place == end || Self.isLineBreak(text[place]) && !Self.isInLineBreak(text, place)
    case .wordBoundary: return isWordBoundary()
    case .noWordBoundary: return !isWordBoundary()
    case .noLineFeed: return place == end || text[place] != 0x0A
    }
  }

  static func isLineBreak(_ value: UInt32) -> Bool {
    (0x0A...0x0D).contains(value) || value == 0x85 || value == 0x2028 || value == 0x2029
  }

  /// Whether the place is between a carriage return and a line feed.
  private static func isInLineBreak<Text: RandomAccessCollection<UInt32>>(_ text: Text, _ place: Int) -> Bool
  where Text.Index == Int {
    place > 0 && place < text.count && text[place - 1] == 0x0D && text[place] == 0x0A
  }

  /// Whether one of the scalars around the place belongs to a word. Marks belong to the scalar before them.
  ///
  /// - Parameter steps: counts the scalars before the place that are looked at: the marks there, if none is behind it.
  static func isWordBoundary<Text: RandomAccessCollection<UInt32>>(
    _ text: Text, _ place: Int, _ steps: inout Int
  ) -> Bool where Text.Index == Int {
    var isWord = false
    if place < text.count, let scalar = Unicode.Scalar(text[place]) {
      if isMark(scalar) { return false }
      isWord = ScalarProperties.isWord(scalar)
    }
    for before in (0..<place).reversed() {
      steps += 1
      guard let scalar = Unicode.Scalar(text[before]), !isMark(scalar) else { continue }
      return isWord != ScalarProperties.isWord(scalar)
    }
    return isWord
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x80
      && (scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .format)
  }
}
