import LiveStore
import TestSupport

/// Collections of values, links, lists of links and backlinks.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addCollections() {
    addElements()
    addQuantifiers()
    addAggregates()
    addLinks()
    addLists()
    addBacklinks()
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addElements() {
    add("ANY numbers == 2", typed: { $0.numbers.contains(2) })
    add("numbers == 2", typed: { $0.numbers.contains(2) })
    add("2 IN numbers", typed: { $0.numbers.contains(2) })
    add("%@ IN numbers", 5, typed: { $0.numbers.contains(5) })
    add("SOME words == 'a'", typed: { $0.words.contains("a") })
    add("'é' IN words", typed: { $0.words.contains("é") })
    add("any words == ''", typed: { $0.words.contains("") })
    add("ANY marks == 'ß'", typed: { $0.marks.contains("ß") })
    add("'swift' IN marks", typed: { $0.marks.contains("swift") })
    add("marks == 'éx'", typed: { $0.marks.contains("éx") })
    add("NOT 2 IN numbers", typed: { !$0.numbers.contains(2) })
    add("NONE numbers == 2", meaning: { !$0.numbers.contains(2) })
    add("numbers.@count == 2", typed: { $0.numbers.count == 2 })
    add("words.@count > 1", typed: { $0.words.count > 1 })
    add("marks.@count == 0", typed: { $0.marks.count == 0 })
    add("metadata.@count == 1", typed: { $0.metadata.count == 1 })
    add("metadata[\"k\"] == 1", meaning: { $0.metadata["k"] == 1 })
    add("metadata['l'] > 1", passes: { ($0.item.metadata["l"] ?? 0) > 1 })
    add("metadata[\"k\"] == nil", passes: { $0.item.metadata["k"] == nil })
    add("metadata[\"\"] != 2", passes: { $0.item.metadata[""] != 2 })
    add("metadata[\"k\"] IN {0, 3}", passes: { [0, 3].contains($0.item.metadata["k"]) })
    add("metadata[\"k\"] BETWEEN {1, 2}", passes: { [1, 2].contains($0.item.metadata["k"]) })
    add("metadata[\"k\"] > metadata[\"l\"]", meaning: { $0.metadata["k"] > $0.metadata["l"] })
    constant("metadata[\"missing\"] == nil", is: true)
    constant("ANY numbers == 77", is: false)
  }

  /// `ANY`, `ALL` and `NONE` under every relation: of nothing, all are and none is.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addQuantifiers() {
    for (quantifier, reduce) in Self.quantifiers {
      for relation in CaseRelation.all {
        add(
          "\(quantifier) numbers \(relation) 2",
          passes: { reduce($0.item.numbers.map { CaseRelation.holds(relation, CaseRelation.order($0, 2)) }) })
        add(
          "\(quantifier) words \(relation) 'a'",
          passes: { reduce($0.item.words.map { CaseRelation.holds(relation, textOrder($0, "a")) }) })
      }
      for (relation, options, text) in [
        ("BEGINSWITH", "", "e\u{301}"), ("CONTAINS", "cd", "E"), ("ENDSWITH", "c", "C"), ("LIKE", "", "*c"),
        ("==", "c", "A"),
      ] {
        let modifier = options.isEmpty ? "" : "[\(options)]"
        add(
          "\(quantifier) words \(relation)\(modifier) %@", text,
          passes: { reduce($0.item.words.map { CaseText.holds(relation, options, $0, text) }) })
        add(
          "\(quantifier) marks \(relation)\(modifier) %@", text,
          passes: { reduce($0.item.marks.map { CaseText.holds(relation, options, $0, text) }) })
      }
      add(
        "\(quantifier) numbers IN {1, 2, 3}", passes: { reduce($0.item.numbers.map { (1...3).contains($0) }) }
      )
      add(
        "\(quantifier) numbers BETWEEN {0, 2}",
        passes: { reduce($0.item.numbers.map { (0...2).contains($0) }) })
      add("\(quantifier) numbers > 1.5", passes: { reduce($0.item.numbers.map { $0 > 1 }) })
      add(
        "\(quantifier) numbers == small",
        passes: { row in reduce(row.item.numbers.map { $0 == Int(row.item.small) }) })
      add("\(quantifier) friends.age > 5", passes: { reduce($0.friends.map { ($0.age ?? 0) > 5 }) })
      add("\(quantifier) friends.age == nil", passes: { reduce($0.friends.map { $0.age == nil }) })
      add(
        "\(quantifier) friends.name BEGINSWITH[c] 'a'",
        passes: { reduce($0.friends.map { CaseText.holds("BEGINSWITH", "c", $0.name, "a") }) })
      add("\(quantifier) friends.score >= 1", passes: { reduce($0.friends.map { $0.score >= 1 }) })
    }
    add("friends.age > 5", passes: { $0.friends.contains { ($0.age ?? 0) > 5 } })
    add("numbers > 2", passes: { $0.item.numbers.contains { $0 > 2 } })
    add("words BEGINSWITH 'a'", passes: { $0.item.words.contains { $0.hasPrefix("a") } })
    add("NOT ANY numbers > 2", passes: { !$0.item.numbers.contains { $0 > 2 } })
    add("NOT ALL numbers > 2", passes: { !$0.item.numbers.allSatisfy { $0 > 2 } })
  }

  private static var quantifiers: [(String, @Sendable ([Bool]) -> Bool)] {
    [("ANY", { $0.contains(true) }), ("ALL", { !$0.contains(false) }), ("NONE", { !$0.contains(true) })]
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addAggregates() {
    add("numbers.@sum == 5", passes: { $0.item.numbers.reduce(0, +) == 5 })
    add("numbers.@sum == 0", passes: { $0.item.numbers.reduce(0, +) == 0 })
    add("numbers.@max > 2", passes: { ($0.item.numbers.max() ?? 0) > 2 })
    add("numbers.@min < 1", passes: { ($0.item.numbers.min() ?? 1) < 1 })
    add("numbers.@min == nil", passes: { $0.item.numbers.isEmpty })
    add("numbers.@avg == 1.5", meaning: { $0.numbers.average() == 1.5 })
    add("numbers.@avg > 1", meaning: { $0.numbers.average() > 1 })
    add("numbers.@avg == nil", passes: { $0.item.numbers.isEmpty })
    add("numbers.@max == numbers.@min", passes: { $0.item.numbers.max() == $0.item.numbers.min() })
    add("friends.@count == 0", typed: { $0.friends.count == 0 })
    add("friends.@count >= 2", typed: { $0.friends.count >= 2 })
    add("friends.@sum.age > 10", passes: { $0.friends.compactMap(\.age).reduce(0, +) > 10 })
    add("friends.@sum.age == 0", passes: { $0.friends.compactMap(\.age).reduce(0, +) == 0 })
    add("friends.@max.age >= 9", passes: { ($0.friends.compactMap(\.age).max() ?? 0) >= 9 })
    add("friends.@min.age < 3", passes: { ($0.friends.compactMap(\.age).min() ?? 3) < 3 })
    add("friends.@avg.age > 5", meaning: { $0.friends.objects.average(\.age) > 5 })
    add("friends.@max.age == nil", passes: { $0.friends.compactMap(\.age).isEmpty })
    add("friends.@count > numbers.@count", passes: { $0.friends.count > $0.item.numbers.count })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addLinks() {
    add("owner.name == 'Ann'", typed: { $0.owner.name == "Ann" })
    add("owner.name != 'Ann'", typed: { $0.owner.name != "Ann" })
    add("owner.name == %@", "E\u{301}va", typed: { $0.owner.name == "Éva" })
    add(
      "owner.name CONTAINS[cd] 'N'",
      typed: { $0.owner.name.contains("N", options: [.caseInsensitive, .diacriticInsensitive]) })
    add("owner.age > 5", typed: { $0.owner.age > 5 })
    add("owner.age == nil", typed: { $0.owner.age == nil })
    add("owner.age != nil", typed: { $0.owner.age != nil })
    add("owner.age IN {1, 2, 3, nil}", passes: { [1, 2, 3, nil].contains($0.owner?.age) })
    add("owner.age BETWEEN {2, 8}", typed: { $0.owner.age.in(2...8) })
    add("owner.boss.name == 'Bea'", typed: { $0.owner.boss.name == "Bea" })
    add("owner.boss.age < 6", typed: { $0.owner.boss.age < 6 })
    add("owner.boss == nil", typed: { $0.owner.boss == nil })
    add("owner.boss.boss == nil", passes: { $0.boss?.boss == nil })
    add("owner == %@", CaseOwner<Mode>(id: "bea"), typed: { $0.owner == "bea" })
    add("owner == %@", Ref<CaseOwner<Mode>>("cyd"), typed: { $0.owner == "cyd" })
    add("owner != %@", Ref<CaseOwner<Mode>>("cyd"), typed: { $0.owner != "cyd" })
    add("owner.id == 'ann'", meaning: { $0.owner == "ann" })
    add(
      "owner IN %@", ["ann", "eve"].map { Ref<CaseOwner<Mode>>($0) },
      passes: { ["ann", "eve"].contains($0.item.owner?.id) })
    add("owner.age > small", passes: { row in (row.owner?.age).map { $0 > Int(row.item.small) } ?? false })
    add("owner.age + 1 == 5", passes: { $0.owner?.age == 4 })
    add("id == 3", typed: { $0.id == 3 })
    add("id < 7", meaning: { $0.id < 7 })
    add("id IN {1, 2, 99}", typed: { $0.id.in([1, 2, 99]) })
    add("id BETWEEN {3, 8} AND int >= 0", passes: { (3...8).contains($0.item.id) && $0.item.int >= 0 })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addLists() {
    let ann = Ref<CaseOwner<Mode>>("ann")
    add("ANY friends == %@", ann, typed: { $0.friends.contains(ann) })
    add("%@ IN friends", ann, typed: { $0.friends.contains(ann) })
    add("NONE friends == %@", ann, meaning: { !$0.friends.contains(ann) })
    add("ANY friends.name == 'Ann'", typed: { $0.friends.contains { $0.name == "Ann" } })
    add("ANY friends.age >= 8", typed: { $0.friends.contains { $0.age >= 8 } })
    add("ANY friends.age IN {1, 2, 3}", meaning: { $0.friends.contains { $0.age.in([1, 2, 3]) } })
    add("ALL friends.age < 8", meaning: { $0.friends.allSatisfy { $0.age < 8 } })
    add("ANY friends.boss.age > 5", meaning: { $0.friends.contains { $0.boss.age > 5 } })
    add(
      "SUBQUERY(friends, $f, $f.age > 3 AND $f.name != 'Ann').@count >= 1",
      meaning: { $0.friends.where { $0.age > 3 && $0.name != "Ann" }.count >= 1 })
    add(
      "SUBQUERY(friends, $f, $f.score > 0 OR $f.age == nil).@count == 2",
      passes: { $0.friends.count { $0.score > 0 || $0.age == nil } == 2 })
    add(
      "SUBQUERY(friends, $f, $f.boss == nil).@count == 0",
      passes: { !$0.friends.contains { $0.boss == nil } })
    add(
      "SUBQUERY(friends, $f, $f.age > 6).@count == friends.@count",
      passes: { $0.friends.allSatisfy { ($0.age ?? 0) > 6 } })
    add(
      "SUBQUERY(friends, $f, ANY $f.items.flag == YES).@count > 0",
      meaning: { $0.friends.contains { $0.linking(\CaseItem<Mode>.owner).contains { $0.flag } } })
    add(
      "NOT SUBQUERY(friends, $f, $f.name CONTAINS[d] 'E').@count > 0",
      passes: { !$0.friends.contains { CaseText.holds("CONTAINS", "d", $0.name, "E") } })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addBacklinks() {
    add(
      "owner != nil AND owner.items.@count > 6",
      meaning: { $0.owner != nil && $0.owner.linking(\CaseItem<Mode>.owner).count > 6 })
    add(
      "ANY owner.items.int == 10",
      meaning: { $0.owner.linking(\CaseItem<Mode>.owner).contains { $0.int == 10 } })
    add(
      "ANY owner.items.text BEGINSWITH[cd] 'É'",
      meaning: {
        $0.owner.linking(\CaseItem<Mode>.owner).contains {
          $0.text.beginsWith("É", options: [.caseInsensitive, .diacriticInsensitive])
        }
      })
    add(
      "owner != nil AND ALL owner.items.small < 100",
      meaning: { $0.owner != nil && $0.owner.linking(\CaseItem<Mode>.owner).allSatisfy { $0.small < 100 } })
    add(
      "owner != nil AND NONE owner.items.small == 127",
      meaning: { $0.owner != nil && !$0.owner.linking(\CaseItem<Mode>.owner).contains { $0.small == 127 } })
    add(
      "owner.items.@max.small == 127",
      meaning: { $0.owner.linking(\CaseItem<Mode>.owner).max(\.small) == 127 })
    add(
      "SUBQUERY(owner.items, $i, $i.flag == NO AND $i.small > 1).@count > 2",
      meaning: { $0.owner.linking(\CaseItem<Mode>.owner).where { !$0.flag && $0.small > 1 }.count > 2 })
    add(
      "owner != nil AND owner.fans.@count >= 12",
      meaning: { $0.owner != nil && $0.owner.linking(\CaseItem<Mode>.friends).count >= 12 })
    add(
      "ANY friends.items.small == 127",
      passes: { row in row.friends.contains { row.world.items(of: $0).contains { $0.small == 127 } } })
  }
}
