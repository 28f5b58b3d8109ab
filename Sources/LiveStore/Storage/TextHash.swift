/// The hash of a text, in linear time. The standard library takes quadratic time for letters with very many marks, so it
/// hashes only texts whose composed form is short; equal texts have one such form.
@usableFromInline
func textHash(_ text: String) -> Int {
  // Composition makes a text at most three times as long in bytes.
  if text.utf8.count <= longestHashed / 3 { return text.hashValue }
  var composed = text.composed
  // The text and not its composed form, which in rare cases (U+0F73) is another text to the standard library.
  if composed.utf8.count <= longestHashed { return text.hashValue }
  return composed.withUTF8 { bytes in
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return hasher.finalize()
  }
}

/// The greatest number of bytes of a composed text that the standard library hashes.
private let longestHashed = 192
