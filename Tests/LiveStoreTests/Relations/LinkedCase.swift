import LiveStore
import TestSupport

/// A linked value that a query names, as it is printed, and its value as text.
struct NamedValue: Hashable {
  let name: String
  let value: String

  init(_ name: String, _ value: Any?) {
    self.name = name
    self.value = value.map { "\($0)" } ?? "nil"
  }
}

/// A value of a row: as an expression, and by plain Swift.
struct OperandCase<E: Social> {
  enum Kind {
    case text((Row<E>) -> Expr<String?>, (E, ModelStore) -> String?)
    case number((Row<E>) -> Expr<Int?>, (E, ModelStore) -> Int?)
    case count((Row<E>) -> Expr<Int>, (E, ModelStore) -> Int)
    case mean((Row<E>) -> Expr<Double?>, (E, ModelStore) -> Double?)
    case flag((Row<E>) -> Expr<Bool>, (E, ModelStore) -> Bool)
  }

  let name: String
  var isLinked = true
  let kind: Kind

  static func text(
    _ name: String, _ make: @escaping (Row<E>) -> Expr<String?>, _ value: @escaping (E, ModelStore) -> String?
  ) -> OperandCase { OperandCase(name: name, kind: .text(make, value)) }
  static func number(
    _ name: String, _ make: @escaping (Row<E>) -> Expr<Int?>, _ value: @escaping (E, ModelStore) -> Int?
  ) -> OperandCase { OperandCase(name: name, kind: .number(make, value)) }
  static func count(
    _ name: String, _ make: @escaping (Row<E>) -> Expr<Int>, _ value: @escaping (E, ModelStore) -> Int
  ) -> OperandCase { OperandCase(name: name, kind: .count(make, value)) }
  static func mean(
    _ name: String, _ make: @escaping (Row<E>) -> Expr<Double?>, _ value: @escaping (E, ModelStore) -> Double?
  ) -> OperandCase { OperandCase(name: name, kind: .mean(make, value)) }
  static func flag(
    _ name: String, _ make: @escaping (Row<E>) -> Expr<Bool>, _ value: @escaping (E, ModelStore) -> Bool
  ) -> OperandCase { OperandCase(name: name, kind: .flag(make, value)) }

  /// The same, of the row itself.
  var own: OperandCase {
    var own = self
    own.isLinked = false
    return own
  }

  func named(_ object: E, _ model: ModelStore) -> [NamedValue] {
    guard isLinked else { return [] }
    return switch kind {
    case .text(_, let value): [NamedValue(name, value(object, model))]
    case .number(_, let value): [NamedValue(name, value(object, model))]
    case .count(_, let value): [NamedValue(name, value(object, model))]
    case .mean(_, let value): [NamedValue(name, value(object, model))]
    case .flag(_, let value): [NamedValue(name, value(object, model))]
    }
  }

  /// A sort by this value: nil first.
  func compare(_ one: E, _ other: E, _ model: ModelStore) -> Int {
    func order<V: Comparable>(_ lhs: V?, _ rhs: V?) -> Int {
      guard let lhs, let rhs else { return lhs == nil ? (rhs == nil ? 0 : -1) : 1 }
      return isBelow(lhs, rhs) ? -1 : isBelow(rhs, lhs) ? 1 : 0
    }
    return switch kind {
    case .text(_, let value): order(value(one, model), value(other, model))
    case .number(_, let value): order(value(one, model), value(other, model))
    case .count(_, let value): order(value(one, model), value(other, model))
    case .mean(_, let value): order(value(one, model), value(other, model))
    case .flag(_, let value): order(value(one, model) ? 1 : 0, value(other, model) ? 1 : 0)
    }
  }

  func sorting(_ query: Query<E>, _ direction: SortDirection) -> Query<E> {
    switch kind {
    case .text(let make, _): query.sorted(make(Row()), direction)
    case .number(let make, _): query.sorted(make(Row()), direction)
    case .count(let make, _): query.sorted(make(Row()), direction)
    case .mean(let make, _): query.sorted(make(Row()), direction)
    case .flag: query
    }
  }

  var isSortable: Bool { if case .flag = kind { false } else { true } }
}

/// A condition: as an expression, and by plain Swift.
struct ConditionCase<E: Social> {
  let text: String
  let make: (Row<E>) -> Expr<Bool>
  let passes: (E, ModelStore) -> Bool
  let named: (E, ModelStore) -> [NamedValue]

  init(
    _ text: String, _ make: @escaping (Row<E>) -> Expr<Bool>, _ passes: @escaping (E, ModelStore) -> Bool,
    named: @escaping (E, ModelStore) -> [NamedValue] = { _, _ in [] }
  ) {
    self.text = text
    self.make = make
    self.passes = passes
    self.named = named
  }

  static func random(_ random: inout SplitMix64, depth: Int = 0) -> ConditionCase {
    switch random.int(0...9) {
    case 0 where depth < 2:
      let inner = ConditionCase.random(&random, depth: depth + 1)
      return ConditionCase(
        "!(\(inner.text))", { !inner.make($0) }, { !inner.passes($0, $1) }, named: inner.named)
    case 1...2 where depth < 2: return joined(&random, depth, isAnd: true)
    case 3...4 where depth < 2: return joined(&random, depth, isAnd: false)
    case 5...6: return random.pick(E.conditions(&random))
    default: return comparison(random.pick(E.operands(&random)), &random)
    }
  }

  private static func joined(_ random: inout SplitMix64, _ depth: Int, isAnd: Bool) -> ConditionCase {
    let one = ConditionCase.random(&random, depth: depth + 1)
    let other = ConditionCase.random(&random, depth: depth + 1)
    return ConditionCase(
      "(\(one.text) \(isAnd ? "&&" : "||") \(other.text))",
      { isAnd ? one.make($0) && other.make($0) : one.make($0) || other.make($0) },
      {
        isAnd
          ? one.passes($0, $1) && other.passes($0, $1) : one.passes($0, $1) || other.passes($0, $1)
      },
      named: { one.named($0, $1) + other.named($0, $1) })
  }

  /// Some comparison of a value.
  static func comparison(_ operand: OperandCase<E>, _ random: inout SplitMix64) -> ConditionCase {
    let name = operand.name
    func condition(
      _ text: String, _ make: @escaping (Row<E>) -> Expr<Bool>, _ passes: @escaping (E, ModelStore) -> Bool
    ) -> ConditionCase { ConditionCase("\(name) \(text)", make, passes, named: operand.named) }
    switch operand.kind {
    case .flag(let make, let value): return ConditionCase(name, make, value, named: operand.named)
    case .text(let make, let value):
      let text = random.pick(LinkedScript.names + LinkedScript.texts + LinkedScript.topicNames)
      switch random.int(0...11) {
      case 0...2: return condition("== \(text)", { make($0) == text }, { value($0, $1) == text })
      case 3: return condition("!= \(text)", { make($0) != text }, { value($0, $1) != text })
      case 4: return condition("== nil", { make($0) == nil }, { value($0, $1) == nil })
      case 5: return condition("!= nil", { make($0) != nil }, { value($0, $1) != nil })
      case 6:
        return condition(
          "< \(text)", { make($0) < text }, { value($0, $1).map { isBelow($0, text) } ?? false })
      case 7:
        return condition(
          "in b...e", { make($0).in("b"..."e") },
          { value($0, $1).map { isAtMost("b", $0) && isAtMost($0, "e") } ?? false })
      case 8:
        let some = ["ann", "dee", text]
        return condition(
          "in \(some)", { make($0).in(some) }, { value($0, $1).map { some.contains($0) } ?? false })
      case 9:
        let start = String(text.prefix(1))
        return condition(
          "beginsWith \(start)", { make($0).beginsWith(start) },
          { value($0, $1).map { $0.hasPrefix(start) } ?? false })
      case 10:
        let end = String(text.suffix(1))
        return condition(
          "endsWith \(end)", { make($0).endsWith(end) }, { value($0, $1).map { $0.hasSuffix(end) } ?? false })
      default:
        return condition(
          "contains[cd] E", { make($0).contains("E", options: [.caseInsensitive, .diacriticInsensitive]) },
          { value($0, $1).map { $0.contains { "eéE".contains($0) } } ?? false })
      }
    case .number(let make, let value):
      let number = random.chance(1, in: 2) ? random.int(0...4) : random.int(1...4) * 10
      switch random.int(0...5) {
      case 0: return condition("== \(number)", { make($0) == number }, { value($0, $1) == number })
      case 1: return condition("!= \(number)", { make($0) != number }, { value($0, $1) != number })
      case 2: return condition("== nil", { make($0) == nil }, { value($0, $1) == nil })
      case 3:
        return condition(
          "in 1..<25", { make($0).in(1..<25) }, { value($0, $1).map { (1..<25).contains($0) } ?? false })
      case 4:
        return condition(
          ">= \(number)", { make($0) >= number }, { value($0, $1).map { $0 >= number } ?? false })
      default:
        return condition("< \(number)", { make($0) < number }, { value($0, $1).map { $0 < number } ?? false })
      }
    case .count(let make, let value):
      let number = random.int(0...4)
      switch random.int(0...3) {
      case 0: return condition("== \(number)", { make($0) == number }, { value($0, $1) == number })
      case 1: return condition("!= \(number)", { make($0) != number }, { value($0, $1) != number })
      case 2: return condition("> \(number)", { make($0) > number }, { value($0, $1) > number })
      default: return condition("in 1...2", { make($0).in(1...2) }, { (1...2).contains(value($0, $1)) })
      }
    case .mean(let make, let value):
      return random.chance(1, in: 4)
        ? condition("== nil", { make($0) == nil }, { value($0, $1) == nil })
        : condition(">= 2", { make($0) >= 2 }, { value($0, $1).map { $0 >= 2 } ?? false })
    }
  }
}

/// A path that is tracked.
struct PathCase<E: Social> {
  let path: any PartialKeyPath<Row<E>> & Sendable
  let named: (E, ModelStore) -> NamedValue
}

/// The paths of an observer of some properties.
struct ObservedPaths<E: Social> {
  let paths: RowPaths<E>
  /// Everything that it is to receive: values of the row, links of the row on the way, linked values.
  let values: (E, ModelStore) -> [String]
  /// The linked values among them.
  let linked: (E, ModelStore) -> [NamedValue]
  /// The listed properties that the paths begin with.
  let names: Set<String>
}

/// A query, and by plain Swift what it gives and which linked values it names.
struct LinkedCase<E: Social> {
  struct Stage {
    var condition: ConditionCase<E>?
    var keys: [(operand: OperandCase<E>, direction: SortDirection)] = []
    var offset = 0
    var limit: Int?
  }

  private(set) var text: String
  private(set) var query: Query<E>
  private(set) var stages: [Stage] = []
  private var tracked: [PathCase<E>] = []
  /// What the first stage reads, in order.
  private let source: (ModelStore) -> [E]
  /// Whether it reads a table, not a list, a set or a map.
  let isOfTable: Bool
  /// Whether an object may stand in the result several times.
  let mayRepeat: Bool

  /// A query of the whole table.
  init(_ random: inout SplitMix64) {
    self.init("\(E.self)", E.all, isOfTable: true, &random) { $0.rows(E.self) }
  }

  /// A query that goes on from another: from the objects of a list, a set or a map.
  init(
    _ name: String, _ start: Query<E>, isOfTable: Bool = false, mayRepeat: Bool = false,
    _ random: inout SplitMix64, source: @escaping (ModelStore) -> [E]
  ) {
    (text, query, self.source) = (name, start, source)
    (self.isOfTable, self.mayRepeat) = (isOfTable, mayRepeat)
    for number in 0..<(random.chance(1, in: 5) ? 2 : 1) {
      if number > 0 && stages[0].limit == nil && stages[0].offset == 0 { break }
      var stage = Stage()
      if random.chance(3, in: 4) {
        let condition = ConditionCase<E>.random(&random)
        query = query.where { condition.make($0) }
        text += ".where { \(condition.text) }"
        stage.condition = condition
      }
      for _ in 0..<random.pick([0, 1, 1, 2]) {
        let operand = random.pick(E.operands(&random))
        guard operand.isSortable else { continue }
        let direction: SortDirection = random.chance(1, in: 2) ? .ascending : .descending
        query = operand.sorting(query, direction)
        text += ".sorted(by: \(operand.name)\(direction == .descending ? ", descending" : ""))"
        stage.keys.append((operand, direction))
      }
      if number > 0, stage.condition == nil, stage.keys.isEmpty { break }
      if number > 0, stage.keys.isEmpty { stage.keys = stages[0].keys }
      if random.chance(1, in: 3) {
        if random.chance(1, in: 3) {
          stage.offset = random.int(1...3)
          query = query.offset(stage.offset)
          text += ".offset(\(stage.offset))"
        }
        let limit = random.int(1...6)
        stage.limit = limit
        query = query.limit(limit)
        text += ".limit(\(limit))"
      }
      stages.append(stage)
    }
    if random.chance(1, in: 3), !E.paths.isEmpty {
      tracked = random.some(of: E.paths, upTo: 2)
      for path in tracked { query = query.tracking(path.path) }
      text += ".tracking(\(tracked.count))"
    }
  }

  /// A query of one condition, of whatever form.
  init(_ condition: ConditionCase<E>) {
    query = E.where { condition.make($0) }
    text = "\(E.self).where { \(condition.text) }"
    source = { $0.rows(E.self) }
    (isOfTable, mayRepeat) = (true, false)
    stages = [Stage(condition: condition)]
  }

  /// The rows, in order.
  ///
  /// - Parameter members: the ids of rows that are given, whatever the filters and windows.
  func expectedRows(_ model: ModelStore, _ members: Set<Int>? = nil) -> [E] {
    // Ties stand as in the source, in which an object may stand several times.
    var rows = Array(source(model).enumerated())
    if let members { rows.removeAll { !members.contains($0.element.id) } }
    for stage in stages {
      if members == nil, let condition = stage.condition {
        rows = rows.filter { condition.passes($0.element, model) }
      }
      rows.sort { one, other in
        for (operand, direction) in stage.keys {
          let order = operand.compare(one.element, other.element, model)
          if order != 0 { return direction == .ascending ? order < 0 : order > 0 }
        }
        return one.offset < other.offset
      }
      if members == nil { rows = Array(rows.dropFirst(stage.offset).prefix(stage.limit ?? .max)) }
    }
    return rows.map(\.element)
  }

  /// The rows that pass the first filter, in insertion order.
  func candidates(_ model: ModelStore) -> [E] { model.rows(E.self).filter { isCandidate($0, model) } }

  func isCandidate(_ object: E, _ model: ModelStore) -> Bool {
    stages.first?.condition.map { $0.passes(object, model) } ?? true
  }

  /// The linked values that the query names, each once.
  func named(_ object: E, _ model: ModelStore) -> [NamedValue] {
    var values: [NamedValue] = []
    func add(_ some: [NamedValue]) {
      for value in some where !values.contains(value) { values.append(value) }
    }
    for stage in stages {
      if let condition = stage.condition { add(condition.named(object, model)) }
      for key in stage.keys { add(key.operand.named(object, model)) }
    }
    add(tracked.map { $0.named(object, model) })
    return values
  }

  /// Whether rows of the query's own table are read over links, by the names of what it names.
  var readsItself: Bool {
    guard let sample = E.sample else { return false }
    let links = E.ownLinks
    return named(sample, .social()).contains { value in links.contains { value.name.contains($0) } }
  }
}
