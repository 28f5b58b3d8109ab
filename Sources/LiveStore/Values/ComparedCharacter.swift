/// A character that is compared and hashed in linear time, whatever marks it has: `Character` takes quadratic time.
struct ComparedCharacter: Hashable, Sendable {
  private let text: String

  init(_ character: Character) { text = String(character) }

  static func == (left: ComparedCharacter, right: ComparedCharacter) -> Bool {
    isSameText(left.text, right.text)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(textHash(text)) }
}

extension String {
  /// `hasPrefix`, in linear time whatever marks the characters have.
  func begins(with part: String) -> Bool {
    if utf8.count < 256, part.utf8.count < 256 { return hasPrefix(part) }
    return lazy.map(ComparedCharacter.init).starts(with: part.lazy.map(ComparedCharacter.init))
  }

  /// `hasSuffix`, in linear time whatever marks the characters have.
  func ends(with part: String) -> Bool {
    if utf8.count < 256, part.utf8.count < 256 { return hasSuffix(part) }
    let reversed = lazy.map(ComparedCharacter.init).reversed()
    return reversed.starts(with: part.lazy.map(ComparedCharacter.init).reversed())
  }
}
