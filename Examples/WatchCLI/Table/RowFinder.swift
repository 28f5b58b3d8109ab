/// Looks for rows with a text, some of them at a time.
///
/// It knows positions alone: while it looks, no version is held for it, and rows that move meanwhile may be passed over.
struct RowFinder: Sendable {
  /// What is being typed; nil if nothing is.
  private(set) var typed: String?
  /// Why the last search has ended without a row.
  private var failure: String?
  /// The text that is looked for, and its form in which case does not matter.
  private var text = ""
  private var folded: [UInt8] = []
  private var search: Search?

  private struct Search {
    var position: Int
    var seen = 0
    var count = 0
    let step: Int
  }

  /// How long a text may be.
  private static let limit = 200

  /// Whether rows are being looked at.
  var isSearching: Bool { search != nil }

  /// How far the search is, or why the last one has ended without a row.
  var message: String? {
    guard let search else { return failure }
    return "looking for \(text): \(search.seen) of \(search.count) rows, any key stops"
  }

  /// Begins the line in which a text is typed.
  mutating func type() { typed = "" }

  /// Takes in a key of the line; true if it ends with a text to look for. An empty one is the text before.
  mutating func perform(_ key: TerminalKey) -> Bool {
    guard var text = typed else { return false }
    switch key {
    case .character(let character) where text.unicodeScalars.count < Self.limit:
      text.unicodeScalars.append(character)
    case .backspace: if !text.unicodeScalars.isEmpty { text.unicodeScalars.removeLast() }
    case .deleteLine: text = ""
    case .escape:
      typed = nil
      return false
    case .enter:
      typed = nil
      if !text.isEmpty { (self.text, folded) = (text, Array(text.lowercased().utf8)) }
      return !folded.isEmpty
    default: break
    }
    typed = text
    return false
  }

  /// Begins to look through all rows from a position on, in steps of 1 or -1.
  mutating func begin(at position: Int, step: Int) {
    if !folded.isEmpty { search = Search(position: position, step: step) }
  }

  /// Ends a search, and forgets why the one before has failed.
  mutating func stop() { (search, failure) = (nil, nil) }

  /// The position of the next row to look at; nil at the end.
  mutating func next(of count: Int) -> Int? {
    guard var current = search else { return nil }
    guard current.seen < count else {
      (search, failure) = (nil, "not found: \(text)")
      return nil
    }
    let position = (current.position % count + count) % count
    (current.position, current.seen, current.count) = (position + current.step, current.seen + 1, count)
    search = current
    return position
  }

  /// Whether a text contains the one that is looked for, without regard to case.
  func matches(_ text: String) -> Bool {
    var text = text.lowercased()
    return text.withUTF8 { bytes in
      guard bytes.count >= folded.count else { return false }
      return (0...bytes.count - folded.count).contains { start in
        bytes[start] == folded[0] && bytes[start...].starts(with: folded)
      }
    }
  }
}
