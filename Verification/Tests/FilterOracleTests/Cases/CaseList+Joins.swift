import LiveStore
import TestSupport

/// Precedence, spelling and joins.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addJoins() {
    let (a, b, c) = ("int >= 2", "flag == YES", "small < 2")
    add("\(a) AND \(b) OR \(c)", typed: { $0.int >= 2 && $0.flag == true || $0.small < 2 })
    add("\(a) OR \(b) AND \(c)", typed: { $0.int >= 2 || $0.flag == true && $0.small < 2 })
    add("NOT \(a) AND \(b)", typed: { !($0.int >= 2) && $0.flag == true })
    add("NOT \(a) OR \(b)", passes: { $0.item.int < 2 || $0.item.flag })
    add("NOT (\(a) OR \(b))", typed: { !($0.int >= 2 || $0.flag == true) })
    add("!\(a) && \(b) || !(\(c))", passes: { $0.item.int < 2 && $0.item.flag || $0.item.small >= 2 })
    // A percent sign in a string stands for itself, also before a letter of an argument, and takes no argument.
    add("text == '100%' OR text == %@", "a", typed: { $0.text.in(["100%", "a"]) })
    add("text CONTAINS \"%\" AND int != %d", 77, typed: { $0.text.contains("%") && $0.int != 77 })
    constant("text IN {'100%%', '%@', '%d'} AND %K == %ld", "int", 77, is: false)
    add("NOT NOT \(a)", passes: { $0.item.int >= 2 })
    add(
      "(\(a) OR \(b)) AND (\(b) OR \(c))",
      passes: { $0.item.flag || $0.item.int >= 2 && $0.item.small < 2 })
    add("\(a) and \(b) or not \(c)", passes: { $0.item.int >= 2 && $0.item.flag || $0.item.small >= 2 })
    add("\(a) OR \(a) AND FALSEPREDICATE", passes: { $0.item.int >= 2 })
    add("TRUEPREDICATE AND \(c)", typed: { $0.small < 2 })
    add("int = 2", typed: { $0.int == 2 })
    add("int <> 2", typed: { $0.int != 2 })
    add("int => 2", typed: { $0.int >= 2 })
    add("int =< 2", typed: { $0.int <= 2 })
    add("self.int == 2", passes: { $0.item.int == 2 })
    add("SELF.int == 2", passes: { $0.item.int == 2 })
    add("#int == 2", passes: { $0.item.int == 2 })
    add("%K > %d", "int", 4, typed: { $0.int > 4 })
    add("%K.%K == %@", "owner", "name", "Ann", passes: { $0.owner?.name == "Ann" })
    add("%K == %@", "owner.name", "Ann", typed: { $0.owner.name == "Ann" })
    add("real > %f", 0.5, typed: { $0.real > 0.5 })
    add("$0 < int AND $1 == flag", 2, true, passes: { $0.item.int > 2 && $0.item.flag })
    add("text == \"it's\"", typed: { $0.text == "it's" })
    add("text == 'it\\'s'", typed: { $0.text == "it's" })
    add("text == '\\u00e9'", typed: { $0.text == "é" })
    add("text == 'e\u{301}'", typed: { $0.text == "é" })
    add("(((int) == (2)))", typed: { $0.int == 2 })
    add("int == 2 OR int == 3 OR int == 5", typed: { $0.int.in([2, 3, 5]) })
    add("int > 1 AND int > 2 AND int < 11", passes: { $0.item.int > 2 && $0.item.int < 11 })
    constant("int > 5 AND int < 2", is: false)
    constant("int IN {}", is: false)
    constant("NOT int IN {}", is: true)
    constant("text IN %@", [String](), is: false)
    constant("int BETWEEN {5, 2}", is: false)
    constant("real == %@ AND real != %@", 1.0, 1.0, is: false)
    add("int IN %@", Array(-20...20), typed: { $0.int.in(Array(-20...20)) })
    add("text IN %@", CasePools.texts, passes: { _ in true })
    markLastConstant()
    add(
      "maybeText == text OR maybeInt == int",
      passes: { $0.item.maybeText == $0.item.text || $0.item.maybeInt == $0.item.int })
    add("date < maybeDate", passes: { row in row.item.maybeDate.map { row.item.date < $0 } ?? false })
    add("date == maybeDate", passes: { $0.item.date == $0.item.maybeDate })
    add("uuid == maybeUUID", passes: { $0.item.uuid == $0.item.maybeUUID })
    add("data == maybeData", passes: { $0.item.data == $0.item.maybeData })
    add("kind == maybeKind", passes: { $0.item.kind == $0.item.maybeKind })
    add("kind != maybeKind", passes: { $0.item.kind != $0.item.maybeKind })
    add("flag == maybeFlag", passes: { $0.item.flag == $0.item.maybeFlag })
    add("url != maybeURL", passes: { $0.item.url != $0.item.maybeURL })
    add(
      "flag == true AND int > 0 AND text BEGINSWITH 'a' AND ANY numbers == 2",
      meaning: { $0.flag && $0.int > 0 && $0.text.beginsWith("a") && $0.numbers.contains(2) })
    add(
      "ANY numbers == 1 OR ANY numbers == 2 AND ANY words == 'a'",
      meaning: { $0.numbers.contains(1) || $0.numbers.contains(2) && $0.words.contains("a") })
    add(
      "NONE numbers == 1 AND NOT (kind == 'draft' OR maybeInt == nil)",
      meaning: { !$0.numbers.contains(1) && !($0.kind == .draft || $0.maybeInt == nil) })
    add(
      "owner.age > 2 AND ANY friends.age > 2 OR text == ''",
      meaning: { $0.owner.age > 2 && $0.friends.contains { $0.age > 2 } || $0.text == "" })
  }

  /// All cases.
  static var all: [FilterCase<Mode>] {
    var list = CaseList()
    list.addValues()
    list.addTextTests()
    list.addCollections()
    list.addOuterRows()
    list.addArithmetic()
    list.addJoins()
    return list.cases
  }
}
