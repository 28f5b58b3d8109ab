/// The part that a scalar has in a word.
package enum WordPart: Sendable {
  /// A letter, digit or other number.
  case letter
  /// A mark, which belongs to the letter before it and is nothing without one.
  case mark
  /// An invisible character that is ignored, such as a soft hyphen or a joiner.
  case format
  /// Anything else, which ends a word.
  case separator

  package init(_ scalar: Unicode.Scalar) {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
    case .format: self = .format
    case .decimalNumber, .letterNumber, .otherNumber: self = .letter
    default: self = scalar.properties.isAlphabetic ? .letter : .separator
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is in one of the blocks of combining diacritical marks.
  var isDiacriticalMark: Bool {
    switch value {
    case 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// Whether a letter is a word by itself: an ideograph, kana, or a letter of another script without spaces between
  /// words. Their digits run together as all digits do.
  var isWordByItself: Bool {
    if value < 0xE00 { return false }
    let isOfScript = properties.isIdeographic || Self.withoutSpaces.contains { $0.contains(value) }
    return isOfScript && properties.generalCategory != .decimalNumber
  }

  /// Thai, Lao; Myanmar; Khmer; Tai Le, New Tai Lue; Tai Tham; kana with their extensions and halfwidth forms;
  /// Myanmar extensions; Tai Viet.
  private static let withoutSpaces: [ClosedRange<UInt32>] = [
    0xE01...0xEDF, 0x1000...0x109F, 0x1780...0x17DD, 0x1950...0x19DF, 0x1A20...0x1AAD, 0x3041...0x30FF,
    0x31F0...0x31FF, 0xA9E0...0xA9FE, 0xAA60...0xAADF, 0xFF66...0xFF9F, 0x1AFF0...0x1B16F,
  ]
}
