// Texts from outside.
//
// Names, texts and values come from users, files and servers, and end up in statements, formats, paths and
// terminals.
//
// - They are quoted by `Quoting`, scalar by scalar, and cut through `unicodeScalars` or `utf8`. `String`'s
//   own methods compare Characters: a quotation mark with a combining mark, a joiner or a variation selector
//   behind it is another Character, and so is a carriage return with a newline. Parsers of SQL, CSV and paths
//   go by bytes, and see the quotation mark. `Scripts/check-quoting.py` rejects such a comparison. The
//   packages beside the root link to the file of `Quoting`.
// - What a terminal obeys or hides is written as an escape wherever a line is written for people
//   (`escapingInvisibles`): on standard error always, in tables and lines to look at always, in JSON and
//   rows of values where the output is a terminal.
// - Messages of the errors of the packages beside the root are one line, of at most 4,000 scalars, made so
//   by the error's initializer (`asMessage`); a value in them is its beginning in scalars (`beginning`), as
//   one Character may have any number of marks.
// - Replicas run their own statements with an empty `search_path`, or with the schema before each function.
//   Tables without a row filter are copied without a query: for one, the server runs functions that the
//   owner of the table chose.
// - Files have no view and no trigger, and foreign keys are off. A journal that SQLite would play back is
//   refused before a connection may write (`RollbackJournal`). What is copied, locked or imported beside a
//   file is a regular one, and no link (`RegularFile`). Rows have no more bytes than their file.
// - The file of an export is named by `FileNames.lines(of:in:)`: no name of an entity leads out of the
//   folder.

/// Writes a text so that a parser reads it as one: a name or a literal of SQL, a field of CSV, an element of an array.
///
/// It works on scalars. `String`'s own methods compare Characters, and a quotation mark with a combining
/// mark, a joiner or a variation selector behind it is another Character, which `replacing("\"", …)` leaves
/// alone, and at which every parser of bytes ends the text. Scripts/check-quoting.py rejects such
/// comparisons.
///
/// The packages that read or write other formats link to this file, since `package` ends at each package.
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
