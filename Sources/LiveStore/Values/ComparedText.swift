/// A text or character that is compared and hashed in linear time, whatever marks its letters have: the standard library
/// takes quadratic time.
package struct ComparedText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }
  init(_ character: Character) { text = String(character) }

  var byteCount: Int { text.utf8.count }

  package static func == (left: ComparedText, right: ComparedText) -> Bool {
    // Of two equal texts, one has at most nine times as many bytes as the other: forms of a scalar differ at
    // most threefold from its composed form. So a long letter is not read at each comparison.
    let (count, other) = (left.text.utf8.count, right.text.utf8.count)
    if max(count, other) >= 256, max(count, other) > 16 * min(count, other) { return false }
    return isSameText(left.text, right.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(textHash(text)) }
}

extension String {
  /// Whether the standard library may take long to compare or hash the text.
  @inlinable
  package var isLong: Bool { utf8.count >= 256 }

  /// `hasPrefix`, in linear time whatever marks the characters have.
  func begins(with part: String) -> Bool {
    if !isLong, !part.isLong { return hasPrefix(part) }
    return lazy.map(ComparedText.init).starts(with: part.lazy.map(ComparedText.init))
  }

  /// `hasSuffix`, in linear time whatever marks the characters have.
  func ends(with part: String) -> Bool {
    if !isLong, !part.isLong { return hasSuffix(part) }
    // From the beginning: where a character begins depends on all text before it, as in a row of flags, so
    // searching from the end would take as long.
    let rest = count - part.count
    return rest >= 0
      && dropFirst(rest).lazy.map(ComparedText.init).elementsEqual(part.lazy.map(ComparedText.init))
  }
}
