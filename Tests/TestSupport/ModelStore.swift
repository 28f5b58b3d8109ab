import LiveStore
import Synchronization

/// The naive store that the oracles compare the library with: arrays in insertion order, and everything done the
/// slow way. A value, so a copy is a version.
///
/// This file has reading and writing, `ModelStore+Commit.swift` what a commit refuses, and `ModelStore+Rows.swift`
/// rows of any entity and what differs between two versions.
package struct ModelStore: Sendable {
  package let rules: ModelRules
  /// One for each entity, in the order given.
  var tables: [any ModelTableOfAnyEntity] { didSet { knownMeaning = KnownMeaning() } }
  private var knownMeaning = KnownMeaning()
  private let types: [ObjectIdentifier]
  /// The insertion number of the newest object.
  private var lastPosition = 0

  package init(_ entities: any ModelEntity.Type..., rules: ModelRules = ModelRules()) {
    func table<Element: ModelEntity>(_: Element.Type) -> any ModelTableOfAnyEntity { ModelTable<Element>() }
    self.rules = rules
    tables = entities.map { table($0) }
    types = entities.map { ObjectIdentifier($0) }
    for property in rules.properties where !entities.contains(where: { property.hasPrefix("\($0).") }) {
      preconditionFailure("a rule names \(property), of an entity that the model was not made with")
    }
  }

  func number(of type: any ModelEntity.Type) -> Int {
    guard let number = types.firstIndex(of: ObjectIdentifier(type)) else {
      preconditionFailure("the model was not made with \(type)")
    }
    return number
  }

  func table<Element: ModelEntity>(_: Element.Type) -> ModelTable<Element> {
    guard let table = tables[number(of: Element.self)] as? ModelTable<Element> else {
      preconditionFailure("the table of \(Element.self) holds another entity")
    }
    return table
  }

  private mutating func edit<Element: ModelEntity, Result>(
    _: Element.Type, _ body: (inout ModelTable<Element>) -> Result
  ) -> Result {
    var table = table(Element.self)
    let number = number(of: Element.self)
    // So that the body edits arrays in place, not copies.
    tables[number] = ModelTable<Element>()
    defer { tables[number] = table }
    return body(&table)
  }
}

// MARK: Reading

/// The meaning of terms for the objects of one version, made when it is first asked for.
private final class KnownMeaning: Sendable {
  let value = Mutex<TermMeaning?>(nil)
}

extension ModelStore {
  /// What terms mean for the objects.
  package var meaning: TermMeaning {
    knownMeaning.value.withLock { known in
      if let known { return known }
      let meaning = TermMeaning(rows.map(\.object))
      known = meaning
      return meaning
    }
  }

  /// The objects of an entity, in insertion order.
  package func rows<Element: ModelEntity>(_: Element.Type = Element.self) -> [Element] {
    table(Element.self).objects
  }

  package func ids<Element: ModelEntity>(_: Element.Type) -> [Int] { rows(Element.self).map(\.id) }

  package subscript<Element: ModelEntity>(_: Element.Type, id: Int) -> Element? {
    let table = table(Element.self)
    return table.index(of: id).map { table.objects[$0] }
  }

  package func contains(_ key: ModelKey) -> Bool { tables[number(of: key.type)].contains(key.id) }

  /// The insertion number of an object, which grows with each insertion; nil if the store does not hold it.
  package func position<Element: ModelEntity>(of _: Element.Type, _ id: Int) -> Int? {
    table(Element.self).positions[id]
  }
}

// MARK: Writing

extension ModelStore {
  /// Inserts an object as the last one, unless there is one of the same id.
  ///
  /// - Returns: whether it was inserted.
  @discardableResult
  package mutating func insert<Element: ModelEntity>(_ object: Element) -> Bool {
    if contains(object.modelKey) { return false }
    lastPosition += 1
    let position = lastPosition
    edit(Element.self) { table in
      table.objects.append(object)
      table.positions[object.id] = position
    }
    return true
  }

  /// Replaces the object of the same id, or inserts it.
  package mutating func upsert<Element: ModelEntity>(_ object: Element) {
    if !update(Element.self, object.id, { $0 = object }) { insert(object) }
  }

  /// - Returns: whether there is an object of this id.
  @discardableResult
  package mutating func update<Element: ModelEntity>(
    _: Element.Type, _ id: Int, _ body: (inout Element) -> Void
  ) -> Bool {
    edit(Element.self) { table in
      guard let index = table.index(of: id) else { return false }
      body(&table.objects[index])
      return true
    }
  }

  /// Deletes an object and does what the delete rules say, one object after another.
  ///
  /// - Returns: whether there was an object of this id.
  @discardableResult
  package mutating func delete(_ key: ModelKey) -> Bool {
    let isDeleted = contains(key)
    var pending = [key]
    while let key = pending.popLast() {
      guard let links = tables[number(of: key.type)].removeObject(key.id) else { continue }
      pending += links.filter { rules.owned.contains($0.property) }.map(\.target)
      for number in tables.indices { pending += tables[number].removeLinks(to: key, rules) }
    }
    return isDeleted
  }

  package mutating func deleteAll<Element: ModelEntity>(_: Element.Type) {
    for id in ids(Element.self) { delete(Element.modelKey(id)) }
  }
}
