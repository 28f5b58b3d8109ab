/// The language of filters on one page, for `--help filters` and the manual page.
package enum FilterManual {
  /// What is written, and what it means.
  package struct Entry: Sendable {
    /// The filter, or a part of one.
    package let text: String
    let meaning: String

    init(_ text: String, _ meaning: String) { (self.text, self.meaning) = (text, meaning) }
  }

  /// The entries under their headings.
  package static let sections: [(title: String, entries: [Entry])] = [
    (
      "Comparisons",
      [
        Entry("price > 10", "also < <= >= == != with = and <> for == and !="),
        Entry("price BETWEEN 1 AND 5", "as BETWEEN {1, 5}; both ends belong to it"),
        Entry("state IN ('open', 'new')", "as IN {'open', 'new'}; one of the values"),
        Entry("owner IS NULL", "as owner == nil: missing or null; also IS NOT NULL"),
        Entry("done == true", "true, false; a number is never equal to text: \"7\" is not 7"),
        Entry("price > limit", "of two values of one object"),
      ]
    ),
    (
      "Text",
      [
        Entry("title CONTAINS 'tea'", "also BEGINSWITH, ENDSWITH"),
        Entry("title CONTAINS[cd] 'tea'", "[c] in any case, [d] with any diacritics; also ==[c]"),
        Entry("title LIKE '?ea*'", "? is one character, * any number"),
        Entry("title MATCHES '[a-c]+'", "a regular expression for the whole text"),
      ]
    ),
    (
      "Paths",
      [
        Entry("owner.name", "the member name of the object owner"),
        Entry("tags[0]", "the first element; also tags.0 and tags[last]"),
        Entry("labels[\"a.b/c\"]", "a name with other characters; also [\"No.\"] alone, and `a b`.c"),
      ]
    ),
    (
      "Arrays and objects",
      [
        Entry("tags CONTAINS 'bug'", "whether an array has the element"),
        Entry("ANY items.price > 5", "for some element; also ALL and NONE"),
        Entry("items.@count > 2", "also @sum, @min, @max, @avg: items.@sum.price"),
        Entry("SUBQUERY(items, $x, $x.n > 1).@count > 0", "whether some element meets a filter"),
      ]
    ),
    (
      "Combined",
      [
        Entry("a == 1 AND (b == 2 OR c == 3)", "AND is stronger than OR"),
        Entry("NOT a == 1", "also a NOT IN (1, 2), and NOT before BETWEEN and CONTAINS"),
        Entry("price * count > 100", "+ - * / and ** with numbers; also abs(x), length(x)"),
      ]
    ),
  ]
}

extension Help {
  /// The answer to `--help filters`.
  package static var filters: String {
    let width = FilterManual.sections.flatMap(\.entries).map(\.text.count).max() ?? 0
    let sections = FilterManual.sections.map { title, entries in
      let lines = entries.map { "  \($0.text.padded(to: width))  \($0.meaning)" }
      return ([title + ":"] + lines).joined(separator: "\n")
    }
    let example = "livestore-watch orders.ndjson --where \"state IN ('open', 'new') AND total > 100\""
    return
      (["A filter of --where, --until, --delete-when and --changes-where:"] + sections + [
        "For example:\n  \(example)"
      ])
      .joined(separator: "\n\n")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
