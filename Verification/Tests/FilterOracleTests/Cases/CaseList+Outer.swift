import LiveStore
import TestSupport

/// Conditions on linked objects and elements that read the rows around them.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addOuterRows() {
    addOuterValues()
    addOuterElements()
    addOuterOfOneType()
    addOuterLinks()
    addNested()
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterValues() {
    add(
      "SUBQUERY(friends, $f, $f.age > small).@count > 0",
      typed: { row in row.friends.contains { $0.age > row.small } })
    add(
      "SUBQUERY(friends, $f, $f.score == real).@count > 0",
      typed: { row in row.friends.contains { $0.score == row.real } })
    add(
      "NOT SUBQUERY(friends, $f, NOT $f.age > small).@count > 0",
      typed: { row in row.friends.allSatisfy { $0.age > row.small } })
    add(
      "2 <= SUBQUERY(friends, $f, $f.age >= small).@count",
      typed: { row in row.friends.where { $0.age >= row.small }.count >= 2 })
    add(
      "SUBQUERY(friends, $f, flag == YES AND $f.age > 3).@count > 0",
      typed: { row in row.friends.contains { row.flag && $0.age > 3 } })
    add(
      "SUBQUERY(friends, $f, small BETWEEN {1, 5} AND int > small AND $f.score < real).@count == 1",
      meaning: { row in
        row.friends.where { row.small.in(1...5) && row.int > row.small && $0.score < row.real }.count == 1
      })
    add(
      "SUBQUERY(friends, $f, $f.age > owner.age).@count > 0",
      typed: { row in row.friends.contains { $0.age > row.owner.age } })
    add(
      "SUBQUERY(friends, $f, $f.age == friends.@max.age).@count == 1",
      meaning: { row in row.friends.where { $0.age == row.friends.objects.max(\.age) }.count == 1 })
    add(
      "SUBQUERY(friends, $f, ANY numbers == $f.age).@count > 0",
      passes: { row in row.friends.contains { $0.age.map { row.item.numbers.contains($0) } ?? false } })
    add(
      "SUBQUERY(friends, $f, $f.age IN numbers AND NOT text CONTAINS $f.name).@count > 0",
      passes: { row in
        row.friends.contains { friend in
          (friend.age.map { row.item.numbers.contains($0) } ?? false)
            && !CaseText.holds("CONTAINS", "", row.item.text, friend.name)
        }
      })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterElements() {
    add(
      "SUBQUERY(numbers, $n, $n > small).@count > 0",
      typed: { row in row.numbers.contains { $0 > row.small } })
    add(
      "SUBQUERY(numbers, $n, $n != maybeInt).@count == 0",
      meaning: { row in row.numbers.allSatisfy { $0 == row.maybeInt } })
    add(
      "SUBQUERY(words, $w, text BEGINSWITH $w AND $w != '').@count > 0",
      typed: { row in row.words.contains { row.text.beginsWith($0) && $0 != "" } })
    add(
      "SUBQUERY(numbers, $n, ANY friends.age > $n).@count >= 1",
      meaning: { row in row.numbers.contains { number in row.friends.contains { $0.age > number } } })
    add(
      "SUBQUERY(numbers, $n, $n == owner.age).@count > 0",
      meaning: { row in row.numbers.contains { $0 == row.owner.age } })
    add(
      "SUBQUERY(numbers, $n, SUBQUERY(friends, $f, $f.age == $n AND $f.name != text).@count > 0).@count > 0",
      meaning: { row in
        row.numbers.contains { number in row.friends.contains { $0.age == number && $0.name != row.text } }
      })
  }

  /// The object and the row around it are of one entity.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterOfOneType() {
    add(
      "SUBQUERY(owner.items, $i, $i.small > small).@count > 0",
      meaning: { row in row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > row.small } })
    add(
      "SUBQUERY(owner.items, $i, $i != SELF AND $i.small == small).@count > 0",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).contains { $0.id != row.id && $0.small == row.small }
      })
    add(
      "SUBQUERY(owner.items, $i, $i.small > 2 AND small > 2).@count > 0",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > 2 && row.small > 2 }
      })
    add(
      "SUBQUERY(owner.items, $i, $i.id < id).@count < 2",
      meaning: { row in row.owner.linking(\CaseItem<Mode>.owner).where { $0.id < row.id }.count < 2 })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterLinks() {
    add(
      "SUBQUERY(friends, $f, $f.boss == owner).@count > 0",
      typed: { row in row.friends.contains { $0.boss == row.owner } })
    add(
      "SUBQUERY(friends, $f, owner == $f).@count > 0",
      typed: { row in row.friends.contains { row.owner == $0 } })
    add(
      "SUBQUERY(owner.items, $i, $i.owner != owner OR $i == SELF).@count == 1",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).where { $0.owner != row.owner || $0.id == row.id }.count == 1
      })
    add(
      "SUBQUERY(friends, $f, ANY $f.items == SELF).@count > 0",
      passes: { row in row.friends.contains { $0.id == row.item.owner?.id } })
    add(
      "SUBQUERY(friends, $f, SELF IN $f.fans AND $f.age > 5).@count > 0",
      passes: { row in row.friends.contains { ($0.age ?? 0) > 5 } })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addNested() {
    add(
      "SUBQUERY(friends, $f, SUBQUERY($f.items, $i, $i.small == small AND $i.small > $f.age).@count > 0).@count > 0",
      meaning: { row in
        row.friends.contains { friend in
          friend.linking(\CaseItem<Mode>.owner).contains { $0.small == row.small && $0.small > friend.age }
        }
      })
    // The inner objects belong to the row, and not to the outer ones.
    add(
      "SUBQUERY(friends, $f, SUBQUERY(owner.items, $i, $i.small > $f.age AND $i != SELF).@count > 0).@count > 0",
      meaning: { row in
        row.friends.contains { friend in
          row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > friend.age && $0.id != row.id }
        }
      })
    // The same variable in both: the inner one counts.
    add(
      "SUBQUERY(friends, $x, SUBQUERY($x.items, $x, $x.small == small).@count == $x.age).@count > 0",
      passes: { row in
        row.friends.contains { friend in
          row.world.items(of: friend).count { $0.small == row.item.small } == friend.age
        }
      })
    add(
      "SUBQUERY(friends, $f, SUBQUERY($f.items, $i, $i.small > small).@count == friends.@count).@count > 0",
      passes: { row in
        row.friends.contains { friend in
          row.world.items(of: friend).count { $0.small > row.item.small } == row.friends.count
        }
      })
  }
}
