import Foundation
import LiveStore

enum PredicateList<Mode: CaseMode> {
  typealias Item = CaseItem<Mode>
  typealias Case = PredicateCase<Mode>

  static var all: [Case] {
    values + orders + optionals + chains + texts + collections + joins + arithmetic + evaluated
  }

  static var values: [Case] {
    let (uuid, url, date) = (CasePools.uuids[1], CasePools.urls[1], CasePools.dates[3])
    let (data, decimal, undefined) = (CasePools.datas[2], CasePools.decimal("2.5"), Double.nan)
    return [
      .same(#Predicate<Item> { $0.int == 3 }) { $0.int == 3 },
      .same(#Predicate<Item> { $0.int != 3 }) { $0.int != 3 },
      .same(#Predicate<Item> { $0.id == 7 }) { $0.id == 7 },
      .same(#Predicate<Item> { 3 == $0.int }) { $0.int == 3 },
      .same(#Predicate<Item> { $0.real == 0 }) { $0.real == 0 },
      .same(#Predicate<Item> { $0.real == undefined }) { $0.real == undefined },
      .same(#Predicate<Item> { $0.real != undefined }) { $0.real != undefined },
      .same(#Predicate<Item> { $0.uuid == uuid }) { $0.uuid == uuid },
      .same(#Predicate<Item> { $0.url == url }) { $0.url == url },
      .same(#Predicate<Item> { $0.date == date }) { $0.date == date },
      .same(#Predicate<Item> { $0.data == data }) { $0.data == data },
      .same(#Predicate<Item> { $0.decimal == decimal }) { $0.decimal == decimal },
      .same(#Predicate<Item> { $0.text == "é" }) { $0.text == "é" },
      .same(#Predicate<Item> { $0.text != "é" }) { $0.text != "é" },
      .same(#Predicate<Item> { $0.flag }) { $0.flag },
      .same(#Predicate<Item> { !$0.flag }) { !$0.flag },
      .same(#Predicate<Item> { $0.flag == false }) { $0.flag == false },
      .same(#Predicate<Item> { $0.small == -1 }) { $0.small == -1 },
    ]
  }

  static var orders: [Case] {
    let (infinity, undefined, date, decimal) = (
      Double.infinity, Double.nan, CasePools.dates[2], CasePools.decimal("0.5")
    )
    let range = 1..<6
    return [
      .same(#Predicate<Item> { $0.int > 2 }) { $0.int > 2 },
      .same(#Predicate<Item> { 2 > $0.int }) { $0.int < 2 },
      .same(#Predicate<Item> { 2 <= $0.int }) { $0.int >= 2 },
      .same(#Predicate<Item> { $0.small <= -1 }) { $0.small <= -1 },
      .same(#Predicate<Item> { $0.big >= 10 }) { $0.big >= 10 },
      .same(#Predicate<Item> { $0.real < 2.5 }) { $0.real < 2.5 },
      .same(#Predicate<Item> { $0.real < infinity }) { $0.real < infinity },
      .same(#Predicate<Item> { $0.real >= undefined }) { $0.real >= undefined },
      .same(#Predicate<Item> { !($0.real >= 1) }) { !($0.real >= 1) },
      .same(#Predicate<Item> { $0.float > 0.5 }) { $0.float > 0.5 },
      .same(#Predicate<Item> { $0.decimal > decimal }) { $0.decimal > decimal },
      .same(#Predicate<Item> { $0.date > date }) { $0.date > date },
      .same(#Predicate<Item> { (1...5).contains($0.int) }) { $0.int.in(1...5) },
      .same(#Predicate<Item> { range.contains($0.int) }) { $0.int.in(1..<6) },
      .same(#Predicate<Item> { (0.5..<10).contains($0.real) }) { $0.real.in(0.5..<10) },
      .same(#Predicate<Item> { $0.real > $0.real }) { $0.real > $0.real },
      .same(#Predicate<Item> { $0.maybeText == $0.code }) { $0.maybeText == $0.code },
      .same(#Predicate<Item> { $0.maybeText != $0.code }) { $0.maybeText != $0.code },
    ]
  }

  static var optionals: [Case] {
    let none: Int? = nil
    return [
      .same(#Predicate<Item> { $0.maybeInt == nil }) { $0.maybeInt == nil },
      .same(#Predicate<Item> { $0.maybeInt != nil }) { $0.maybeInt != nil },
      .same(#Predicate<Item> { $0.maybeInt == none }) { $0.maybeInt == none },
      .same(#Predicate<Item> { $0.maybeInt == 3 }) { $0.maybeInt == 3 },
      .same(#Predicate<Item> { $0.maybeInt != 3 }) { $0.maybeInt != 3 },
      .same(#Predicate<Item> { $0.maybeFlag == true }) { $0.maybeFlag == true },
      .same(#Predicate<Item> { $0.maybeFlag != true }) { $0.maybeFlag != true },
      .same(#Predicate<Item> { $0.maybeFlag ?? true }) { ($0.maybeFlag ?? true) == true },
      .same(#Predicate<Item> { ($0.maybeInt ?? 3) > 2 }) { ($0.maybeInt ?? 3) > 2 },
      .same(#Predicate<Item> { ($0.maybeText ?? "a") == "a" }) { ($0.maybeText ?? "a") == "a" },
      // Unwrapping throws for nil, and no row passes that throws.
      .same(#Predicate<Item> { $0.maybeInt! > 2 }) { $0.maybeInt > 2 },
      .same(#Predicate<Item> { $0.maybeInt! == 3 }) { $0.maybeInt == 3 },
      .same(#Predicate<Item> { $0.maybeReal! <= 2.5 }) { $0.maybeReal <= 2.5 },
      .same(#Predicate<Item> { (1...5).contains($0.maybeInt!) }) { $0.maybeInt.in(1...5) },
      .same(#Predicate<Item> { $0.maybeInt != nil && $0.maybeInt! < 5 }) {
        $0.maybeInt != nil && $0.maybeInt < 5
      },
      .read(#Predicate<Item> { $0.maybeInt! != 3 }),
      .read(#Predicate<Item> { !($0.maybeInt! > 2) }),
      .read(#Predicate<Item> { !($0.maybeInt! == 3) }),
      .read(#Predicate<Item> { $0.maybeInt! > 2 || $0.flag }),
      .read(#Predicate<Item> { $0.flag || $0.maybeInt! > 2 }),
      .read(#Predicate<Item> { !($0.flag && $0.maybeInt! > 2) }),
      .read(#Predicate<Item> { !($0.maybeInt! > 2 && $0.flag) }),
      .read(#Predicate<Item> { !($0.maybeInt == nil || $0.maybeInt! > 2) }),
      .read(#Predicate<Item> { $0.maybeInt == nil || $0.maybeInt! > 2 }),
      .read(#Predicate<Item> { $0.maybeReal! == $0.maybeReal! }),
      .read(#Predicate<Item> { $0.maybeText! != $0.code! }),
    ]
  }

  static var chains: [Case] {
    [
      .same(#Predicate<Item> { $0.maybeText?.contains("b") == true }) { $0.maybeText.contains("b") },
      .same(#Predicate<Item> { $0.maybeText?.contains("b") ?? false }) { $0.maybeText.contains("b") },
      .same(#Predicate<Item> { if let text = $0.maybeText { text.contains("b") } else { false } }) {
        $0.maybeText.contains("b")
      },
      .same(#Predicate<Item> { $0.maybeInt.flatMap { $0 > 2 } == true }) { $0.maybeInt > 2 },
      .same(#Predicate<Item> { $0.maybeText?.count == 3 }) { $0.maybeText.count == 3 },
      .read(#Predicate<Item> { $0.maybeText?.contains("b") == false }),
      .read(#Predicate<Item> { $0.maybeText?.contains("b") != true }),
      .read(#Predicate<Item> { $0.maybeText?.contains("b") ?? true }),
      .read(#Predicate<Item> { $0.maybeText?.contains("b") == nil }),
      .read(#Predicate<Item> { $0.maybeInt.flatMap { $0 != 3 } == true }),
      .read(#Predicate<Item> { $0.maybeInt.flatMap { !($0 > 2) } == true }),
      .read(#Predicate<Item> { $0.maybeInt.flatMap { !($0 > 2) } ?? true }),
      .read(#Predicate<Item> { row in row.maybeInt.flatMap { $0 > 2 || row.flag } == true }),
      .read(#Predicate<Item> { row in row.maybeInt.flatMap { row.flag || $0 > 2 } == true }),
      .read(#Predicate<Item> { row in row.maybeInt.flatMap { row.flag && $0 > 2 } == false }),
      .read(#Predicate<Item> { row in row.maybeInt.flatMap { $0 > 2 && row.maybeReal! > 1 } ?? true }),
      .read(#Predicate<Item> { row in row.maybeInt.flatMap { $0 > 2 || row.maybeReal! > 1 } == false }),
      .read(#Predicate<Item> { $0.maybeText?.isEmpty == true }),
      .read(#Predicate<Item> { $0.maybeText?.isEmpty ?? true }),
      .read(#Predicate<Item> { $0.maybeText!.count > 2 }),
      .read(#Predicate<Item> { !($0.maybeText!.isEmpty) }),
    ]
  }
}
