/// Writes a text so that a parser reads it as one: a name or a literal of SQL, a field of CSV, an element of an array.
///
/// It goes by scalars. `String`'s own methods compare Characters, and a quotation mark with a combining mark, a joiner or
/// a variation selector behind it is another Character, which `replacing("\"", …)` leaves alone, and at which every parser
/// of bytes ends the text. Scripts/check-quoting.py rejects such comparisons.
///
/// The packages that read or write other formats have this file by a link, as `package` ends at theirs.
package enum Quoting {
  /// The text between two marks, with the marks in it doubled.
  package static func quoted(_ text: String, by mark: Unicode.Scalar) -> String {
    "\(mark)\(escaped(text, [mark], with: mark))\(mark)"
  }

  /// The text with a mark before each of some scalars: a backslash before quotation marks and backslashes.
  package static func escaped(
    _ text: String, _ special: [Unicode.Scalar], with mark: Unicode.Scalar
  ) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if special.contains(scalar) { result.append(mark) }
      result.append(scalar)
    }
    return String(result)
  }
}
