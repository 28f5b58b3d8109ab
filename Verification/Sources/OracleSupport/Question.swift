import LiveStore

/// A linked value that a query names, for comparing a row at two versions.
typealias Named<Element> = @Sendable (Element, Model) -> Canon

/// A condition as the store and the model have it.
struct Condition<Element: ModelEntity>: Sendable {
  var text: String
  var make: @Sendable (Row<Element>) -> Expr<Bool>
  var test: @Sendable (Element, Model) -> Bool
  var named: [Named<Element>] = []
  /// What only some of the objects have an answer for; nil where the contract leaves it open.
  var isOpen: @Sendable (Element, Model) -> Bool = { _, _ in false }
}

/// A row of a query on its way: the object, its identity, its place in what the query starts from.
struct Candidate<Element: ModelEntity>: Sendable {
  var element: Element
  var identity: Canon
  var place: Int
}

/// A query, built step by step together with its model.
struct Question<Element: ModelEntity>: Sendable {
  var query: Query<Element>
  var text: String
  var named: [Named<Element>] = []
  /// Whether rows are occurrences in a list.
  var isList = false
  /// Which lists of entries can be compared by identity: those with the same mark.
  var mark: @Sendable (Model) -> Canon = { _ in .null }
  fileprivate var base: @Sendable (Model) -> [Candidate<Element>]
  fileprivate var steps: [Step] = []

  fileprivate enum Step: Sendable {
    case keep(@Sendable (Element, Model) -> Bool)
    case sort(@Sendable (Element, Model) -> Canon, isDescending: Bool)
    case window(offset: Int, limit: Int)
    case distinct([@Sendable (Element, Model) -> Canon])
  }

  init(
    _ query: Query<Element>, _ text: String, isList: Bool = false,
    base: @escaping @Sendable (Model) -> [Candidate<Element>]
  ) {
    self.query = query
    self.text = text
    self.isList = isList
    self.base = base
  }

  static var all: Question {
    Question(Element.all, "\(Element.name).all") { Question.candidates($0[keyPath: Element.table].rows) }
  }

  static func candidates(_ rows: [Element]) -> [Candidate<Element>] {
    rows.enumerated().map { Candidate(element: $1, identity: $1.id.canon, place: $0) }
  }

  mutating func `where`(_ condition: Condition<Element>) {
    query = query.where(condition.make)
    text += ".where { \(condition.text) }"
    named += condition.named
    steps.append(.keep(condition.test))
  }

  mutating func filter(_ text: String, _ test: @escaping @Sendable (Element) -> Bool) {
    query = query.filter(test)
    self.text += ".filter { \(text) }"
    steps.append(.keep { element, _ in test(element) })
  }

  mutating func sort(_ field: Field<Element>, isDescending: Bool) {
    guard let sort = field.sort else { return }
    query = sort(query, isDescending ? .descending : .ascending)
    text += ".sorted(by: \(field.name)\(isDescending ? ", .descending" : ""))"
    if field.isLinked { named.append(field.value) }
    steps.append(.sort(field.value, isDescending: isDescending))
  }

  mutating func limit(_ count: Int) {
    query = query.limit(count)
    text += ".limit(\(count))"
    steps.append(.window(offset: 0, limit: max(0, count)))
  }

  mutating func offset(_ count: Int) {
    query = query.offset(count)
    text += ".offset(\(count))"
    steps.append(.window(offset: max(0, count), limit: .max))
  }

  mutating func distinct(_ field: Field<Element>) {
    guard let distinct = field.distinct else { return }
    query = distinct(query)
    text += ".distinct(by: \(field.name))"
    if field.isLinked { named.append(field.value) }
    steps.append(.distinct([field.value]))
  }

  mutating func track(_ field: Field<Element>) {
    query = field.track(query)
    text += ".tracking(\(field.name))"
    named.append(field.names ?? field.value)
  }

  /// The rows at one version, step by step.
  func rows(_ model: Model) -> [Candidate<Element>] {
    var rows = base(model)
    var keys: [(value: @Sendable (Element, Model) -> Canon, isDescending: Bool)] = []
    var isStage = false
    for step in steps {
      switch step {
      case .keep(let test): rows = rows.filter { test($0.element, model) }
      case .sort(let value, let isDescending):
        if isStage { keys = [] }
        isStage = false
        keys.append((value, isDescending))
      case .window(let offset, let limit):
        // What is sorted from here on are the rows kept; unless sorted, they keep this order.
        rows = Array(Self.ordered(rows, keys, model).dropFirst(offset).prefix(limit))
        isStage = true
      case .distinct(let values):
        var known: Set<[Canon]> = []
        rows = Self.ordered(rows, keys, model).filter { row in
          known.insert(values.map { $0(row.element, model) }).inserted
        }
        isStage = true
      }
    }
    return Self.ordered(rows, keys, model)
  }

  /// Rows by keys, ties by their place in what the query starts from.
  private static func ordered(
    _ rows: [Candidate<Element>], _ keys: [(value: @Sendable (Element, Model) -> Canon, isDescending: Bool)],
    _ model: Model
  ) -> [Candidate<Element>] {
    guard !keys.isEmpty else { return rows }
    let keyed = rows.map { row in (row, keys.map { $0.value(row.element, model) }) }
    return keyed.sorted { left, right in
      for (index, key) in keys.enumerated() {
        let order = Canon.order(left.1[index], right.1[index])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return left.0.place < right.0.place
    }.map(\.0)
  }

  /// The rows as an answer. `properties` are the only ones that an observer compares.
  /// `readsLinks` says whether one of them is behind a link.
  func answer(_ model: Model, properties: [Named<Element>]? = nil, readsLinks: Bool = false) -> Answer {
    let entries = rows(model).map { row in
      var entry = entry(row, model, properties)
      entry.readsLinks = readsLinks
      return entry
    }
    return Answer(entries: entries, mark: mark(model), isList: isList)
  }

  func entry(_ row: Candidate<Element>, _ model: Model, _ properties: [Named<Element>]? = nil) -> Answer.Entry
  {
    let values = row.element.values
    let state = values + named.map { $0(row.element, model) }
    let compared = properties.map { $0.map { $0(row.element, model) } } ?? state
    return Answer.Entry(
      id: row.element.id.canon, identity: row.identity, values: values, compared: compared, state: state,
      insertion: model[keyPath: Element.table].insertion(of: row.element.id.canon))
  }
}
