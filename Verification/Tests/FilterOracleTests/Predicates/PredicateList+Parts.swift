import Foundation
import LiveStore

extension PredicateList {
  static var texts: [Case] {
    [
      .same(#Predicate<Item> { $0.text.contains("b") }) { $0.text.contains("b") },
      .same(#Predicate<Item> { $0.text.contains("") }) { $0.text.contains("") },
      .same(#Predicate<Item> { $0.text.contains("e") }) { $0.text.contains("e") },
      .same(#Predicate<Item> { $0.text.contains("é") }) { $0.text.contains("é") },
      .same(#Predicate<Item> { $0.text.contains("\n") }) { $0.text.contains("\n") },
      .same(#Predicate<Item> { $0.text.contains("👩") }) { $0.text.contains("👩") },
      .same(#Predicate<Item> { $0.text.contains("か") }) { $0.text.contains("か") },
      .same(#Predicate<Item> { $0.text.starts(with: "a") }) { $0.text.beginsWith("a") },
      .same(#Predicate<Item> { $0.text.starts(with: "") }) { $0.text.beginsWith("") },
      .same(#Predicate<Item> { $0.text.starts(with: "e\u{301}") }) { $0.text.beginsWith("é") },
      .same(#Predicate<Item> { $0.text.starts(with: "日") }) { $0.text.beginsWith("日") },
      .same(#Predicate<Item> { $0.text.starts(with: "\n") }) { $0.text.beginsWith("\n") },
      .same(#Predicate<Item> { $0.text.isEmpty }) { $0.text.isEmpty },
      .same(#Predicate<Item> { $0.text.count > 3 }) { $0.text.count > 3 },
      .evaluated(#Predicate<Item> { $0.text.starts(with: "\r") }),
      .evaluated(#Predicate<Item> { $0.text < "b" }),
      .evaluated(#Predicate<Item> { $0.text >= "é" }),
      .evaluated(#Predicate<Item> { ("a"..."é").contains($0.text) }),
      .evaluated(#Predicate<Item> { $0.maybeText! > "a" }),
    ]
  }

  static var collections: [Case] {
    let (numbers, words) = ([1, 3, 10], ["a", "é", "が"] as Set)
    let optionals: [Int?] = [nil, 3]
    return [
      .same(#Predicate<Item> { numbers.contains($0.int) }) { $0.int.in([1, 3, 10]) },
      .same(#Predicate<Item> { words.contains($0.text) }) { $0.text.in(words) },
      .same(#Predicate<Item> { optionals.contains($0.maybeInt) }) { $0.maybeInt.in([nil, 3]) },
      .same(#Predicate<Item> { numbers.contains($0.maybeInt!) }) { $0.maybeInt.in([1, 3, 10]) },
      .same(#Predicate<Item> { $0.numbers.contains(3) }) { $0.numbers.contains(3) },
      .same(#Predicate<Item> { $0.words.contains("é") }) { $0.words.contains("é") },
      .same(#Predicate<Item> { $0.marks.contains("é") }) { $0.marks.contains("é") },
      .same(#Predicate<Item> { $0.numbers.count == 2 }) { $0.numbers.count == 2 },
      .same(#Predicate<Item> { $0.marks.isEmpty }) { $0.marks.isEmpty },
      .same(#Predicate<Item> { $0.numbers == [] }) { $0.numbers == [] },
      .same(#Predicate<Item> { $0.metadata["k"] == 3 }) { $0.metadata["k"] == 3 },
      .same(#Predicate<Item> { $0.metadata["k"] == nil }) { $0.metadata["k"] == nil },
      .same(#Predicate<Item> { $0.metadata["k"]! > 1 }) { $0.metadata["k"] > 1 },
      .same(#Predicate<Item> { $0.numbers.contains { $0 > 2 } }) { $0.numbers.contains { $0 > 2 } },
      .same(#Predicate<Item> { $0.numbers.allSatisfy { $0 > 0 } }) { $0.numbers.allSatisfy { $0 > 0 } },
      .same(#Predicate<Item> { $0.words.contains { $0.starts(with: "e\u{301}") } }) {
        $0.words.contains { $0.beginsWith("é") }
      },
      .same(#Predicate<Item> { $0.marks.contains { $0.count > 1 } }) { $0.marks.contains { $0.count > 1 } },
      .evaluated(#Predicate<Item> { row in row.numbers.contains { $0 > row.int } }),
      .evaluated(#Predicate<Item> { $0.numbers[0] == 3 }),
      .evaluated(#Predicate<Item> { $0.words.first == "a" }),
      .evaluated(#Predicate<Item> { $0.numbers.filter { $0 > 2 }.count == 1 }),
      .evaluated(#Predicate<Item> { $0.words.contains { $0 < "b" } }),
    ]
  }

  static var joins: [Case] {
    let (yes, no) = (true, false)
    return [
      .same(#Predicate<Item> { $0.int > 1 && $0.text.contains("a") && $0.flag }) {
        $0.int > 1 && $0.text.contains("a") && $0.flag
      },
      .same(#Predicate<Item> { $0.int == 1 || $0.int == 3 || $0.flag }) {
        $0.int == 1 || $0.int == 3 || $0.flag
      },
      .same(#Predicate<Item> { !($0.int > 1 && $0.flag) || $0.maybeInt == nil }) {
        !($0.int > 1 && $0.flag) || $0.maybeInt == nil
      },
      .same(#Predicate<Item> { yes && $0.int > 1 }) { $0.int > 1 },
      .same(#Predicate<Item> { no || $0.int > 1 }) { $0.int > 1 },
      .read(#Predicate<Item> { $0.flag ? $0.int > 1 : $0.maybeInt == nil }),
      .read(#Predicate<Item> { if $0.int > 1 { $0.flag } else { false } }),
    ]
  }

  static var arithmetic: [Case] {
    [
      .same(#Predicate<Item> { $0.real + 1 > 2 }) { $0.real + 1 > 2 },
      .same(#Predicate<Item> { $0.real * $0.real == 4 }) { $0.real * $0.real == 4 },
      .same(#Predicate<Item> { $0.real / 2 < 1 }) { $0.real / 2 < 1 },
      .same(#Predicate<Item> { $0.numbers.count * 2 - 1 == 3 }) { $0.numbers.count * 2 - 1 == 3 },
      .evaluated(#Predicate<Item> { $0.int % 2 == 0 }),
      .evaluated(#Predicate<Item> { -$0.real > 1 }),
      .evaluated(#Predicate<Item> { $0.int / 2 == 1 }),
    ]
  }

  static var evaluated: [Case] {
    [
      .evaluated(#Predicate<Item> { $0.int > 1 && $0.text < "b" }),
      .evaluated(#Predicate<Item> { $0.text < "b" && $0.int > 1 && $0.numbers[0] == 3 }),
      .evaluated(#Predicate<Item> { $0.int == 3 && $0.text < "b" || $0.int == 1 && $0.text >= "b" }),
      .evaluated(#Predicate<Item> { $0.int == 3 || $0.text < "b" }),
      .evaluated(#Predicate<Item> { !($0.int == 3 && $0.text < "b") }),
      .evaluated(#Predicate<Item> { $0.words.contains("a") && $0.numbers[0] > 1 }),
      .evaluated(#Predicate<Item> { $0.numbers[5] > 1 || $0.flag }),
    ]
  }
}
