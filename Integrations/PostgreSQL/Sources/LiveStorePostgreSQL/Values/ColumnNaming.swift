/// How the columns of a table are named after the properties of an object.
///
/// ```swift
/// Replicated("users", User.self, columns: .snakeCase)                            // createdAt is created_at
/// Replicated("users", User.self, columns: .snakeCase.with(["mail": "e_mail"]))   // and mail is e_mail
/// ```
public struct ColumnNaming: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  private enum Style: Sendable, Hashable { case same, snakeCase }

  private let style: Style
  private let names: [String: String]

  /// A column has the name of its property.
  public static let same = ColumnNaming(style: .same, names: [:])

  /// A column has the words of its property in lower case, with underscores between: `authorID` is `author_id`,
  /// `createdAt` is `created_at`, `tagIDs` is `tag_ids`.
  public static let snakeCase = ColumnNaming(style: .snakeCase, names: [:])

  private init(style: Style, names: [String: String]) { (self.style, self.names) = (style, names) }

  /// Columns with names of their own, by their properties. The others have the names of their properties.
  public init(dictionaryLiteral elements: (String, String)...) {
    self = ColumnNaming.same.with(Dictionary(elements, uniquingKeysWith: { _, last in last }))
  }

  /// The same naming, but for some properties.
  ///
  /// - Parameter names: the names of columns by those of their properties.
  public func with(_ names: [String: String]) -> ColumnNaming {
    ColumnNaming(style: style, names: self.names.merging(names) { _, new in new })
  }

  /// The name of the column for a property.
  public func column(for property: String) -> String {
    if let name = names[property] { return name }
    return style == .same ? property : Self.snakeCased(property)
  }

  /// What the property of a column may be named, the likeliest first. Abbreviations in snake case are not told from
  /// other words.
  func properties(for column: String) -> [String] {
    var properties = names.filter { $0.value == column }.map(\.key).sorted()
    if style == .snakeCase {
      let words = column.split(separator: "_")
      properties.append(
        words.prefix(1).joined()
          + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined())
    }
    return (properties + [column]).filter { self.column(for: $0) == column }
  }

  private static func snakeCased(_ name: String) -> String {
    let letters = Array(name)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        let follows = !letters[index - 1].isUppercase
        if follows || (startsWord(letters, after: index) && !isPluralEnd(letters, index + 1)) {
          result += "_"
        }
      }
      result += letter.lowercased()
    }
    return result
  }

  private static func startsWord(_ letters: [Character], after index: Int) -> Bool {
    index + 1 < letters.count && letters[index + 1].isLowercase
  }

  /// Whether the `s` of an abbreviation's plural is at an index, as in `tagIDs` and `tagIDsByName`.
  private static func isPluralEnd(_ letters: [Character], _ index: Int) -> Bool {
    letters[index] == "s" && (index + 1 == letters.count || letters[index + 1].isUppercase)
  }
}
