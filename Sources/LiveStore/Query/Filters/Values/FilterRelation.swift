import Foundation

// The meaning of a comparison, for values of any kind and for JSON values, which most filters of JSON
// compare. Every other way to run a filter gives the same answers (F3).
//
// - `==`, `!=` and `IN` compare values: numbers of any types by value, nil equals nil, and nil is `!=` to everything
//   else. With options, two texts are compared folded.
// - `<`, `<=`, `>`, `>=` and BETWEEN are false unless both sides have an order: two numbers, texts, dates …
// - CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES are false unless both sides are text; the first three also compare
//   data, and CONTAINS looks for an element of a list or a value of an object. TEXT searches a text for words. A
//   missing part is part of every text, as an empty one is.
// - Where one side is a list and the relation is about single values, some element must pass; ANY, ALL and NONE say
//   otherwise, also of the values of an object. Two lists are equal as a whole. The right side of IN is a list or an
//   object; anything else contains nothing.

/// A value with the number of its elements that must pass.
struct FilterSide {
  let value: FilterValue
  let quantifier: FilterQuantifier?
  /// Whether it stands for its elements, also without a quantifier. Values of unknown types do not.
  let isSeveral: Bool

  /// The elements of a list, or the values of an object; none for a missing one.
  fileprivate var elements: [FilterValue] { value.relatedMembers ?? (value.isMissing ? [] : [value]) }
}

extension FilterQuantifier {
  fileprivate func holds(
    _ elements: [FilterValue], _ run: FilterRun?, _ test: (FilterValue) -> Bool
  ) -> Bool {
    if run?.visit(elements.count) == false { return false }
    return switch self {
    case .any: elements.contains(where: test)
    case .all: elements.allSatisfy(test)
    case .noElement: !elements.contains(where: test)
    }
  }
}

/// A value that relations compare.
protocol RelatedValue {
  /// The value as text; nil if it is none.
  var relatedText: String? { get }
  /// The value as bytes; nil if it is no data.
  var relatedData: Data? { get }
  /// The elements, if it is a list.
  var relatedElements: [Self]? { get }
  /// The elements of a list, or the values of an object.
  var relatedMembers: [Self]? { get }
  /// Whether it is nil, or JSON's null.
  var isMissing: Bool { get }
  /// Whether two values are equal.
  static func areEqual(_ left: Self, _ right: Self) -> Bool
  /// Negative, zero or positive; nil for values that have no order.
  static func relatedOrder(_ left: Self, _ right: Self) -> Int?
}

extension FilterValue: RelatedValue {
  var relatedText: String? { if case .text(let text) = self { text } else { nil } }
  var relatedData: Data? { if case .data(let data) = self { data } else { nil } }
  var relatedElements: [FilterValue]? { if case .list(let elements) = self { elements } else { nil } }
  var relatedMembers: [FilterValue]? {
    if case .object(let members) = self { Array(members.values) } else { relatedElements }
  }
  var isMissing: Bool { if case .missing = self { true } else { false } }
  static func relatedOrder(_ left: FilterValue, _ right: FilterValue) -> Int? { order(left, right) }
}

extension JSONValue: RelatedValue {
  var relatedText: String? { if case .string(let text) = self { text } else { nil } }
  var relatedData: Data? { nil }
  var relatedElements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  var relatedMembers: [JSONValue]? {
    if case .object(let object) = self { object.map(\.value) } else { relatedElements }
  }
  var isMissing: Bool { isNull }
  static func areEqual(_ left: JSONValue, _ right: JSONValue) -> Bool { left == right }

  /// Only two numbers, strings or Booleans have an order.
  static func relatedOrder(_ left: JSONValue, _ right: JSONValue) -> Int? {
    switch (left, right) {
    case (.number, .number), (.string, .string), (.bool, .bool): break
    default: return nil
    }
    return order(left, right)
  }
}

extension Comparison {
  /// Whether the comparison holds between two values by their order; never where they have none.
  @inline(__always)
  func holds(_ order: Int?) -> Bool {
    guard let order else { return false }
    return switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

/// A relation prepared for values: the pattern of a constant text is compiled once.
struct FilterRelation: Sendable {
  let relation: RelationalOperator
  let options: TextOptions
  /// The relation, if it is one of an order.
  private let comparison: Comparison?
  /// The test of a text against the constant on the right.
  private let constant: (text: String, test: @Sendable (String, FilterRun?) -> Bool)?
  /// The words of a constant text on the right.
  private let words: SearchPattern?
  /// The texts of a constant list on the right, folded and composed.
  private let foldedTexts: Set<[UInt8]>?

  /// - Parameter right: the value on the right, if it is a constant.
  init(_ relation: RelationalOperator, _ options: TextOptions, constant right: FilterValue? = nil) {
    (self.relation, self.options, comparison) = (relation, options, relation.comparison)
    if case .text(let text)? = right, let test = relation.textTest {
      constant = (text, test.matcherInRun(text, options))
    } else {
      constant = nil
    }
    if case .text(let text)? = right, relation == .text { words = SearchPattern(text) } else { words = nil }
    if case .list(let elements)? = right, relation == .in, !options.isEmpty {
      foldedTexts = Set(
        elements.compactMap { if case .text(let text) = $0 { Self.folded(text, options) } else { nil } })
    } else {
      foldedTexts = nil
    }
  }

  /// Whether the relation holds between two sides.
  ///
  /// - Parameter run: the evaluation that asks.
  func holds(_ left: FilterSide, _ right: FilterSide, _ run: FilterRun? = nil) -> Bool {
    if let quantifier = left.quantifier {
      return quantifier.holds(left.elements, run) { holdsForOne($0, right, run) }
    }
    if left.isSeveral, case .list(let elements) = left.value {
      if run?.visit(elements.count) == false { return false }
      switch (relation, right.value) {
      case (.equal, .list) where right.quantifier == nil, (.notEqual, .list) where right.quantifier == nil:
        return holds(left.value, right.value, run)
      case (.contains, _) where right.quantifier == nil:
        let sought = right.isSeveral ? right.elements : [right.value]
        return elements.contains { element in sought.contains { areEqual(element, $0, run) } }
      default: return elements.contains { holdsForOne($0, right, run) }
      }
    }
    return holdsForOne(left.value, right, run)
  }

  private func holdsForOne(_ left: FilterValue, _ right: FilterSide, _ run: FilterRun?) -> Bool {
    if let quantifier = right.quantifier {
      return quantifier.holds(right.elements, run) { holds(left, $0, run) }
    }
    if right.isSeveral, relation != .in, relation != .between, case .list(let elements) = right.value {
      // Two lists are equal as a whole.
      if case .list = left, relation == .equal || relation == .notEqual {
        return holds(left, right.value, run)
      }
      if run?.visit(elements.count) == false { return false }
      return elements.contains { holds(left, $0, run) }
    }
    return holds(left, right.value, run)
  }

  /// Whether the relation holds between two values.
  ///
  /// - Parameter run: the evaluation that asks.
  func holds<Value: RelatedValue>(
    _ left: Value, _ right: Value, _ run: FilterRun? = FilterRun.current
  ) -> Bool {
    switch relation {
    case .equal: areEqual(left, right, run)
    case .notEqual: !areEqual(left, right, run)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      comparison?.holds(Value.relatedOrder(left, right)) ?? false
    case .in: right.relatedMembers.map { isMember(left, of: $0, run) } ?? false
    case .between: isBetween(left, right)
    case .contains, .beginsWith, .endsWith, .like, .matches: holdsForParts(left, right, run)
    case .text:
      // A missing text is one without words.
      if let pattern = right.relatedText, let text = left.isMissing ? "" : left.relatedText {
        hasWords(text, pattern, run)
      } else {
        false
      }
    }
  }

  /// Whether a text may be folded, or split into words.
  private func mayFold(_ text: String, _ run: FilterRun?) -> Bool { run?.read(text, isFolded: true) ?? true }

  /// Whether a text has the words that a pattern looks for. Each of them is looked for by itself.
  private func hasWords(_ text: String, _ pattern: String, _ run: FilterRun?) -> Bool {
    guard words != nil || mayFold(pattern, run) else { return false }
    let words = words ?? SearchPattern(pattern)
    return run?.visit(words.termCount) != false
      && run?.read(text, isFolded: true, times: max(1, words.termCount)) != false && words.isFound(in: text)
  }

  private func isMember<Value: RelatedValue>(_ value: Value, of elements: [Value], _ run: FilterRun?) -> Bool
  {
    if let foldedTexts, let text = value.relatedText {
      return mayFold(text, run) && foldedTexts.contains(Self.folded(text, options))
    }
    return run?.visit(elements.count) != false && elements.contains { areEqual(value, $0, run) }
  }

  private static func folded(_ text: String, _ options: TextOptions) -> [UInt8] {
    Array(options.fold(text).composed.utf8)
  }

  private func isBetween<Value: RelatedValue>(_ value: Value, _ bounds: Value) -> Bool {
    guard let bounds = bounds.relatedElements, bounds.count == 2,
      let low = Value.relatedOrder(value, bounds[0]),
      let high = Value.relatedOrder(value, bounds[1])
    else { return false }
    return low >= 0 && high <= 0
  }

  private func areEqual<Value: RelatedValue>(_ left: Value, _ right: Value, _ run: FilterRun?) -> Bool {
    if !options.isEmpty, let left = left.relatedText, let right = right.relatedText {
      return mayFold(left, run) && mayFold(right, run) && isSameText(options.fold(left), options.fold(right))
    }
    return Value.areEqual(left, right)
  }

  private func holdsForParts<Value: RelatedValue>(_ left: Value, _ right: Value, _ run: FilterRun?) -> Bool {
    if let text = left.relatedText {
      guard let part = right.relatedText else { return right.isMissing && relation.isTestOfParts }
      if let constant, constant.text == part { return constant.test(text, run) }
      guard let test = relation.textTest else { return false }
      return run == nil ? test.matcher(part, options)(text) : test.matcherInRun(part, options)(text, run)
    }
    if relation == .contains, let elements = left.relatedMembers {
      return run?.visit(elements.count) != false && elements.contains { areEqual($0, right, run) }
    }
    guard let data = left.relatedData else { return false }
    guard let part = right.relatedData else { return right.isMissing && relation.isTestOfParts }
    if run?.read(bytes: data.count + part.count) == false { return false }
    return switch relation {
    case .contains: data.contains(part: part)
    case .beginsWith: data.starts(with: part)
    case .endsWith: data.count >= part.count && data.suffix(part.count) == part
    default: false
    }
  }
}
