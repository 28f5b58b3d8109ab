import LiveStore

/// Something that is read at snapshots and in transactions, and observed; and what the model says of it.
protocol Asked: Sendable {
  var text: String { get }
  /// Whether the contract says what an observer is given that leaves origins out: it speaks of rows.
  var takesExclusion: Bool { get }
  /// What is wrong with reading it at a snapshot; nil when all is well.
  func complaint(_ snapshot: Snapshot, _ model: Model) -> String?
  /// What is wrong with reading it inside a transaction.
  func complaint(in tx: borrowing WriteTransaction, _ model: Model) -> String?
  /// An observer of it.
  func watch(_ store: Store, _ style: ObserverStyle, _ timeline: Timeline) -> any Watching
}

/// How something is observed.
struct ObserverStyle: Sendable {
  enum Kind: Sendable { case token, pull, values, subscription }
  var kind = Kind.token
  var skipsInitial = false
  var isEveryCommit = false
  var excluded: Set<String> = []

  var initial: InitialDelivery { skipsInitial ? .skip : .deliver }
  var mode: DeliveryMode { isEveryCommit ? .everyCommit : .latest }
  var text: String {
    "\(kind)\(skipsInitial ? ", initial: .skip" : "")\(isEveryCommit ? ", mode: .everyCommit" : "")"
      + (excluded.isEmpty ? "" : ", excluding: \(excluded.sorted())")
  }
}

/// What an observer was given, in the terms of the model.
enum Heard {
  case initial(Answer, version: UInt64?)
  /// `laws` checks the change between two answers, besides that they are its ends; and whether it says exactly what
  /// differs, if `isExact`.
  case update(
    old: Answer, new: Answer, version: UInt64?,
    laws: (_ old: Answer, _ new: Answer, _ isExact: Bool) -> String?)
  case error(StoreError)
}

/// Any source of the store's, with its model.
struct AskedSource<Source: LiveSource>: Asked {
  var source: Source
  var text: String
  var takesExclusion = false
  var expected: @Sendable (Model) -> Answer
  var actual: @Sendable (Source.Value) -> Answer
  var heard: @Sendable (Source.Change) -> Heard
  var changes: (@Sendable (Store, ObserverStyle) -> LiveChanges<Source.Change>)?
  /// What is wrong with two changes taken as one, between the answers at the ends.
  var compose: (@Sendable (Source.Change, Source.Change, Answer, Answer) -> String?)?
  var observe:
    (@Sendable (Store, ObserverStyle, @escaping @Sendable (Source.Change) -> Void) -> NotificationToken)?

  func complaint(_ snapshot: Snapshot, _ model: Model) -> String? {
    expected(model).complaint(actual(snapshot.value(of: source))).map { "\(text) \($0)" }
  }

  func complaint(in tx: borrowing WriteTransaction, _ model: Model) -> String? {
    expected(model).complaint(actual(tx.value(of: source))).map { "in the transaction, \(text) \($0)" }
  }

  func watch(_ store: Store, _ style: ObserverStyle, _ timeline: Timeline) -> any Watching {
    Watch(store, self, style, timeline)
  }
}

enum GroupsAsked {
  static func count<Element, Key: Hashable & Sendable & Canonical>(
    _ question: Question<Element>, _ groups: GroupedQuery<Element, Key>, _ field: Field<Element>
  ) -> any Asked {
    make(question, groups.count, field, "count") {
      .int($0.count)
    } canon: {
      .int($0)
    }
  }

  static func make<Element, Key: Hashable & Sendable & Canonical, Value: Equatable & Sendable>(
    _ question: Question<Element>, _ source: GroupAggregate<Element, Key, Value>, _ field: Field<Element>,
    _ name: String, keysHaveOrder: Bool = true, _ value: @escaping @Sendable ([(Element, Model)]) -> Canon,
    canon: @escaping @Sendable (Value) -> Canon
  ) -> any Asked {
    let entry: @Sendable (ResultGroup<Key, Value>) -> Answer.Entry = { group in
      let values = [canon(group.value)]
      return Answer.Entry(id: group.key.canon, identity: group.key.canon, values: values, compared: values)
    }
    return AskedSource(
      source: source, text: "\(question.text).grouped(by: \(field.name)).\(name)",
      expected: { model in
        var groups: [(key: Canon, place: Int, rows: [(Element, Model)])] = []
        var known: [Canon: Int] = [:]
        for row in question.rows(model) {
          let key = field.value(row.element, model)
          if let index = known[key] {
            groups[index].rows.append((row.element, model))
            groups[index].place = min(groups[index].place, row.place)
          } else {
            known[key] = groups.count
            groups.append((key, row.place, [(row.element, model)]))
          }
        }
        groups.sort { keysHaveOrder ? Canon.order($0.key, $1.key) < 0 : $0.place < $1.place }
        return Answer(
          entries: groups.map { group in
            let values = [value(group.rows)]
            return Answer.Entry(id: group.key, identity: group.key, values: values, compared: values)
          })
      },
      actual: { Answer(entries: $0.map(entry)) },
      heard: { Laws.heard($0, isList: false, names: ["value"], entry) })
  }
}

enum ValueAsked {
  static func count<Element>(_ question: Question<Element>) -> any Asked {
    make(question.query.count, "\(question.text).count") {
      .int(question.rows($0).count)
    } canon: {
      .int($0)
    }
  }

  static func extreme<Element, Value: Canonical & Equatable>(
    _ question: Question<Element>, _ source: Aggregate<Element, Value>, _ field: Field<Element>,
    isMaximum: Bool,
    isOptional: Bool
  ) -> any Asked {
    make(source, "\(question.text).\(isMaximum ? "max" : "min")(\(field.name))") { model in
      let values = question.rows(model).map { field.value($0.element, model) }.filter {
        !isOptional || $0 != .null
      }
      let sorted = values.sorted { Canon.order($0, $1) < 0 }
      return (isMaximum ? sorted.last : sorted.first) ?? .null
    } canon: {
      $0.canon
    }
  }

  static func make<Source: LiveSource, Value: Equatable & Sendable>(
    _ source: Source, _ text: String, _ value: @escaping @Sendable (Model) -> Canon,
    canon: @escaping @Sendable (Value) -> Canon
  ) -> any Asked where Source.Value == Value, Source.Change == ValueChange<Value> {
    AskedSource(
      source: source, text: text, expected: { Answer(value: value($0)) },
      actual: { Answer(value: canon($0)) },
      heard: { change in
        switch change {
        case .initial(let value): .initial(Answer(value: canon(value)), version: nil)
        case .change(let old, let new):
          .update(old: Answer(value: canon(old)), new: Answer(value: canon(new)), version: nil) {
            old, new, _ in
            old.value == new.value ? "a change to the same value" : nil
          }
        case .error(let error): .error(error)
        }
      })
  }

  /// One object.
  static func object<Element: ModelEntity>(_: Element.Type, _ id: Element.ID) -> any Asked {
    let canon: @Sendable (Element?) -> Answer = { Answer(value: $0.map { .list($0.values) } ?? .null) }
    return AskedSource(
      source: Element.object(id), text: "\(Element.name).object(\(id))",
      expected: { canon($0[keyPath: Element.table][id]) }, actual: canon,
      heard: { change in
        switch change {
        case .initial(let object): .initial(canon(object), version: nil)
        case .change(let old, let new, let properties):
          .update(old: canon(old), new: canon(new), version: nil) { _, _, _ in
            let (before, after) = (old.values, new.values)
            let names = Element.names.indices.filter { before[$0] != after[$0] }.map { Element.names[$0] }
            return properties.map(\.name) == names
              ? nil : "changed are \(names), but reported are \(properties.map(\.name))"
          }
        case .deleted(let old): .update(old: canon(old), new: canon(nil), version: nil) { _, _, _ in nil }
        case .inserted(let new): .update(old: canon(nil), new: canon(new), version: nil) { _, _, _ in nil }
        case .error(let error): .error(error)
        }
      })
  }
}

extension Question {
  /// The rows, as something to read and to observe.
  var asked: any Asked {
    let names = Element.names
    let entry = Self.plainEntry
    return AskedSource(
      source: query, text: text, takesExclusion: !isList, expected: { answer($0) },
      actual: { Answer(entries: $0.map(entry)) },
      heard: { [isList] in Laws.heard($0, isList: isList, names: names, entry) },
      compose: { [isList] first, second, old, new in
        guard let first = first.changes, let second = second.changes else { return nil }
        let both = first.followed(by: second)
        return Laws.complaint(both, old, new, isList: isList, names: names, mayBeEmpty: true, entry)
      })
  }

  static var plainEntry: @Sendable (Element) -> Answer.Entry {
    { element in
      let values = element.values
      return Answer.Entry(id: element.id.canon, identity: element.id.canon, values: values, compared: values)
    }
  }

  /// The rows for an observer of some properties.
  func asked(properties: [Field<Element>]) -> any Asked {
    let watched = properties.flatMap(\.watched)
    let paths = properties.compactMap(\.path)
    let readsLinks = properties.contains(where: \.isLinked)
    let entry = Self.plainEntry
    return AskedSource(
      source: query, text: "\(text), properties: \(properties.map(\.name))", takesExclusion: !isList,
      expected: { answer($0, properties: watched, readsLinks: readsLinks) },
      actual: { Answer(entries: $0.map(entry)) },
      heard: { [isList] in Laws.heard($0, isList: isList, names: nil, entry) },
      changes: { [query] store, style in
        store.changes(
          of: query, initial: style.initial, properties: paths, excluding: style.excluded, mode: style.mode
        )
      },
      observe: { [query] store, style, handler in
        store.observe(
          query, initial: style.initial, properties: paths, excluding: style.excluded, mode: style.mode,
          handler)
      })
  }
}
