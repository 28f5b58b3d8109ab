/// The language of filters on one page, for `--help filters` and the manual page.
package enum FilterManual {
  /// What is written and what it means, under headings.
  package static let sections: KeyValuePairs<String, KeyValuePairs<String, String>> = [
    "Comparisons": [
      "price > 10": "also < <= >= == != with = and <> for == and !=",
      "price BETWEEN 1 AND 5": "as BETWEEN {1, 5}; both ends belong to it",
      "state IN ('open', 'new')": "as IN {'open', 'new'}; one of the values",
      "owner IS NULL": "as owner == nil: missing or null; also IS NOT NULL",
      "done == true": "true, false; a number is never equal to text: \"7\" is not 7",
      "price > limit": "of two values of one object",
    ],
    "Text": [
      "title CONTAINS 'tea'": "also BEGINSWITH, ENDSWITH",
      "title CONTAINS[cd] 'tea'": "[c] in any case, [d] with any diacritics; also ==[c]",
      "title LIKE '?ea*'": "? is one character, * any number",
      "title MATCHES '[a-c]+'": "a regular expression for the whole text",
    ],
    "Paths": [
      "owner.name": "the member name of the object owner",
      "tags[0]": "the first element; also tags.0 and tags[last]",
      "labels[\"a.b/c\"]": "a name with other characters; also [\"No.\"] alone, and `a b`.c",
    ],
    "Arrays and objects": [
      "tags CONTAINS 'bug'": "whether an array has the element",
      "ANY items.price > 5": "for some element; also ALL and NONE",
      "items.@count > 2": "also @sum, @min, @max, @avg: items.@sum.price",
      "SUBQUERY(items, $x, $x.n > 1).@count > 0": "whether some element meets a filter",
    ],
    "Combined": [
      "a == 1 AND (b == 2 OR c == 3)": "AND is stronger than OR",
      "NOT a == 1": "also a NOT IN (1, 2), and NOT before BETWEEN and CONTAINS",
      "price * count > 100": "+ - * / and ** with numbers; also abs(x), length(x)",
    ],
  ]
}

extension Help {
  /// The answer to `--help filters`.
  package static var filters: String {
    let width = FilterManual.sections.flatMap(\.value).map(\.key.count).max() ?? 0
    let sections = FilterManual.sections.map { title, entries in
      let lines = entries.map { "  \($0.fitted(to: width))  \($1)" }
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
