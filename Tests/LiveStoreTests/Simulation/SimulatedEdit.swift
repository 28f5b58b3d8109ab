import LiveStore
import TestSupport

/// One step of a simulated transaction: a value, so that histories can be printed, shortened and run again.
indirect enum SimulatedEdit: Sendable {
  case insert(any Simulated)
  case upsert(any Simulated)
  /// The object of the same id takes over one property.
  case take(Int, any Simulated)
  /// It takes it over and gives it back.
  case waver(Int, any Simulated)
  /// The list of an article's topics is edited, perhaps by adding a topic.
  case rearrange(article: Int, adding: Int, ListEdit)
  case delete(any Simulated.Type, Int)
  case reinsert(any Simulated.Type, Int)
  /// The object of the same id is deleted, and this is inserted.
  case replace(any Simulated)
  case clear(any Simulated.Type)
  /// The weight of a topic becomes the number of articles with so many likes, which is read.
  case tally(topic: Int, likes: Int)
  case savepoint([SimulatedEdit], fails: Bool)
  /// The body throws.
  case fail
}

/// An edit of a list of any length, at places that follow from two numbers.
struct ListEdit: Sendable {
  enum Kind: CaseIterable { case append, insert, remove, move, swap, replace, duplicate, clear, rebuild }

  let kind: Kind
  let one: Int
  let other: Int

  func perform<E: Entity>(_ list: inout RefList<E>, adding reference: Ref<E>) {
    if kind == .append || list.isEmpty {
      list.append(reference)
      return
    }
    let (one, other) = (one % list.count, other % list.count)
    switch kind {
    case .append, .insert: list.insert(reference, at: one)
    case .remove: list.remove(at: one)
    case .move: list.move(from: one, to: other)
    case .swap: list.swapAt(one, other)
    case .replace: list[one] = reference
    case .duplicate: list.insert(list[one], at: other)
    case .clear: list.removeAll()
    // The same, as decoded.
    case .rebuild: list = RefList(ids: list.ids)
    }
  }
}

/// One call of `write` or `transaction`.
struct SimulatedTransaction: Sendable {
  var origin: String?
  var edits: [SimulatedEdit]
}

/// Thrown by bodies.
struct GivenUp: Error {}

// MARK: What it does, twice

extension SimulatedEdit {
  /// In the store. Whatever is inserted twice is an error that ends the transaction.
  func perform(_ tx: borrowing WriteTransaction) throws {
    switch self {
    case .insert(let object): try tx.insert(object)
    case .upsert(let object): try tx.upsert(object)
    case .take(let property, let object): try Self.take(tx, property, object)
    case .waver(let property, let object): try Self.waver(tx, property, object)
    case .rearrange(let article, let topic, let edit):
      guard tx[Article.self, article] != nil else { return }
      try tx.update(Article.self, article) { edit.perform(&$0.topics, adding: Ref(topic)) }
    case .delete(let kind, let id): try Self.delete(tx, kind, id)
    case .reinsert(let kind, let id): try Self.reinsert(tx, kind, id)
    case .replace(let object):
      func replace<E: Simulated>(_ object: E) throws {
        try tx.delete(E.self, object.id)
        try tx.insert(object)
      }
      try replace(object)
    case .clear(let kind): try Self.clear(tx, kind)
    case .tally(let topic, let likes):
      let count = tx.count(Article.where { $0.likes >= likes })
      if tx[Topic.self, topic] != nil { try tx.update(Topic.self, topic) { $0.weight = count } }
    case .savepoint(let edits, let fails):
      do {
        try tx.savepoint { tx in
          for edit in edits { try edit.perform(tx) }
          if fails { throw GivenUp() }
        }
      } catch is GivenUp {}
    case .fail: throw GivenUp()
    }
  }

  private static func take<E: Simulated>(
    _ tx: borrowing WriteTransaction, _ property: Int, _ object: E
  ) throws {
    guard tx[E.self, object.id] != nil else { return }
    try tx.update(E.self, object.id) { $0.take(property, from: object) }
  }

  private static func waver<E: Simulated>(
    _ tx: borrowing WriteTransaction, _ property: Int, _ object: E
  ) throws {
    guard let old = tx[E.self, object.id] else { return }
    try tx.update(E.self, object.id) { $0.take(property, from: object) }
    try tx.upsert(old)
  }

  private static func delete<E: Simulated>(_ tx: borrowing WriteTransaction, _: E.Type, _ id: Int) throws {
    try tx.delete(E.self, id)
  }

  private static func reinsert<E: Simulated>(_ tx: borrowing WriteTransaction, _: E.Type, _ id: Int) throws {
    guard let old = tx[E.self, id] else { return }
    try tx.delete(E.self, id)
    try tx.insert(old)
  }

  private static func clear<E: Simulated>(_ tx: borrowing WriteTransaction, _: E.Type) throws {
    try tx.delete(E.all)
  }

  /// In plain Swift.
  func perform(_ model: inout ModelStore) throws {
    switch self {
    case .insert(let object):
      func insert<E: Simulated>(_ object: E) throws {
        if !model.insert(object) { throw Refused() }
      }
      try insert(object)
    case .upsert(let object):
      func upsert<E: Simulated>(_ object: E) { model.upsert(object) }
      upsert(object)
    case .take(let property, let object):
      func take<E: Simulated>(_ object: E) {
        model.update(E.self, object.id) { $0.take(property, from: object) }
      }
      take(object)
    case .waver: break
    case .rearrange(let article, let topic, let edit):
      model.update(Article.self, article) { edit.perform(&$0.topics, adding: Ref(topic)) }
    case .delete(let kind, let id): model.delete(kind.modelKey(id))
    case .reinsert(let kind, let id):
      func reinsert<E: Simulated>(_: E.Type) {
        guard let old = model[E.self, id] else { return }
        model.delete(E.modelKey(id))
        model.insert(old)
      }
      reinsert(kind)
    case .replace(let object):
      func replace<E: Simulated>(_ object: E) {
        model.delete(object.modelKey)
        model.insert(object)
      }
      replace(object)
    case .clear(let kind):
      func clear<E: Simulated>(_: E.Type) { model.deleteAll(E.self) }
      clear(kind)
    case .tally(let topic, let likes):
      let count = model.articles.filter { $0.likes >= likes }.count
      model.update(Topic.self, topic) { $0.weight = count }
    case .savepoint(let edits, let fails):
      var inner = model
      for edit in edits {
        do { try edit.perform(&inner) } catch is GivenUp { return }
      }
      if !fails { model = inner }
    case .fail: throw GivenUp()
    }
  }

  /// An object was inserted that was there.
  struct Refused: Error {}
}

extension SimulatedTransaction {
  func perform(_ tx: borrowing WriteTransaction) throws { for edit in edits { try edit.perform(tx) } }

  enum Outcome {
    /// - Parameter isChanged: whether anything differs, so that there is a new version.
    case committed(ModelStore, isChanged: Bool)
    case refused([ModelViolation])
    /// The body throws, or inserts what is there.
    case thrown
  }

  func outcome(_ before: ModelStore) -> Outcome {
    var model = before
    do { for edit in edits { try edit.perform(&model) } } catch { return .thrown }
    let violations = model.violations(after: before)
    if !violations.isEmpty { return .refused(violations) }
    let isChanged = model.commit(after: before)
    return .committed(model, isChanged: isChanged)
  }
}

extension SimulatedTransaction {
  func isCommitted(_ before: ModelStore) -> Bool {
    if case .committed = outcome(before) { true } else { false }
  }
}

// MARK: Random ones

extension SplitMix64 {
  /// An edit of what a model holds, with new objects of some ids.
  mutating func simulatedEdit(_ model: ModelStore, _ new: ClosedRange<Int>, depth: Int = 1) -> SimulatedEdit {
    let kind = pick(
      [Writer.self, Topic.self, Article.self, Article.self, Reply.self, Meeting.self] as [any Simulated.Type])
    func id<E: Simulated>(_: E.Type, _ random: inout SplitMix64) -> Int {
      let ids = model.ids(E.self)
      return ids.isEmpty || random.chance(1, in: 12) ? random.int(new) : random.pick(ids)
    }
    switch int(0...27) {
    case 0...1: return .insert(simulated(kind, int(new), model))
    case 2...4: return .upsert(simulated(kind, int(new), model))
    case 5...13: return .take(int(0...29), simulated(kind, id(kind, &self), model))
    case 14: return .waver(int(0...29), simulated(kind, id(kind, &self), model))
    case 15...16: return .delete(kind, id(kind, &self))
    case 17:
      return chance(1, in: 2)
        ? .reinsert(kind, id(kind, &self)) : .replace(simulated(kind, id(kind, &self), model))
    case 18: return chance(1, in: 6) ? .clear(kind) : .delete(kind, id(kind, &self))
    case 19...20: return .tally(topic: id(Topic.self, &self), likes: int(0...4))
    case 21: return chance(1, in: 4) ? .fail : .take(int(0...29), simulated(kind, id(kind, &self), model))
    case 22...25: return listEdit(model, article: id(Article.self, &self))
    default:
      guard depth > 0 else { return .tally(topic: id(Topic.self, &self), likes: int(0...4)) }
      let edits = (0..<int(1...3)).map { _ in simulatedEdit(model, new, depth: depth - 1) }
      return .savepoint(edits, fails: chance(1, in: 2))
    }
  }

  /// An edit of an article's list of topics.
  mutating func listEdit(_ model: ModelStore, article: Int) -> SimulatedEdit {
    let topics = model.ids(Topic.self)
    let edit = ListEdit(kind: pick(ListEdit.Kind.allCases), one: int(0...99), other: int(0...99))
    return .rearrange(article: article, adding: topics.isEmpty ? 1 : pick(topics), edit)
  }

  mutating func simulated(_ kind: any Simulated.Type, _ id: Int, _ model: ModelStore) -> any Simulated {
    let (writers, topics) = (model.ids(Writer.self), model.ids(Topic.self))
    if kind == Writer.self { return LinkedScript.writer(id, &self, writers) }
    if kind == Topic.self {
      return Topic(id: id, name: pick(LinkedScript.topicNames), weight: int(0...4))
    }
    if kind == Meeting.self { return LinkedScript.meeting(id, &self, writers) }
    let articles = model.ids(Article.self)
    if kind == Article.self || articles.isEmpty { return LinkedScript.article(id, &self, writers, topics) }
    return LinkedScript.reply(id, &self, articles, model.ids(Reply.self))
  }
}

// MARK: Printing

extension SimulatedEdit: CustomStringConvertible {
  var description: String {
    switch self {
    case .insert(let object): "insert \(object)"
    case .upsert(let object): "upsert \(object)"
    case .take(let property, let object): "take property \(property) of \(object)"
    case .waver(let property, let object): "take property \(property) of \(object), and back"
    case .rearrange(let article, let topic, let edit): "\(edit) of article \(article) with topic \(topic)"
    case .delete(let kind, let id): "delete \(kind) \(id)"
    case .reinsert(let kind, let id): "delete and insert \(kind) \(id)"
    case .replace(let object): "delete, and insert \(object)"
    case .clear(let kind): "delete all \(kind)"
    case .tally(let topic, let likes): "count articles of \(likes) likes into topic \(topic)"
    case .savepoint(let edits, let fails): "savepoint { \(edits)\(fails ? "; throw" : "") }"
    case .fail: "throw"
    }
  }
}

extension SimulatedTransaction: CustomStringConvertible {
  var description: String { "\(origin.map { "by \($0): " } ?? "")\(edits)" }
}
