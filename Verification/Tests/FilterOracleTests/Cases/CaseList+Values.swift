import Foundation
import LiveStore

/// Properties compared with constants of their own type.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addValues() {
    addOrdered("int", \.int, [0, 3, -7, 9_007_199_254_740_993, .max], spelled: { "\($0)" })
    addOptional("maybeInt", \.maybeInt, [0, 2, .min], spelled: { $0 == .min ? nil : "\($0)" })
    addOrdered("small", \.small, [2, -1], spelled: { "\($0)" })
    addOrdered("big", \.big, [10, .max - 1, 9_223_372_036_854_775_808], spelled: { $0 > 10 ? nil : "\($0)" })
    addOrdered("real", \.real, [0, -0.0, 0.1, 2.5, .infinity, .nan], spelled: { $0 == 2.5 ? "25e-1" : nil })
    addOptional("maybeReal", \.maybeReal, [0.5, -.infinity, .nan], spelled: { $0 == 0.5 ? ".5" : nil })
    addOrdered("float", \.float, [0.1, 2.5], spelled: { "\($0)" })
    addOrdered("decimal", \.decimal, ["0.1", "9007199254740993"].map(CasePools.decimal))
    addOptional("maybeDecimal", \.maybeDecimal, ["0.3"].map(CasePools.decimal))
    addOrdered("date", \.date, [0, 0.5].map { Date(timeIntervalSinceReferenceDate: $0) })
    addOptional(
      "maybeDate", \.maybeDate, [Date(timeIntervalSinceReferenceDate: 86_400)],
      spelled: { _ in "CAST(86400, 'NSDate')" })
    addTexts()
    addUnordered()
    addNil()
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addTexts() {
    let constants = [
      "", "a", "abcdefgh", "abcdefghi", "é", "e\u{301}", "ß", "日本", "A\u{30A}", "\r\n", "a\"b",
    ]
    let spell: (String) -> String? = { text in
      text == "\r\n" ? "'\\r\\n'" : "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
    for relation in CaseRelation.all {
      for text in constants where text != "" || !["<", ">="].contains(relation) {
        addOne(
          "text", relation, text, spell(text), isConstant: text == "a\"b" && ["==", "!="].contains(relation)
        ) { CaseRelation.expression(relation, $0.text, text) }
      }
      for text in ["abcdefgh", "E\u{301}", "İ"] {
        addOne("maybeText", relation, text, spell(text)) {
          CaseRelation.expression(relation, $0.maybeText, text)
        }
      }
      addOne("code", relation, "c12", "'c12'") { CaseRelation.expression(relation, $0.code, "c12") }
    }
  }

  /// Types that are equal or not, and have no order.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addUnordered() {
    add("flag == true", typed: { $0.flag == true })
    add("flag == NO", typed: { $0.flag == false })
    add("flag != %@", true, typed: { $0.flag != true })
    add("maybeFlag == YES", typed: { $0.maybeFlag == true })
    add("maybeFlag != TRUE", typed: { $0.maybeFlag != true })
    add("maybeFlag == false", typed: { $0.maybeFlag == false })
    let (data, uuid, url) = (CasePools.datas[2], CasePools.uuids[1], CasePools.urls[1])
    add("data == %@", data, typed: { $0.data == data })
    add("data != %@", Data(), typed: { $0.data != Data() })
    add("maybeData == %@", data, typed: { $0.maybeData == data })
    add("maybeData != %@", data, typed: { $0.maybeData != data })
    add("uuid == %@", uuid, typed: { $0.uuid == uuid })
    add("uuid != %@", uuid, typed: { $0.uuid != uuid })
    add("maybeUUID == %@", uuid, typed: { $0.maybeUUID == uuid })
    add("maybeUUID != %@", uuid, typed: { $0.maybeUUID != uuid })
    add("url == %@", url, typed: { $0.url == url })
    add("url != %@", url, typed: { $0.url != url })
    add("maybeURL == %@", url, typed: { $0.maybeURL == url })
    add("maybeURL != %@", url, typed: { $0.maybeURL != url })
    add("kind == %@", CaseKind.published, typed: { $0.kind == .published })
    add("kind == 'published'", typed: { $0.kind == .published })
    add("kind != 'draft'", typed: { $0.kind != .draft })
    add("maybeKind == 'draft'", typed: { $0.maybeKind == .draft })
    add("maybeKind != %@", CaseKind.archived, typed: { $0.maybeKind != .archived })
    add("level == 2", typed: { $0.level == .middle })
    add("level != %@", CaseLevel.high, typed: { $0.level != .high })
    add("shade == %@", CaseShade.green, typed: { $0.shade == .green })
    add("shade != %@", CaseShade.green, typed: { $0.shade != .green })
    add("kind IN {'draft', 'archived'}", typed: { $0.kind.in([.draft, .archived]) })
    add("level IN %@", [1, 10], typed: { $0.level.in([.low, .high]) })
    add("shade IN %@", [CaseShade.red, .blue], typed: { $0.shade.in([.red, .blue]) })
    add("uuid IN %@", [uuid], meaning: { $0.uuid.in([uuid]) })
    add("data IN %@", CasePools.datas.suffix(2).map(\.self), typed: { $0.data.in(CasePools.datas.suffix(2)) })
  }

  /// Nil as a literal and as an argument.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addNil() {
    add("maybeInt == nil", typed: { $0.maybeInt == nil })
    add("maybeInt != NULL", typed: { $0.maybeInt != nil })
    add("maybeReal == %@", nil, typed: { $0.maybeReal == nil })
    add("maybeText == NIL", typed: { $0.maybeText == nil })
    add("maybeText != %@", nil, typed: { $0.maybeText != nil })
    add("maybeFlag == nil", typed: { $0.maybeFlag == nil })
    add("maybeDate != nil", typed: { $0.maybeDate != nil })
    add("maybeData == nil", typed: { $0.maybeData == nil })
    add("maybeUUID == nil", typed: { $0.maybeUUID == nil })
    add("maybeURL != nil", typed: { $0.maybeURL != nil })
    add("maybeKind == nil", typed: { $0.maybeKind == nil })
    add("maybeDecimal == nil", typed: { $0.maybeDecimal == nil })
    add("code == nil", typed: { $0.code == nil })
    add("owner == nil", typed: { $0.owner == nil })
    add("owner != nil", typed: { $0.owner != nil })
    add("maybeInt <= nil", passes: { $0.item.maybeInt == nil })
    add("maybeInt >= nil", passes: { $0.item.maybeInt == nil })
    add("maybeText <= nil", passes: { $0.item.maybeText == nil })
    add("maybeReal >= nil", passes: { $0.item.maybeReal == nil })
    add("maybeDate <= nil", passes: { $0.item.maybeDate == nil })
    add("maybeText LIKE nil", passes: { $0.item.maybeText == nil })
    add("maybeText CONTAINS nil", passes: { $0.item.maybeText != nil })
    add("maybeText BEGINSWITH nil", passes: { $0.item.maybeText != nil })
    add("maybeText ENDSWITH nil", passes: { $0.item.maybeText != nil })
    add("maybeText CONTAINS[cd] nil", passes: { $0.item.maybeText != nil })
    add("maybeInt IN {1, nil, 2}", typed: { $0.maybeInt.in([1, nil, 2]) })
    add("NOT maybeInt < 5", typed: { !($0.maybeInt < 5) })
    for relation in ["<", ">"] {
      constant("maybeInt \(relation) nil", is: false)
      constant("maybeText \(relation) nil", is: false)
      constant("int \(relation)= nil", is: false)
    }
    constant("int == nil", is: false)
    constant("int != nil", is: true)
    constant("text CONTAINS nil", is: true)
    constant("text LIKE nil", is: false)
    constant("TRUEPREDICATE", is: true)
    constant("FALSEPREDICATE", is: false)
    constant("NOT TRUEPREDICATE", is: false)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOne(
    _ name: String, _ relation: String, _ value: any Sendable, _ spelled: String?, isConstant: Bool = false,
    typed: (Row<Item>) -> Expr<Bool>
  ) {
    var synonyms: [FilterCase<Mode>.Text] = [
      .init(format: " %K  \(relation)\n%@ ", arguments: [name, value]),
      .init(format: "(\(name))\(relation)(%@)", arguments: [value]),
    ]
    if let spelled {
      synonyms += [
        .init(format: "\(name)\(relation)\(spelled)", arguments: []),
        .init(format: "\(spelled) \(Self.mirrored[relation] ?? relation) \(name)", arguments: []),
      ]
    }
    add(
      FilterCase(
        text: .init(format: "\(name) \(relation) %@", arguments: [value]), synonyms: synonyms,
        filter: Filter(typed), isShared: true, isConstant: isConstant))
  }

  private static var mirrored: [String: String] { ["<": ">", ">": "<", "<=": ">=", ">=": "<="] }

  /// All relations with some constants, `IN` and `BETWEEN`.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOrdered<Value: Comparable & Hashable & Sendable>(
    _ name: String, _ path: SendableKeyPath<Item, Value>, _ values: [Value],
    spelled: (Value) -> String? = { _ in nil }
  ) {
    for relation in CaseRelation.all {
      for value in values {
        // No value is less than the least, and none has an order with NaN.
        let isUnordered = !(value == value)
        addOne(
          name, relation, value, spelled(value),
          isConstant: isUnordered
            || ["\(Int.max)", "inf"].contains("\(value)") && [">", "<="].contains(relation)
        ) { CaseRelation.expression(relation, $0[path], value) }
      }
    }
    add("\(name) IN %@", values, typed: { $0[path].in(values) })
    add("NOT (\(name) IN %@)", values, typed: { !$0[path].in(values) })
    let (low, high) = (values[0], values[1])
    let bounds = low < high ? low...high : high...low
    if bounds.lowerBound == bounds.upperBound { return }
    add("\(name) BETWEEN {%@, %@}", bounds.lowerBound, bounds.upperBound, typed: { $0[path].in(bounds) })
    add("\(name) BETWEEN %@", [bounds.lowerBound, bounds.upperBound], typed: { $0[path].in(bounds) })
    add(
      "\(name) >= %@ AND \(name) < %@", bounds.lowerBound, bounds.upperBound,
      typed: { $0[path] >= bounds.lowerBound && $0[path] < bounds.upperBound })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addOptional<Value: Comparable & Hashable & Sendable>(
    _ name: String, _ path: SendableKeyPath<Item, Value?>, _ values: [Value],
    spelled: (Value) -> String? = { _ in nil }
  ) {
    for relation in CaseRelation.all {
      for value in values {
        let isLeast = "\(value)" == "\(Int.min)" || "\(value)" == "-inf"
        addOne(
          name, relation, value, spelled(value), isConstant: !(value == value) || isLeast && relation == "<"
        ) { CaseRelation.expression(relation, $0[path], value) }
      }
    }
    add("\(name) IN %@", values, typed: { $0[path].in(values.map { Optional($0) }) })
  }
}
