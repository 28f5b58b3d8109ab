import Foundation
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
      typed: { row in row.friends.contains { $0.age > row.small } },
      { row in row.friends.contains { friend in friend.age.map { $0 > Int(row.item.small) } ?? false } })
    add(
      "SUBQUERY(friends, $f, $f.score == real).@count > 0",
      typed: { row in row.friends.contains { $0.score == row.real } },
      { row in row.friends.contains { $0.score == row.item.real } })
    add(
      "NOT SUBQUERY(friends, $f, NOT $f.age > small).@count > 0",
      typed: { row in row.friends.allSatisfy { $0.age > row.small } },
      { row in row.friends.allSatisfy { friend in friend.age.map { $0 > Int(row.item.small) } ?? false } })
    add(
      "2 <= SUBQUERY(friends, $f, $f.age >= small).@count",
      typed: { row in row.friends.where { $0.age >= row.small }.count >= 2 },
      { row in
        row.friends.count { friend in friend.age.map { $0 >= Int(row.item.small) } ?? false } >= 2
      })
    add(
      "SUBQUERY(friends, $f, flag == YES AND $f.age > 3).@count > 0",
      typed: { row in row.friends.contains { row.flag && $0.age > 3 } },
      { row in row.item.flag && row.friends.contains { ($0.age ?? 0) > 3 } })
    add(
      "SUBQUERY(friends, $f, small BETWEEN {1, 5} AND int > small AND $f.score < real).@count == 1",
      meaning: { row in
        row.friends.where { row.small.in(1...5) && row.int > row.small && $0.score < row.real }.count == 1
      },
      { row in
        (1...5).contains(row.item.small) && row.item.int > Int(row.item.small)
          && row.friends.count { $0.score < row.item.real } == 1
      })
    add(
      "SUBQUERY(friends, $f, $f.age > owner.age).@count > 0",
      typed: { row in row.friends.contains { $0.age > row.owner.age } },
      { row in
        row.friends.contains { friend in
          friend.age.flatMap { age in row.owner?.age.map { age > $0 } } ?? false
        }
      })
    add(
      "SUBQUERY(friends, $f, $f.age == friends.@max.age).@count == 1",
      passes: { row in
        let most = row.friends.compactMap(\.age).max()
        return row.friends.count { $0.age == most } == 1
      })
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
      typed: { row in row.numbers.contains { $0 > row.small } },
      { row in row.item.numbers.contains { $0 > Int(row.item.small) } })
    add(
      "SUBQUERY(numbers, $n, $n != maybeInt).@count == 0",
      meaning: { row in row.numbers.allSatisfy { $0 == row.maybeInt } },
      { row in row.item.numbers.allSatisfy { $0 == row.item.maybeInt } })
    add(
      "SUBQUERY(words, $w, text BEGINSWITH $w AND $w != '').@count > 0",
      typed: { row in row.words.contains { row.text.beginsWith($0) && $0 != "" } },
      { row in
        row.item.words.contains { CaseText.holds("BEGINSWITH", "", row.item.text, $0) && $0 != "" }
      })
    add(
      "SUBQUERY(numbers, $n, ANY friends.age > $n).@count >= 1",
      passes: { row in
        row.item.numbers.contains { number in row.friends.contains { ($0.age ?? .min) > number } }
      })
    add(
      "SUBQUERY(numbers, $n, $n == owner.age).@count > 0",
      meaning: { row in row.numbers.contains { $0 == row.owner.age } },
      { row in row.item.numbers.contains { $0 == row.owner?.age } })
    add(
      "SUBQUERY(numbers, $n, SUBQUERY(friends, $f, $f.age == $n AND $f.name != text).@count > 0).@count > 0",
      meaning: { row in
        row.numbers.contains { number in row.friends.contains { $0.age == number && $0.name != row.text } }
      },
      { row in
        row.item.numbers.contains { number in
          row.friends.contains { $0.age == number && $0.name != row.item.text }
        }
      })
  }

  /// The object and the row around it are of one entity.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterOfOneType() {
    add(
      "SUBQUERY(owner.items, $i, $i.small > small).@count > 0",
      meaning: { row in row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > row.small } },
      { row in
        row.owner.map { row.world.items(of: $0).contains { $0.small > row.item.small } } ?? false
      })
    add(
      "SUBQUERY(owner.items, $i, $i != SELF AND $i.small == small).@count > 0",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).contains { $0.id != row.id && $0.small == row.small }
      },
      { row in
        row.owner.map { owner in
          row.world.items(of: owner).contains { $0.id != row.item.id && $0.small == row.item.small }
        } ?? false
      })
    add(
      "SUBQUERY(owner.items, $i, $i.small > 2 AND small > 2).@count > 0",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > 2 && row.small > 2 }
      },
      { row in
        row.owner.map { row.item.small > 2 && row.world.items(of: $0).contains { $0.small > 2 } } ?? false
      })
    add(
      "SUBQUERY(owner.items, $i, $i.id < id).@count < 2",
      meaning: { row in row.owner.linking(\CaseItem<Mode>.owner).where { $0.id < row.id }.count < 2 },
      { row in
        (row.owner.map { row.world.items(of: $0).count { $0.id < row.item.id } } ?? 0) < 2
      })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOuterLinks() {
    add(
      "SUBQUERY(friends, $f, $f.boss == owner).@count > 0",
      typed: { row in row.friends.contains { $0.boss == row.owner } },
      { row in row.friends.contains { $0.boss?.id == row.item.owner?.id } })
    add(
      "SUBQUERY(friends, $f, owner == $f).@count > 0",
      typed: { row in row.friends.contains { row.owner == $0 } },
      { row in row.friends.contains { $0.id == row.item.owner?.id } })
    add(
      "SUBQUERY(owner.items, $i, $i.owner != owner OR $i == SELF).@count == 1",
      meaning: { row in
        row.owner.linking(\CaseItem<Mode>.owner).where { $0.owner != row.owner || $0.id == row.id }.count == 1
      }, { $0.owner != nil })
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
      },
      { row in
        row.friends.contains { friend in
          row.world.items(of: friend).contains { item in
            item.small == row.item.small && friend.age.map { Int(item.small) > $0 } ?? false
          }
        }
      })
    // The inner objects belong to the row, and not to the outer ones.
    add(
      "SUBQUERY(friends, $f, SUBQUERY(owner.items, $i, $i.small > $f.age AND $i != SELF).@count > 0).@count > 0",
      meaning: { row in
        row.friends.contains { friend in
          row.owner.linking(\CaseItem<Mode>.owner).contains { $0.small > friend.age && $0.id != row.id }
        }
      },
      { row in
        row.friends.contains { friend in
          row.owner.map { owner in
            row.world.items(of: owner).contains { item in
              item.id != row.item.id && friend.age.map { Int(item.small) > $0 } ?? false
            }
          } ?? false
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
