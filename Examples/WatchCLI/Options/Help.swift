/// The texts of `--help` and `--version`.
package enum Help {
  /// The answer to `--version`.
  package static let version = "livestore-watch 0.1.0"

  /// A line of standard error in the tool's name.
  package static func line(_ message: String) -> String {
    "livestore-watch: \(message)"
  }

  /// The answer to `--help`.
  package static let text = """
    livestore-watch keeps a live query over a stream of JSON objects and shows what changes in it.

    usage: livestore-watch [FILE …|-] [options]

    Every line of the input is a JSON object: a new one, or the new value of the one with the same key.
    Without FILE, or for -, standard input is read. It ends at the end of its input.

      --key PATH       where the identity of an object stands (id)
      --where FILTER   which objects to watch, e.g. 'status == "open" AND priority >= 2'
      --sort PATHS     in which order, e.g. priority:desc,title; ties stand in order of insertion
      --limit N        only the first N of them
      --output FORM    changes: lines to look at (the default)
                       json:    one JSON object for each change
                       count:   how many objects there are
      --once           read to the end, then print the result
      --batch LINES    lines to a transaction (1000 for files; what is there to read for pipes)
      --strict         stop at the first bad line, with status 1
      --color WHEN     auto (the default), always or never
      --demo           watch a small social feed, written by several tasks; needs no input
      --help, --version

    Filters compare with = != < <= > >=, CONTAINS, BEGINSWITH and ENDSWITH (with [c] for any case and [d] for
    any diacritics), IN {1, 2}, BETWEEN {1, 9}, and combine by AND, OR, NOT and parentheses. Values are strings
    in quotes, numbers, true, false and nil; a.b.0 leads into objects and arrays. What is missing is nil.
    Objects nest up to 512 levels, filters up to 200. Numbers are exact within the range of a double, and printed
    in their shortest form: 1.50 as 1.5, 1e3 as 1000.
    Values of different types sort as null, false, true, numbers, strings, arrays, objects.

    Under --output json the lines of one version are one change set: take out delete and move by oldIndex, put
    in initial, insert and move at newIndex in ascending order, then set modify at newIndex.

    status: 0 end of input or of the output's reader, 1 bad line under --strict, 64 bad options or filter,
    65 input of bad lines only, 66 input not readable, 74 output not writable, 130 interrupted, 143 terminated
    """
}
