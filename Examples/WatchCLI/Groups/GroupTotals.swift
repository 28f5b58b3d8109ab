import Foundation
package import LiveStore

/// The counts and sums of groups, kept up to date by the objects that come and go.
///
/// Sums are decimals of up to 38 digits, so that what is added and subtracted again leaves nothing behind.
package struct GroupTotals {
  private struct Group {
    var count = 0
    var sums: [Decimal]
  }

  private let options: GroupOptions
  private var groups: [JSONValue: Group] = [:]
  /// The groups that have changed since `takeChanges`.
  private var changed: Set<JSONValue> = []

  /// No groups.
  package init(_ options: GroupOptions) {
    self.options = options
  }

  /// Takes in an event of the objects' query.
  ///
  /// - Complexity: O(changes)
  package mutating func apply(_ change: CollectionChange<Document>) {
    switch change {
    case .initial(let results): for document in results { add(document, 1) }
    case .update(_, let changes):
      for index in changes.deletions { add(changes.previous[index], -1) }
      for index in changes.insertions { add(changes.current[index], 1) }
      for modification in changes.modifications {
        add(modification.old, -1)
        add(modification.new, 1)
      }
    case .error: break
    }
  }

  /// Takes in an object that comes, or goes.
  package mutating func add(_ document: Document, _ sign: Int) {
    let key = document.value(at: options.path.steps) ?? .null
    var group = groups[key] ?? Group(sums: options.sums.map { _ in 0 })
    group.count += sign
    for (place, path) in options.sums.enumerated() {
      guard case .number(let number)? = document.value(at: path.steps),
        let value = Decimal(string: number.description)
      else { continue }
      group.sums[place] += Decimal(sign) * value
    }
    groups[key] = group.count == 0 ? nil : group
    changed.insert(key)
  }

  /// The groups that have changed, as objects that are put or removed, in order of their keys.
  package mutating func takeChanges() -> [InputChange] {
    defer { changed = [] }
    return changed.sorted().map { key in
      guard let group = groups[key] else { return .remove(Document(id: key, body: .null)) }
      return .put(Document(id: key, body: body(key, group)))
    }
  }

  private func body(_ key: JSONValue, _ group: Group) -> JSONValue {
    var members: [(key: String, value: JSONValue)] = [(options.path.description, key)]
    if options.hasCount { members.append(("count", JSONValue(group.count))) }
    for (path, sum) in zip(options.sums, group.sums) {
      members.append((GroupOptions.title(ofSum: path), (try? JSONValue(parsing: sum.description)) ?? .null))
    }
    return .object(JSONObject(members))
  }
}

/// Keeps a store of groups up to date with a query over objects.
///
/// State: the totals, guarded by the actor.
package actor GroupKeeper {
  private var totals: GroupTotals
  /// The groups, each a document under the value that its objects share.
  package nonisolated let store: Store

  /// A keeper of no groups.
  package init(_ options: GroupOptions) throws {
    totals = GroupTotals(options)
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    store = try Store(Document.self, configuration: configuration)
  }

  /// Follows a query, as long as the token is held.
  package func follow(_ query: Query<Document>, of objects: Store) -> NotificationToken {
    objects.observe(query) { change in
      self.totals.apply(change)
      self.write()
    }
  }

  /// Takes in a result.
  package func take(_ results: Results<Document>) {
    for document in results { totals.add(document, 1) }
    write()
  }

  private func write() {
    let changes = totals.takeChanges()
    // A store of documents, to which nothing else is written, refuses nothing.
    try? store.write { try $0.apply(changes) }
  }
}
