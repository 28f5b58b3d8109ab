import LiveStore
import TestSupport

/// A linked value that a query names, as it is printed, and its value as text.
struct NamedValue: Hashable {
  let name: String
  let value: String
}

/// A value of a row, and how it is printed. Its meaning is that of its term.
struct NamedTerm<E: Social> {
  let name: String
  let term: Term

  init<Value>(_ name: String, _ make: (Row<E>) -> Expr<Value>) {
    (self.name, term) = (name, make(Row()).term)
  }

  func value(_ object: E, _ model: ModelStore) -> NamedValue {
    let value = model.meaning.value(of: term, object)
    if let several = value as? TermMeaning.Several {
      return NamedValue(name: name, value: "\(several.values.map { $0 ?? "nil" as Any })")
    }
    return NamedValue(name: name, value: value.map { "\($0)" } ?? "nil")
  }
}

/// A value of a row, to compare and to sort by.
struct OperandCase<E: Social> {
  enum Kind {
    case text((Row<E>) -> Expr<String?>)
    case number((Row<E>) -> Expr<Int?>)
    case count((Row<E>) -> Expr<Int>)
    case mean((Row<E>) -> Expr<Double?>)
    case flag((Row<E>) -> Expr<Bool>)
  }

  let term: NamedTerm<E>
  let kind: Kind
  var isLinked = true

  static func text(_ name: String, _ make: @escaping (Row<E>) -> Expr<String?>) -> OperandCase {
    OperandCase(term: NamedTerm(name, make), kind: .text(make))
  }
  static func number(_ name: String, _ make: @escaping (Row<E>) -> Expr<Int?>) -> OperandCase {
    OperandCase(term: NamedTerm(name, make), kind: .number(make))
  }
  static func count(_ name: String, _ make: @escaping (Row<E>) -> Expr<Int>) -> OperandCase {
    OperandCase(term: NamedTerm(name, make), kind: .count(make))
  }
  static func mean(_ name: String, _ make: @escaping (Row<E>) -> Expr<Double?>) -> OperandCase {
    OperandCase(term: NamedTerm(name, make), kind: .mean(make))
  }
  static func flag(_ name: String, _ make: @escaping (Row<E>) -> Expr<Bool>) -> OperandCase {
    OperandCase(term: NamedTerm(name, make), kind: .flag(make))
  }

  /// The same, of the row itself.
  var own: OperandCase {
    var own = self
    own.isLinked = false
    return own
  }

  var name: String { term.name }
  var named: [NamedTerm<E>] { isLinked ? [term] : [] }

  /// A sort by this value: nil first.
  func compare(_ one: E, _ other: E, _ model: ModelStore) -> Int {
    totalOrder(model.meaning.value(of: term.term, one), model.meaning.value(of: term.term, other))
  }

  func sorting(_ query: Query<E>, _ direction: SortDirection) -> Query<E> {
    switch kind {
    case .text(let make): query.sorted(make(Row()), direction)
    case .number(let make): query.sorted(make(Row()), direction)
    case .count(let make): query.sorted(make(Row()), direction)
    case .mean(let make): query.sorted(make(Row()), direction)
    case .flag: query
    }
  }

  var isSortable: Bool { if case .flag = kind { false } else { true } }
}

/// A condition, and the linked values that it names.
struct ConditionCase<E: Social> {
  let text: String
  let make: (Row<E>) -> Expr<Bool>
  let term: Term
  let named: [NamedTerm<E>]

  init(_ text: String, named: [NamedTerm<E>] = [], _ make: @escaping (Row<E>) -> Expr<Bool>) {
    (self.text, self.make, self.named, term) = (text, make, named, make(Row()).term)
  }

  func passes(_ object: E, _ model: ModelStore) -> Bool { model.meaning.holds(term, object) }

  static func random(_ random: inout SplitMix64, depth: Int = 0) -> ConditionCase {
    switch random.int(0...9) {
    case 0 where depth < 2:
      let inner = ConditionCase.random(&random, depth: depth + 1)
      return ConditionCase("!(\(inner.text))", named: inner.named) { !inner.make($0) }
    case 1...2 where depth < 2: return joined(&random, depth, isAnd: true)
    case 3...4 where depth < 2: return joined(&random, depth, isAnd: false)
    case 5...6: return random.pick(E.conditions(&random))
    default: return comparison(random.pick(E.operands(&random)), &random)
    }
  }

  private static func joined(_ random: inout SplitMix64, _ depth: Int, isAnd: Bool) -> ConditionCase {
    let one = ConditionCase.random(&random, depth: depth + 1)
    let other = ConditionCase.random(&random, depth: depth + 1)
    return ConditionCase("(\(one.text) \(isAnd ? "&&" : "||") \(other.text))", named: one.named + other.named)
    {
      isAnd ? one.make($0) && other.make($0) : one.make($0) || other.make($0)
    }
  }

  /// Some comparison of a value.
  static func comparison(_ operand: OperandCase<E>, _ random: inout SplitMix64) -> ConditionCase {
    func condition(_ text: String, _ make: @escaping (Row<E>) -> Expr<Bool>) -> ConditionCase {
      ConditionCase("\(operand.name) \(text)", named: operand.named, make)
    }
    switch operand.kind {
    case .flag(let make): return ConditionCase(operand.name, named: operand.named, make)
    case .text(let make):
      let text = random.pick(LinkedScript.names + LinkedScript.texts + LinkedScript.topicNames)
      switch random.int(0...11) {
      case 0...2: return condition("== \(text)") { make($0) == text }
      case 3: return condition("!= \(text)") { make($0) != text }
      case 4: return condition("== nil") { make($0) == nil }
      case 5: return condition("!= nil") { make($0) != nil }
      case 6: return condition("< \(text)") { make($0) < text }
      case 7: return condition("in b...e") { make($0).in("b"..."e") }
      case 8: return condition("in ann, dee, \(text)") { make($0).in(["ann", "dee", text]) }
      case 9: return condition("beginsWith \(text.prefix(1))") { make($0).beginsWith(String(text.prefix(1))) }
      case 10: return condition("endsWith \(text.suffix(1))") { make($0).endsWith(String(text.suffix(1))) }
      default:
        return condition("contains[cd] E") {
          make($0).contains("E", options: [.caseInsensitive, .diacriticInsensitive])
        }
      }
    case .number(let make):
      let number = random.chance(1, in: 2) ? random.int(0...4) : random.int(1...4) * 10
      switch random.int(0...5) {
      case 0: return condition("== \(number)") { make($0) == number }
      case 1: return condition("!= \(number)") { make($0) != number }
      case 2: return condition("== nil") { make($0) == nil }
      case 3: return condition("in 1..<25") { make($0).in(1..<25) }
      case 4: return condition(">= \(number)") { make($0) >= number }
      default: return condition("< \(number)") { make($0) < number }
      }
    case .count(let make):
      let number = random.int(0...4)
      switch random.int(0...3) {
      case 0: return condition("== \(number)") { make($0) == number }
      case 1: return condition("!= \(number)") { make($0) != number }
      case 2: return condition("> \(number)") { make($0) > number }
      default: return condition("in 1...2") { make($0).in(1...2) }
      }
    case .mean(let make):
      return random.chance(1, in: 4)
        ? condition("== nil") { make($0) == nil } : condition(">= 2") { make($0) >= 2 }
    }
  }
}

/// A path that is tracked.
struct PathCase<E: Social> {
  let path: any PartialKeyPath<Row<E>> & Sendable
  let term: NamedTerm<E>

  init<Value>(_ name: String, _ path: any KeyPath<Row<E>, Expr<Value>> & Sendable) {
    (self.path, term) = (path, NamedTerm(name) { $0[keyPath: path] })
  }
}

/// The paths of an observer of some properties.
struct ObservedPaths<E: Social> {
  let paths: RowPaths<E>
  /// What it is to receive: values of the row and links of the row on the way, and linked values.
  let own, linked: [NamedTerm<E>]
  /// The listed properties that the paths begin with.
  let names: Set<String>

  func values(_ object: E, _ model: ModelStore) -> [NamedValue] {
    (own + linked).map { $0.value(object, model) }
  }
  func linked(_ object: E, _ model: ModelStore) -> [NamedValue] { linked.map { $0.value(object, model) } }
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
    let terms =
      stages.flatMap { ($0.condition?.named ?? []) + $0.keys.flatMap(\.operand.named) } + tracked.map(\.term)
    var values: [NamedValue] = []
    for term in terms {
      let value = term.value(object, model)
      if !values.contains(value) { values.append(value) }
    }
    return values
  }

  /// Whether rows of the query's own table are read over links, by the names of what it names.
  var readsItself: Bool {
    guard let sample = E.sample else { return false }
    let links = E.ownLinks
    return named(sample, .social()).contains { value in links.contains { value.name.contains($0) } }
  }
}
