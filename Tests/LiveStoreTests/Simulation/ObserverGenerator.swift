import LiveStore
import TestSupport

/// An entity that simulations group, divide and sum up.
protocol Divisible: Simulated {
  /// Makes an observer of groups, sections, aggregates, distinct objects, or of a list.
  static func observer(
    _ kind: Int, _ query: LinkedCase<Self>, _ id: Int, _ make: ObserverGenerator
  ) throws -> any SimulatedObserver
}

/// Makes observers that follow from a seed.
struct ObserverGenerator {
  let world: LinkedWorld
  let executor: SeededExecutor
  let choices: LinkedMoves
  let style: SimulatedStyle

  static func observer(
    _ seed: UInt64, isOfLists: Bool, _ world: LinkedWorld, _ executor: SeededExecutor, _ choices: LinkedMoves
  ) throws -> any SimulatedObserver {
    var random = SplitMix64(seed: seed)
    let cast = ObserverGenerator(
      world: world, executor: executor, choices: choices, style: random.pick(SimulatedStyle.allCases))
    if isOfLists, random.chance(5, in: 6) { return try cast.list(random.int(1...2), &random) }
    switch random.int(0...11) {
    case 10...11: return try cast.list(random.int(1...6), &random)
    case 0...3: return try cast.observer(Article.self, &random)
    case 4...5: return try cast.observer(Reply.self, &random)
    case 6...7: return try cast.observer(Writer.self, &random)
    case 8: return try cast.collection(LinkedCase<Topic>(&random), isLimited: random.chance(1, in: 3))
    default: return try cast.collection(LinkedCase<Meeting>(&random), isLimited: random.chance(1, in: 3))
    }
  }

  private func observer<E: Divisible>(_: E.Type, _ random: inout SplitMix64) throws -> any SimulatedObserver {
    let queryCase = LinkedCase<E>(&random)
    switch random.int(0...16) {
    case 16: return SimulatedReader(queryCase, choices)
    case 0...5: return try collection(queryCase, isLimited: random.chance(1, in: 4))
    case 6: return try object(E.self, random.int(1...12), isLimited: random.chance(1, in: 3))
    case 7:
      return try value("\(queryCase.text).count", queryCase.query.count) { queryCase.expectedRows($0).count }
    case 8:
      let other = LinkedCase<Topic>(&random)
      return try SimulatedFollower(
        style.isStream && style.excluded.isEmpty && style == .stream ? style : .stream,
        SimulatedSource("\(queryCase.text) with \(other.text)", queryCase.query, with: other.query),
        SimulatedPairChecker(queryCase, other, choices), world, executor)
    default: return try E.observer(random.int(0...9), queryCase, random.int(1...10), self)
    }
  }

  /// Of the objects of one object's list, set or map.
  private func list(_ id: Int, _ random: inout SplitMix64) throws -> any SimulatedObserver {
    let isLimited = random.chance(1, in: 4)
    switch random.int(0...5) {
    case 0...2:
      let topics = LinkedCase<Topic>(
        "topics of article \(id)", Topic.linked(from: \Article.topics, of: id), mayRepeat: true, &random
      ) { model in model.topics(model.articles.first { $0.id == id }?.topics ?? []) }
      return try collection(topics, isLimited: isLimited)
    case 3:
      return try collection(
        LinkedCase<Writer>("board of meeting \(id)", Writer.linked(from: \Meeting.board, of: id), &random) {
          model in
          let board = model.meetings.first { $0.id == id }?.board
          return model.writers.filter { board?.values.contains($0.ref) == true }
        }, isLimited: isLimited)
    default:
      let follows = LinkedCase<Writer>(
        "whom writer \(id) follows", Writer.linked(from: \Writer.follows, of: id), &random
      ) { model in
        let follows = model.writers.first { $0.id == id }?.follows
        return model.writers.filter { follows?.contains($0.ref) == true }
      }
      return random.chance(1, in: 3)
        ? try Writer.observer(random.int(0...9), follows, id, self)
        : try collection(follows, isLimited: isLimited)
    }
  }

  func collection<E: Social>(_ queryCase: LinkedCase<E>, isLimited: Bool) throws -> any SimulatedObserver {
    let source =
      isLimited
      ? SimulatedSource("some of \(queryCase.text)", queryCase.query, of: E.observed.paths)
      : SimulatedSource(queryCase.text, queryCase.query)
    let checker: any SimulatedChecker<CollectionChange<E>> =
      style.excluded.isEmpty || isLimited || !queryCase.isOfTable
      ? SimulatedCollectionChecker(queryCase, isLimited: isLimited, choices)
      : SimulatedExcludingChecker(queryCase, choices)
    return try SimulatedFollower(style, source, checker, world, executor)
  }

  func object<E: Social>(_: E.Type, _ id: Int, isLimited: Bool) throws -> any SimulatedObserver {
    // An object is not observed commit by commit. Events of it have no version: of some properties they are those of
    // the present only to a handler that receives each at once.
    let style = style.isEveryCommit || isLimited ? .handler : style
    let paths = isLimited ? E.observed.paths : nil
    let source = SimulatedSource<ObjectChange<E>>(
      "\(E.self) \(id)\(isLimited ? ", some properties" : "")",
      observe: { store, style, handler in
        store.observe(
          E.self, id, initial: style.initial, properties: paths, excluding: style.excluded, handler)
      },
      changes: { store, style in
        store.changes(
          of: E.self, id, initial: style.initial, properties: paths, excluding: style.excluded)
      })
    return try SimulatedFollower(
      style, source, SimulatedObjectChecker<E>(id, isLimited: isLimited), world, executor)
  }

  func value<Source: LiveSource<Value, ValueChange<Value>>, Value: Equatable & Sendable>(
    _ text: String, _ source: Source, _ expected: @escaping (ModelStore) -> Value
  ) throws -> any SimulatedObserver {
    try SimulatedFollower(
      style, SimulatedSource(text, source), SimulatedValueChecker(expected), world, executor)
  }

  func rows<Source: LiveSource<Results<Row>, CollectionChange<Row>>, Row: Entity & Equatable>(
    _ text: String, _ source: Source, _ expected: @escaping (ModelStore) -> [Row]
  ) throws -> any SimulatedObserver {
    try SimulatedFollower(
      style, SimulatedSource(text, source), SimulatedRowsChecker(show: \.self, expected), world, executor)
  }

  func sections<Key: Hashable & Sendable, E: Social>(
    _ text: String, _ source: SectionedQuery<E, Key>, _ queryCase: LinkedCase<E>,
    _ key: @escaping (E, ModelStore) -> Key, _ precedes: @escaping (Key, Key) -> Bool
  ) throws -> any SimulatedObserver {
    try SimulatedFollower(
      style, SimulatedSource("\(queryCase.text).sectioned(by: \(text))", source),
      SimulatedSectionsChecker(named: queryCase.names) { model in
        let rows = queryCase.expectedRows(model)
        let keys = rows.map { key($0, model) }
        var known: [Key] = []
        for key in keys where !known.contains(key) { known.append(key) }
        return known.sorted(by: precedes).map { known in
          (known, zip(rows, keys).filter { $1 == known }.map(\.0))
        }
      }, world, executor)
  }

  func groups<Key: Hashable & Sendable, Value: Equatable & Sendable, E: Social>(
    _ text: String, _ source: GroupAggregate<E, Key, Value>, _ queryCase: LinkedCase<E>,
    _ key: @escaping (E, ModelStore) -> Key, _ precedes: ((Key, Key) -> Bool)?,
    _ value: @escaping ([E]) -> Value
  ) throws -> any SimulatedObserver {
    try SimulatedFollower(
      style, SimulatedSource("\(queryCase.text).grouped(by: \(text))", source),
      SimulatedRowsChecker(show: { Pair(key: $0.key, value: $0.value) }) { model in
        let chosen = Set(queryCase.expectedRows(model).map(\.id))
        // In insertion order: a group without an order stands where its first row stands.
        let rows = model.rows(E.self).filter { chosen.contains($0.id) }
        var found: [(key: Key, rows: [E])] = []
        for row in rows {
          let key = key(row, model)
          if let index = found.firstIndex(where: { $0.key == key }) {
            found[index].rows.append(row)
          } else {
            found.append((key, [row]))
          }
        }
        if let precedes { found.sort { precedes($0.key, $1.key) } }
        return found.map { Pair(key: $0.key, value: value($0.rows)) }
      }, world, executor)
  }

  func distinct<Key: Hashable, E: Social>(
    _ text: String, _ query: Query<E>, _ queryCase: LinkedCase<E>, _ key: @escaping (E, ModelStore) -> Key
  ) throws -> any SimulatedObserver {
    func rows(_ model: ModelStore) -> [E] {
      var known: Set<Key> = []
      return queryCase.expectedRows(model).filter { known.insert(key($0, model)).inserted }
    }
    return try SimulatedFollower(
      style, SimulatedSource("\(queryCase.text).distinct(by: \(text))", query),
      SimulatedRowsChecker(
        named: { model in rows(model).map { queryCase.named($0, model) } }, show: \.self, rows), world,
      executor)
  }
}

extension LinkedCase {
  /// The linked values that its rows are followed by, row by row.
  fileprivate func names(_ model: ModelStore) -> [[NamedValue]] {
    expectedRows(model).map { named($0, model) }
  }
}

/// Nil first.
private func nilFirst<V: Comparable>(_ one: V?, _ other: V?) -> Bool {
  guard let one, let other else { return one == nil && other != nil }
  return isBelow(one, other)
}

private func mean(_ numbers: [Int]) -> Double? {
  numbers.isEmpty ? nil : Double(numbers.reduce(0, +)) / Double(numbers.count)
}

extension Article: Divisible {
  static func observer(
    _ kind: Int, _ queryCase: LinkedCase<Article>, _ id: Int, _ make: ObserverGenerator
  ) throws -> any SimulatedObserver {
    let query = queryCase.query
    switch kind {
    case 0:
      return try make.groups(
        "title, count", query.grouped(by: \.title).count, queryCase, { article, _ in article.title }, isBelow
      ) { $0.count }
    case 1:
      return try make.groups(
        "author, sum(likes)", query.grouped(by: \.author).sum(\.likes), queryCase,
        { article, _ in article.author }, nil
      ) { $0.reduce(0) { $0 + $1.likes } }
    case 2:
      return try make.groups(
        "author.name, count", query.grouped(by: \.author.name).count, queryCase,
        { $1.writer($0.author)?.name }, nilFirst
      ) { $0.count }
    case 3:
      return try make.sections(
        "likes", query.sectioned(by: \.likes), queryCase, { article, _ in article.likes }, <)
    case 4:
      return try make.sections(
        "author.name", query.sectioned(by: \.author.name), queryCase, { $1.writer($0.author)?.name }, nilFirst
      )
    case 5:
      return try make.distinct("title", query.distinct(by: \.title), queryCase) { article, _ in article.title
      }
    case 6:
      return try make.value("\(queryCase.text).sum(likes)", query.sum(\.likes)) {
        queryCase.expectedRows($0).reduce(0) { $0 + $1.likes }
      }
    case 7:
      return try make.value("\(queryCase.text).average(likes)", query.average(\.likes)) {
        mean(queryCase.expectedRows($0).map(\.likes))
      }
    case 8:
      return try make.rows("articles by writer \(id)", Article.linking(to: Ref<Writer>(id), by: \.author)) {
        $0.articles.filter { $0.author?.id == id }
      }
    default:
      return try make.value("\(queryCase.text).max(title)", query.max(\.title)) {
        queryCase.expectedRows($0).map(\.title).max(by: isBelow)
      }
    }
  }
}

extension Reply: Divisible {
  static func observer(
    _ kind: Int, _ queryCase: LinkedCase<Reply>, _ id: Int, _ make: ObserverGenerator
  ) throws -> any SimulatedObserver {
    let query = queryCase.query
    switch kind {
    case 0...1:
      return try make.groups(
        "article, count", query.grouped(by: \.article).count, queryCase, { reply, _ in reply.article }, nil
      ) { $0.count }
    case 2...3:
      return try make.sections(
        "text", query.sectioned(by: \.text), queryCase, { reply, _ in reply.text }, isBelow)
    case 4...5:
      return try make.distinct("article", query.distinct(by: \.article), queryCase) { reply, _ in
        reply.article
      }
    case 6:
      return try make.value("\(queryCase.text).min(text)", query.min(\.text)) {
        queryCase.expectedRows($0).map(\.text).min(by: isBelow)
      }
    default:
      return try make.rows("answers to \(id)", Reply.linking(to: Ref<Reply>(id), by: \.parent)) {
        $0.replies.filter { $0.parent?.id == id }
      }
    }
  }
}

extension Writer: Divisible {
  static func observer(
    _ kind: Int, _ queryCase: LinkedCase<Writer>, _ id: Int, _ make: ObserverGenerator
  ) throws -> any SimulatedObserver {
    let query = queryCase.query
    switch kind {
    case 0:
      return try make.groups(
        "age, min(name)", query.grouped(by: \.age).min(\.name), queryCase, { writer, _ in writer.age },
        nilFirst
      ) { $0.map(\.name).min(by: isBelow) ?? "" }
    case 1...2:
      return try make.sections(
        "age", query.sectioned(by: \.age), queryCase, { writer, _ in writer.age }, nilFirst)
    case 3:
      return try make.distinct("name", query.distinct(by: \.name), queryCase) { writer, _ in writer.name }
    default:
      return try make.value("\(queryCase.text).sum(age)", query.sum(\.age)) {
        queryCase.expectedRows($0).reduce(0) { $0 + ($1.age ?? 0) }
      }
    }
  }
}
