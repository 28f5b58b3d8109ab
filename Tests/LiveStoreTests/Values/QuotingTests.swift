import LiveStore
import Testing

/// Bug: a quotation mark with a combining mark, a joiner or a variation selector behind it was not doubled, as `String`
/// compares Characters, and such a pair is another one. So a name could end itself, and go on as SQL.
@Suite struct `Quoting of texts` {
  /// What makes another Character of the one before it.
  private static let marks = ["", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{20DD}"]
  private static let special: [Unicode.Scalar] = ["\"", "'", "`", "\\", ",", "\n"]

  private static let texts: [String] = {
    var texts: [String] = []
    for scalar in special {
      for mark in marks {
        texts += ["\(scalar)\(mark)", "a\(scalar)\(mark)b", "\(mark)\(scalar)\(scalar)\(mark)"]
      }
    }
    return texts
  }()

  @Test(arguments: texts) func `each special character is preceded by its mark, whatever stands behind it`(
    text: String
  ) {
    for scalar in Self.special {
      guard let byte = scalar.utf8.first else { continue }
      let doubled: [UInt8] = text.utf8.flatMap { $0 == byte ? [byte, byte] : [$0] }
      #expect(Array(Quoting.quoted(text, by: scalar).utf8) == [byte] + doubled + [byte])
      let escaped: [UInt8] = text.utf8.flatMap { $0 == byte || $0 == 0x5C ? [0x5C, $0] : [$0] }
      #expect(Array(Quoting.escaped(text, [scalar, "\\"], with: "\\").utf8) == escaped)
    }
  }

  @Test func `characters that are equal to a mark but are not it stay as they are`() {
    // Canonical equivalents of a backquote and a semicolon.
    #expect(
      Array(Quoting.quoted("\u{1FEF}\u{37E}", by: "`").unicodeScalars) == ["`", "\u{1FEF}", "\u{37E}", "`"])
  }

  private struct Item: Entity {
    let id: Int
    var name: String
    static let schema = Schema<Item> { \.name }
  }

  @Test(arguments: [SQLDialect.sqlite, .postgreSQL], marks)
  func `the name of a column is quoted in a condition and an order, whatever it has`(
    dialect: SQLDialect, mark: String
  ) {
    let selection = Item.where { $0.name == "x" }.sorted(by: \.name).sql(dialect) { _ in "a\"\(mark) OR 1" }
    let name = Array("\"a\"\"\(mark) OR 1\"".unicodeScalars)
    #expect(Array(selection.condition.unicodeScalars.prefix(name.count)) == name)
    #expect(Array((selection.order ?? "").unicodeScalars.prefix(name.count)) == name)
  }
}
