import Foundation
import LiveStore

/// The rows of one entity as they come, until they are applied.
protocol FollowedEntity: Sendable {
  var name: String { get }

  /// Begins a step from one version to another, or a snapshot.
  mutating func begin(isSnapshot: Bool)
  /// Takes a row of the step.
  ///
  /// - Throws: `undecodable`, perhaps for an earlier row.
  mutating func add(_ kind: FollowedMessage.Kind) throws(FollowerError)
  /// Decodes what has not been decoded yet.
  ///
  /// - Throws: `undecodable`.
  mutating func finish() throws(FollowerError)
  /// Leaves out what came since the last mark.
  mutating func discard()
  /// Applies the steps, after `finish()`.
  ///
  /// - Throws: `diverged` if they do not fit the rows.
  func apply(to tx: inout WriteTransaction) throws
  func count(in tx: borrowing WriteTransaction) -> Int
  func count(in snapshot: Snapshot) -> Int
}

struct EntityRows<Element: Entity & Decodable>: FollowedEntity {
  /// What happens to rows from one version to another; objects are named by their number.
  private struct Step {
    var isSnapshot: Bool
    var removals: [(position: Int, key: String)] = []
    var puts: [(index: Int, from: Int?, object: Int)] = []
    var replacements: [(index: Int, object: Int)] = []
  }

  let name = "\(Element.self)"
  private let decoder = JSONFields<Element>.decoder()
  /// Writes ids as the server does.
  private let keys: JSONFields<Element>
  private var steps: [Step] = []
  private var objects: [Element] = []
  /// Values of the objects behind these, which are decoded together.
  private var values: [JSONValue] = []

  private static var decodedAtOnce: Int { 64 }

  /// - Throws: `invalidSchema` if the id has no JSON form.
  init(_: Element.Type) throws(StoreError) { keys = try JSONFields([]) }

  func count(in tx: borrowing WriteTransaction) -> Int { tx.count(Element.all) }
  func count(in snapshot: Snapshot) -> Int { snapshot.count(Element.all) }

  mutating func begin(isSnapshot: Bool) {
    // A snapshot takes the place of all before it.
    if isSnapshot { discard() }
    steps.append(Step(isSnapshot: isSnapshot))
  }

  mutating func discard() { (steps, objects, values) = ([], [], []) }

  mutating func add(_ kind: FollowedMessage.Kind) throws(FollowerError) {
    let last = steps.count - 1
    let number = objects.count + values.count
    switch kind {
    case .control: return
    case .delete(let from, let key): return steps[last].removals.append((from, key))
    case .put(let index, let from, let key, let value):
      if let from { steps[last].removals.append((from, key)) }
      steps[last].puts.append((index, from, number))
      values.append(value)
    case .replace(let index, _, let value):
      steps[last].replacements.append((index, number))
      values.append(value)
    }
    if values.count >= Self.decodedAtOnce { try finish() }
  }

  mutating func finish() throws(FollowerError) {
    if values.isEmpty { return }
    defer { values.removeAll(keepingCapacity: true) }
    if let decoded = try? decoder.decode([Element].self, from: .array(values)) { return objects += decoded }
    // One by one, so that the error is about one row. What decodes alone is decoded.
    for value in values {
      do {
        objects.append(try decoder.decode(Element.self, from: value))
      } catch {
        throw Self.undecodable(error)
      }
    }
  }

  private static func undecodable(_ error: any Error) -> FollowerError {
    var reason = "\(error)"
    if let error = error as? DecodingError {
      switch error {
      case .keyNotFound(let key, let context): reason = place(context.codingPath + [key]) + "is missing."
      case .valueNotFound(let type, let context):
        reason = place(context.codingPath) + "is null, not a \(type)."
      case .typeMismatch(let type, let context): reason = place(context.codingPath) + "is no \(type)."
      case .dataCorrupted(let context):
        reason = place(context.codingPath) + "is wrong: \(context.debugDescription)"
      @unknown default: break
      }
    }
    return FollowerError(
      .undecodable,
      "A \(Element.self) of the server cannot be decoded: \(reason) A server shows whole objects by Expose(\(Element.self).self)."
    )
  }

  private static func place(_ path: [any CodingKey]) -> String {
    if path.isEmpty { return "the value " }
    // Keys may come from the server.
    let text = path.map { $0.intValue.map { "[\($0)]" } ?? JSONValue.string($0.stringValue).description }
    return text.joined(separator: ".") + " "
  }
}

// MARK: Applying

extension EntityRows {
  func apply(to tx: inout WriteTransaction) throws {
    for step in steps {
      if step.isSnapshot { try replaceAll(step, in: &tx) } else { try apply(step, to: &tx) }
    }
  }

  /// Makes a snapshot's rows all that there are, in their order; what is the same stays untouched.
  private func replaceAll(_ step: Step, in tx: inout WriteTransaction) throws {
    guard step.removals.isEmpty, step.replacements.isEmpty,
      step.puts.indices.allSatisfy({ step.puts[$0].index == $0 })
    else { throw diverged("A snapshot has its rows in another order than it says") }
    let new = step.puts.map { objects[$0.object] }
    let ids = Set(new.map(\.id))
    guard ids.count == new.count else { throw diverged("A snapshot has a row twice") }
    let old = tx.fetch(Element.all).map(\.id)
    let kept = old.filter { ids.contains($0) }
    if kept.count < old.count { for id in old where !ids.contains(id) { try tx.delete(Element.self, id) } }
    // A row's place is where it was inserted: behind the first row that has another one, all are inserted again.
    let count = zip(kept, new).prefix { $0 == $1.id }.count
    for id in kept[count...] { try tx.delete(Element.self, id) }
    if count > 0 { try tx.upsert(contentsOf: new[..<count]) }
    try tx.insert(contentsOf: new[count...])
  }

  /// Applies a step as a change set is: rows are taken from their places, others are put at theirs, the rest is replaced.
  private func apply(_ step: Step, to tx: inout WriteTransaction) throws {
    let old = tx.fetch(Element.all)
    let removed = step.removals.map(\.position).sorted()
    for (position, key) in step.removals
    where !(old.indices.contains(position) && self.key(position, of: old) == key) {
      throw diverged("A row is not at the place from which the server takes it")
    }
    guard zip(removed, removed.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw diverged("A row is taken twice")
    }
    let puts = step.puts.sorted { $0.index < $1.index }
    for put in puts {
      if let from = put.from, old[from].id != objects[put.object].id {
        throw diverged("A row moves and has another id")
      }
    }
    let kept = old.count - removed.count
    let first = puts.first?.index ?? kept
    guard first <= kept else { throw diverged("A row is put behind the end") }
    // New rows go last, so those behind the first place are inserted again. They keep their order, so observers see no change.
    var start = first
    for position in removed { if position <= start { start += 1 } else { break } }
    let taken = Set(removed)
    var rest = (puts.isEmpty ? old.endIndex..<old.endIndex : start..<old.endIndex).filter {
      !taken.contains($0)
    }
    .map { old[$0] }[...]
    for position in removed { try tx.delete(Element.self, old[position].id) }
    for object in rest { try tx.delete(Element.self, object.id) }
    var index = first
    for put in puts {
      while index < put.index, let object = rest.popFirst() {
        try tx.insert(object)
        index += 1
      }
      guard index == put.index else { throw diverged("A row is put at a place that there is not") }
      try tx.insert(objects[put.object])
      index += 1
    }
    try tx.insert(contentsOf: rest)
    if step.replacements.isEmpty { return }
    let new = tx.fetch(Element.all)
    for (index, number) in step.replacements {
      guard new.indices.contains(index), new[index].id == objects[number].id else {
        throw diverged("A row is not at the place where the server replaces it")
      }
      try tx.update(objects[number])
    }
  }

  private func key(_ position: Int, of rows: Results<Element>) -> String? {
    var rows = rows.jsonRows(keys, in: position..<position + 1)
    var bytes: [UInt8] = []
    guard rows.next(), (try? rows.writeKey(to: &bytes)) != nil else { return nil }
    return (try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self)))?.text
  }

  private func diverged(_ sentence: String) -> FollowerError {
    FollowerError(.diverged, "\(sentence) (\(Element.self)).")
  }
}
