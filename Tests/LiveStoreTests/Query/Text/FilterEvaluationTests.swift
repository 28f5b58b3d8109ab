import Foundation
import LiveStore
import TestSupport
import Testing

@Suite struct FilterEvaluationTests {
  private let object: JSONValue = [
    "n": 3, "d": 2.5, "s": "Café Noir", "t": true, "f": false, "z": nil, "list": [1, "x", nil],
    "address": ["city": "Köln", "lines": [["zip": "50667"]]], "big": 9_007_199_254_740_993, "empty": "",
    "five": 5,
    "orders": [["price": 1, "tags": ["a", "b"]], ["price": 5, "tags": ["c"]], 7], "nested": [[["price": 1]]],
  ]

  @Test(arguments: [
    ("n == 3", true), ("n == 3.0", true), ("n == '3'", false), ("n != '3'", true), ("n != 3", false),
    ("big == 9007199254740992.0", false), ("big > 9007199254740992.0", true),
    ("big == 9007199254740993", true),
    ("d > 2", true), ("d < 2.5", false), ("d <= 2.5", true), ("d >= 2.5", true), ("3 > d", true),
    ("z == nil", true), ("z != nil", false), ("gone == nil", true), ("gone == z", true), ("z != 3", true),
    ("n != nil", true),
    ("z < 1", false), ("z >= 0", false), ("NOT z < 1", true), ("gone <= gone", false), ("nil <= nil", true),
    ("missing ==[cd] nil", true), ("NOT missing !=[c] NULL", true), ("ALL 'a' != 'b'", true),
    ("NONE {1} == 1", false),
    ("n < 'x'", false), ("n >= 'x'", false), ("s > 'A'", true), ("s < 'a'", true), ("t > f", true),
    ("t >= true", true),
    ("t > 0", false), ("list < list", false), ("list == list", true), ("address == address", true),
    ("address.city == 'Köln'", true), ("address.city == 'Ko\u{308}ln'", true),
    ("address.lines.0.zip = '50667'", true),
    ("address.lines.1.zip = nil", true), ("n.x == nil", true), ("n == d", false), ("n > d", true),
    ("s CONTAINS 'Noir'", true), ("s CONTAINS 'noir'", false), ("s CONTAINS[c] 'NOIR'", true),
    ("s CONTAINS 'Cafe'", false),
    ("s CONTAINS[d] 'Cafe'", true), ("s CONTAINS[d] 'cafe'", false), ("s CONTAINS[cd] 'cafe'", true),
    ("s CONTAINS ''", true),
    ("empty CONTAINS ''", true), ("empty CONTAINS 'x'", false), ("s CONTAINS s", true),
    ("s BEGINSWITH 'Caf'", true), ("s BEGINSWITH 'caf'", false), ("s BEGINSWITH[c] 'caf'", true),
    ("s BEGINSWITH ''", true),
    ("s ENDSWITH 'oir'", true), ("s ENDSWITH 'OIR'", false), ("s ENDSWITH[c] 'OIR'", true),
    ("s ENDSWITH 'Caf'", false),
    ("n CONTAINS '3'", false), ("s CONTAINS n", false), ("gone CONTAINS ''", false),
    ("list CONTAINS 'x'", true), ("list CONTAINS 'y'", false), ("z BEGINSWITH ''", false),
    ("list == {1, 'x', nil}", true), ("{1, 'x', nil} == list", true), ("list == {1, 'x'}", false),
    ("list != {1, 'x', nil}", false), ("list != {nil, 'x', 1}", true), ("list == {1}", false),
    ("n == {1, 3}", true), ("n == {1, 2}", false), ("n != {3}", false),
    ("orders[*].price == five", true), ("five == orders[*].price", true), ("orders[*].price == n", false),
    ("orders[*].price == NULL", true), ("list CONTAINS {'x', 9}", true), ("list CONTAINS {9}", false),
    ("list[*] CONTAINS {'x', 9}", true), ("s CONTAINS {'zzz', 'Noir'}", true), ("n < {2, 10}", true),
    ("{1, 2} IN list", true), ("{2, 4} IN list", false), ("s BEGINSWITH {'x', 'Caf'}", true),
    ("n IN {1, 3}", true),
    ("list == {1, 'x', nil} AND n == 3", true),
    ("address[*] CONTAINS 'Köln'", true), ("address[*][0] == 'Köln'", true),
    ("address CONTAINS 'Köln'", true), ("address CONTAINS[c] 'KÖLN'", true),
    ("address CONTAINS 'city'", false),
    ("'Köln' IN address", true), ("'city' IN address", false), ("ANY address == 'Köln'", true),
    ("ANY address == 'x'", false), ("NONE address == 'Köln'", false), ("ALL address != nil", true),
    ("address == 'Köln'", false),
    ("s ==[c] 'CAFÉ NOIR'", true), ("s ==[c] 'CAFE NOIR'", false), ("s ==[cd] 'CAFE NOIR'", true),
    ("s !=[cd] 'CAFE NOIR'", false),
    ("n ==[c] 3", true), ("n !=[c] 3", false), ("z ==[c] nil", true),
    ("n IN {1, 2, 3.0}", true), ("n IN {'3'}", false), ("n IN {}", false), ("z IN {nil}", true),
    ("gone IN {nil}", true), ("z IN {1}", false),
    ("1 IN list", true), ("nil IN list", true), ("2 IN list", false), ("1 IN n", false),
    ("'Caf' IN s", false), ("gone IN gone", false),
    ("n BETWEEN {3, 5}", true), ("n BETWEEN {1, 3}", true), ("n BETWEEN {4, 5}", false),
    ("n BETWEEN {5, 1}", false),
    ("n BETWEEN {'1', '5'}", false), ("s BETWEEN {'A', 'Z'}", true), ("z BETWEEN {nil, nil}", false),
    ("t BETWEEN {false, true}", true),
    ("ANY orders.price > 3", true), ("ANY orders.price > 5", false), ("ALL orders.price > 0", false),
    ("NONE orders.price == 2", true), ("ANY orders.tags == 'b'", true), ("ANY orders.price == nil", true),
    ("orders.price == nil", true), ("orders.price ==[c] nil", true), ("orders.price < n", false),
    ("orders.1.price == 5", true), ("orders.price.@sum == 6", true), ("orders.@max.price == 5", true),
    ("orders.tags.@count == 4", true), ("orders[*].price > 3", true), ("orders[LAST] == 7", true),
    ("ALL list.x ENDSWITH[d] s", false), ("nested[0].price == nil", true), ("ANY nested[0].price == 1", true),
    ("TRUEPREDICATE", true), ("FALSEPREDICATE", false), ("NOT FALSEPREDICATE", true),
  ])
  func `comparisons mean what they say`(text: String, answer: Bool) throws {
    #expect(try FilterSyntax(parsing: text).evaluate(object) == answer)
    let store = try Store(Body.self)
    try store.write { tx in try tx.insert(Body(id: 1, body: object)) }
    #expect(try store.fetch(Body.where(format: text)).isEmpty != answer)
    // Long chains are tested as one condition.
    let chain = "(\(text))" + (1...8).map { " OR gone == \($0)" }.joined()
    let query = Body.where(Filter(try FilterSyntax(parsing: chain)))
    #expect(store.snapshot().fetch(query).isEmpty != answer)
  }

  /// The same values as the body of a row.
  private struct Body: DynamicEntity {
    let id: Int
    let body: JSONValue
    static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
  }

  @Test(arguments: [
    (#"ANY c["image-id"] == "a""#, true), (#"NONE c["image-id"] == "a""#, false),
    (#"ALL c["n"] < 2"#, false), (#"ALL c["n"] < 3"#, true), (#"c.@max["n"] == 2"#, true),
    (#"ANY ["my tags"] == "x""#, true), (#"NONE ["my tags"] == "y""#, true),
    (#"SUBQUERY(c, $c, ANY $c.l["v w"] == 7).@count == 1"#, true), (#"any["x"] == 1"#, true),
  ])
  func `a key in quotes leads where the same name does, also behind an array`(text: String, isMet: Bool)
    throws
  {
    let body: JSONValue = [
      "c": [["image-id": "a", "n": 1, "l": [["v w": 7], ["v w": 8]]], ["image-id": "b", "n": 2, "l": []]],
      "my tags": ["x", "z"], "any": ["x": 1],
    ]
    let store = try Store(Body.self)
    try store.write { try $0.insert(Body(id: 1, body: body)) }
    let query = Body.where(Filter(try FilterSyntax(parsing: text)))
    #expect(store.snapshot().fetch(query).count == (isMet ? 1 : 0))
  }

  @Test(arguments: [nil, 3, "s", [1, 2]] as [JSONValue])
  func `every key is missing in a value that is no object`(value: JSONValue) throws {
    #expect(try FilterSyntax(parsing: "a == nil AND NOT a == 1").evaluate(value))
  }

  @Test(arguments: [
    ("NOT a = 1 AND b = 1 OR c = 1", "(((NOT (a = 1)) AND (b = 1)) OR (c = 1))"),
    ("a = 1 OR b = 1 AND c = 1", "((a = 1) OR ((b = 1) AND (c = 1)))"),
    ("a = 1 AND b = 1 OR NOT c = 1 AND a = 1", "(((a = 1) AND (b = 1)) OR ((NOT (c = 1)) AND (a = 1)))"),
    ("NOT NOT a = 1 OR b = 1", "((NOT (NOT (a = 1))) OR (b = 1))"),
    ("! (a = 1 || b = 1) && c = 1", "((NOT ((a = 1) OR (b = 1))) AND (c = 1))"),
  ])
  func `NOT binds tighter than AND, AND tighter than OR`(short: String, parenthesised: String) throws {
    let (left, right) = (try FilterSyntax(parsing: short), try FilterSyntax(parsing: parenthesised))
    for bits in 0..<8 {
      let object: JSONValue = [
        "a": JSONValue(bits & 1), "b": JSONValue(bits >> 1 & 1), "c": JSONValue(bits >> 2),
      ]
      #expect(left.evaluate(object) == right.evaluate(object), "\(object)")
    }
  }

  @Test func `texts fold as Foundation folds them`() {
    let texts =
      (0..<128).compactMap { Unicode.Scalar($0).map { String(Character($0)) } }
      + ["Straße", "İI", "ΣΊΣΥΦΟΣ", "Å\u{301}", "ﬁ", "Ёж", "가", "👩🏽‍🚀", "ＡＢ", "a\r\nB"]
    for text in texts {
      #expect(TextOptions([]).fold(text) == text)
      for (options, foundation) in [
        (.caseInsensitive, .caseInsensitive), (.diacriticInsensitive, .diacriticInsensitive),
        ([.caseInsensitive, .diacriticInsensitive], [.caseInsensitive, .diacriticInsensitive]),
      ] as [(TextOptions, String.CompareOptions)] {
        #expect(options.fold(text) == text.folding(options: foundation, locale: nil), "\(text) \(options)")
      }
    }
  }
}
