import LiveStore
import TestSupport

/// Precedence, spelling and joins.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addJoins() {
    typealias Atom = (String, @Sendable (CaseItem<Mode>) -> Bool)
    let a: Atom = ("int >= 2", { $0.int >= 2 })
    let b: Atom = ("flag == YES", { $0.flag })
    let c: Atom = ("small < 2", { $0.small < 2 })
    add(
      "\(a.0) AND \(b.0) OR \(c.0)", typed: { $0.int >= 2 && $0.flag == true || $0.small < 2 },
      { row in
        a.1(row.item) && b.1(row.item) || c.1(row.item)
      })
    add(
      "\(a.0) OR \(b.0) AND \(c.0)", typed: { $0.int >= 2 || $0.flag == true && $0.small < 2 },
      { row in
        a.1(row.item) || b.1(row.item) && c.1(row.item)
      })
    add(
      "NOT \(a.0) AND \(b.0)", typed: { !($0.int >= 2) && $0.flag == true },
      { row in
        !a.1(row.item) && b.1(row.item)
      })
    add("NOT \(a.0) OR \(b.0)", passes: { !a.1($0.item) || b.1($0.item) })
    add(
      "NOT (\(a.0) OR \(b.0))", typed: { !($0.int >= 2 || $0.flag == true) },
      { row in
        !(a.1(row.item) || b.1(row.item))
      })
    add("!\(a.0) && \(b.0) || !(\(c.0))", passes: { !a.1($0.item) && b.1($0.item) || !c.1($0.item) })
    // A percent sign in a string stands for itself, also before a letter of an argument, and takes no argument.
    add(
      "text == '100%' OR text == %@", "a", typed: { $0.text.in(["100%", "a"]) },
      { ["100%", "a"].contains($0.item.text) })
    add(
      "text CONTAINS \"%\" AND int != %d", 77, typed: { $0.text.contains("%") && $0.int != 77 },
      { $0.item.text.contains("%") })
    constant("text IN {'100%%', '%@', '%d'} AND %K == %ld", "int", 77, is: false)
    add("NOT NOT \(a.0)", passes: { a.1($0.item) })
    add(
      "(\(a.0) OR \(b.0)) AND (\(b.0) OR \(c.0))",
      passes: { row in
        (a.1(row.item) || b.1(row.item)) && (b.1(row.item) || c.1(row.item))
      })
    add("\(a.0) and \(b.0) or not \(c.0)", passes: { a.1($0.item) && b.1($0.item) || !c.1($0.item) })
    add("\(a.0) OR \(a.0) AND FALSEPREDICATE", passes: { a.1($0.item) })
    add("TRUEPREDICATE AND \(c.0)", typed: { $0.small < 2 }, { c.1($0.item) })
    add("int = 2", typed: { $0.int == 2 }, { $0.item.int == 2 })
    add("int <> 2", typed: { $0.int != 2 }, { $0.item.int != 2 })
    add("int => 2", typed: { $0.int >= 2 }, { $0.item.int >= 2 })
    add("int =< 2", typed: { $0.int <= 2 }, { $0.item.int <= 2 })
    add("self.int == 2", passes: { $0.item.int == 2 })
    add("SELF.int == 2", passes: { $0.item.int == 2 })
    add("#int == 2", passes: { $0.item.int == 2 })
    add("%K > %d", "int", 4, typed: { $0.int > 4 }, { $0.item.int > 4 })
    add("%K.%K == %@", "owner", "name", "Ann", passes: { $0.owner?.name == "Ann" })
    add("%K == %@", "owner.name", "Ann", typed: { $0.owner.name == "Ann" }, { $0.owner?.name == "Ann" })
    add("real > %f", 0.5, typed: { $0.real > 0.5 }, { $0.item.real > 0.5 })
    add("$0 < int AND $1 == flag", 2, true, passes: { $0.item.int > 2 && $0.item.flag })
    add("text == \"it's\"", typed: { $0.text == "it's" }, { $0.item.text == "it's" })
    add("text == 'it\\'s'", typed: { $0.text == "it's" }, { $0.item.text == "it's" })
    add("text == '\\u00e9'", typed: { $0.text == "é" }, { $0.item.text == "é" })
    add("text == 'e\u{301}'", typed: { $0.text == "é" }, { $0.item.text == "é" })
    add("(((int) == (2)))", typed: { $0.int == 2 }, { $0.item.int == 2 })
    add(
      "int == 2 OR int == 3 OR int == 5", typed: { $0.int.in([2, 3, 5]) },
      { row in
        [2, 3, 5].contains(row.item.int)
      })
    add("int > 1 AND int > 2 AND int < 11", passes: { $0.item.int > 2 && $0.item.int < 11 })
    constant("int > 5 AND int < 2", is: false)
    constant("int IN {}", is: false)
    constant("NOT int IN {}", is: true)
    constant("text IN %@", [String](), is: false)
    constant("int BETWEEN {5, 2}", is: false)
    constant("real == %@ AND real != %@", 1.0, 1.0, is: false)
    add(
      "int IN %@", Array(-20...20), typed: { $0.int.in(Array(-20...20)) },
      { (-20...20).contains($0.item.int) })
    add("text IN %@", CasePools.texts, passes: { _ in true })
    markLastConstant()
    add(
      "maybeText == text OR maybeInt == int",
      passes: { row in
        row.item.maybeText == row.item.text
          || row.item.maybeInt == row.item.int
      })
    add(
      "maybeInt != maybeReal",
      passes: { row in
        CaseRelation.holds(
          "!=", row.item.maybeInt.map { CaseNumber($0) }, row.item.maybeReal.map { CaseNumber($0) },
          CaseNumber.order)
      })
    add(
      "date < maybeDate",
      passes: { row in
        CaseRelation.holds("<", row.item.date, row.item.maybeDate, CaseRelation.plainOrder)
      })
    add("date == maybeDate", passes: { $0.item.date == $0.item.maybeDate })
    add("uuid == maybeUUID", passes: { $0.item.uuid == $0.item.maybeUUID })
    add("data == maybeData", passes: { $0.item.data == $0.item.maybeData })
    add("kind == maybeKind", passes: { $0.item.kind == $0.item.maybeKind })
    add("kind != maybeKind", passes: { $0.item.kind != $0.item.maybeKind })
    add("flag == maybeFlag", passes: { $0.item.flag == $0.item.maybeFlag })
    add("url != maybeURL", passes: { $0.item.url != $0.item.maybeURL })
    add(
      "flag == true AND int > 0 AND text BEGINSWITH 'a' AND ANY numbers == 2",
      passes: { row in
        row.item.flag && row.item.int > 0 && row.item.text.hasPrefix("a") && row.item.numbers.contains(2)
      })
    add(
      "ANY numbers == 1 OR ANY numbers == 2 AND ANY words == 'a'",
      passes: { row in
        row.item.numbers.contains(1) || row.item.numbers.contains(2) && row.item.words.contains("a")
      })
    add(
      "NONE numbers == 1 AND NOT (kind == 'draft' OR maybeInt == nil)",
      passes: { row in
        !row.item.numbers.contains(1) && !(row.item.kind == .draft || row.item.maybeInt == nil)
      })
    add(
      "owner.age > 2 AND ANY friends.age > 2 OR text == ''",
      passes: { row in
        (row.owner?.age ?? 0) > 2 && row.friends.contains { ($0.age ?? 0) > 2 } || row.item.text.isEmpty
      })
  }

  /// All cases.
  static var all: [FilterCase<Mode>] {
    var list = CaseList()
    list.addValues()
    list.addTextTests()
    list.addNumbers()
    list.addCollections()
    list.addOuterRows()
    list.addArithmeticOfTypes()
    list.addJoins()
    return list.cases
  }
}
