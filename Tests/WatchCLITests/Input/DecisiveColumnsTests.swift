import LiveStore
import TestSupport
import Testing
import livestore_watch

/// Rows are read whole only if the columns that their filters name say so.
@Suite struct DecisiveColumnsTests {
  private static let titles = ["id", "a", "b", "c.d", "c.e", "No.", "e\u{301}", "f", "g", "h"]
  private static let values = ["", "1", "2", "3.50", "x", "y", "\"\"", "true"]

  /// What an input puts and removes, read row by row.
  ///
  /// - Parameter isWhole: whether all rows are read whole, because a path is looked for that none has.
  private func changes(_ options: WatchOptions, _ lines: [String], isWhole: Bool) -> [String] {
    let sought = options.namedPaths + (isWhole ? [NamedPath(steps: ["never"])] : [])
    var reader = DocumentReader(file: "-", rules: options.inputRules, unseen: UnseenPaths(sought))
    var changes: [InputChange] = []
    for line in lines {
      Array((line + "\n").utf8).withUnsafeBytes { reader.read($0, into: &changes) { _ in true } }
    }
    let texts = changes.map { change in
      switch change {
      case .put(let document): document.hasObject ? "put \(document.text)" : "id \(document.id)"
      case .remove(let document): "remove \(document.id)"
      default: "\(change)"
      }
    }
    return texts + ["\(reader.isMet), \(reader.lineCount) lines, \(reader.badLineCount) bad"]
      + reader.unseen.mixedKinds(readAs: options.format)
  }

  @Test(arguments: [
    ["--where", "a > 1"], ["--where", "a == 1 AND b != 2"], ["--where", "NOT (a == nil) OR f == \"x\""],
    ["--where", "[\"No.\"] == 1"], ["--where", "\u{e9} == 1"], ["--where", "c.d > 1", "--nested"],
    ["--where", "[\"c.d\"] > 1"], ["--where", "ANY c == 1", "--nested"], ["--where", "b IN {1, 2}"],
    ["--where", "a * 2 > b"], ["--where", "a BETWEEN {1, 3}"], ["--where", "missing == nil"],
    ["--where", "a > 0", "--delete-when", "b == \"y\""],
    ["--where", "a > 0", "--until", "g == \"y\" AND b == 2"], ["--where", "a > 0", "--sort", "h"],
    ["--where", "a > 0", "--no-key"], ["--where", "a > 0", "--key", "b,f"], ["--where", "TRUEPREDICATE"],
    ["--where", "FALSEPREDICATE"], ["--where", "f == '1'", "--text", "f"],
    ["--where", "a > 0", "--batch", "3"],
    ["--where", "SELF.a > 0"], ["--where", "ANY SELF == 1"],
    ["--where", "SUBQUERY(c, $x, $x == 1).@count == 0"],
  ])
  func `rows of which only some columns are read have the same effect`(arguments: [String]) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    // Each id is there, as a filter may ask for one.
    var rows = (0..<80).map { number in
      [String(number < 20 ? number : Int.random(in: 0..<20, using: &random))]
        + Self.titles.dropFirst().map { _ in Self.values.randomElement(using: &random) ?? "" }
    }
    // The first row is put, and does not end the reading.
    (rows[0][1], rows[0][8]) = ("1", "x")
    let csv = [Self.titles.joined(separator: ",")] + rows.map { $0.joined(separator: ",") } + [",,,,", "\"x"]
    let logfmt = rows.map { row in
      zip(Self.titles, row).filter { !$1.isEmpty }.map { "\($0)=\($1)" }.joined(separator: " ")
    }
    for (format, lines) in [("csv", csv), ("logfmt", logfmt)] {
      guard case .watch(let options) = try Invocation(arguments: ["--input", format] + arguments) else {
        Issue.record("The options are refused.")
        continue
      }
      let expected = changes(options, lines, isWhole: true)
      #expect(changes(options, lines, isWhole: false) == expected, "\(format), seed \(seed)")
      let isEmpty = arguments[1] == "FALSEPREDICATE"
      #expect(expected.contains { $0.hasPrefix("put") } != isEmpty)
    }
  }
}
