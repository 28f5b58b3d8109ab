import LiveStore
import TestSupport

/// An entity of the random histories with undo.
protocol UndoEntity: ModelEntity, Hashable {
  /// What undo restores one by one.
  static var properties: [UndoProperty<Self>] { get }
  /// A new object, or the next value of an old one, with links to others that a model holds, most of the time; nil if
  /// it would need one that is not there.
  static func random(
    _ id: Int, replacing old: Self?, _ random: inout SplitMix64, _ model: ModelStore
  ) -> Self?
}

let undoEntities: [any UndoEntity.Type] = [Owner.self, Label.self, Note.self, Remark.self]

/// The rules of the schemas, written again.
let undoRules = ModelRules(
  onDelete: ["Remark.note": .cascade, "Remark.parent": .cascade, "Remark.reader": .restrict],
  unique: ["Owner.name"])

/// A property that is undone by itself.
struct UndoProperty<Element: UndoEntity>: Sendable {
  /// Gives an object the value before an edit, and returns whether it had the value after it. A property that the
  /// edit did not change is left as it is.
  let restore: @Sendable (_ object: inout Element, _ before: Element, _ after: Element) -> Bool

  init<Value: Equatable & Sendable>(_ property: any WritableKeyPath<Element, Value> & Sendable) {
    restore = { object, before, after in
      if before[keyPath: property] == after[keyPath: property] { return true }
      let isUnchanged = object[keyPath: property] == after[keyPath: property]
      object[keyPath: property] = before[keyPath: property]
      return isUnchanged
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func text() -> String { pick(["a", "b", "c", "d", "e", "f"] + Pool.mixedForms) }

  fileprivate mutating func target<Target: UndoEntity>(_ model: ModelStore) -> Ref<Target>? {
    let id = chance(1, in: 40) ? int(0...4) : model.ids(Target.self).randomElement(using: &self)
    return id.map { Ref($0) }
  }
}

extension Owner: UndoEntity {
  static let properties = [UndoProperty(\Owner.name)]

  static func random(
    _ id: Int, replacing old: Owner?, _ random: inout SplitMix64, _ model: ModelStore
  ) -> Owner? {
    Owner(id: id, name: random.text())
  }

  func uniqueValue(of property: String) -> String? { name }
}

extension Label: UndoEntity {
  static let properties = [UndoProperty(\Label.name)]

  static func random(
    _ id: Int, replacing old: Label?, _ random: inout SplitMix64, _ model: ModelStore
  ) -> Label? {
    Label(id: id, name: random.text())
  }
}

extension Note: UndoEntity {
  static let properties = [UndoProperty(\Note.title), UndoProperty(\.owner), UndoProperty(\.labels)]

  static func random(
    _ id: Int, replacing old: Note?, _ random: inout SplitMix64, _ model: ModelStore
  ) -> Note? {
    var note = Note(id: id, title: random.text(), owner: random.target(model))
    if let old, random.chance(1, in: 2) {
      note.labels = old.labels
    } else {
      note.labels = RefList((0..<random.int(0...3)).compactMap { _ in random.target(model) })
    }
    return note
  }

  var modelLinks: [ModelLink] {
    (owner.map { [ModelLink("Note.owner", to: $0)] } ?? []) + labels.map { ModelLink("Note.labels", to: $0) }
  }

  mutating func removeLinks(to id: Int, in property: String) {
    if property == "Note.owner" { owner = nil } else { labels.removeAll { $0.id == id } }
  }

  func isSame(as other: Note) -> Bool {
    var other = other
    other.scratch = scratch
    return self == other
  }
}

extension Remark: UndoEntity {
  static let properties = [
    UndoProperty(\Remark.text), UndoProperty(\.note), UndoProperty(\.parent), UndoProperty(\.reader),
  ]

  static func random(
    _ id: Int, replacing old: Remark?, _ random: inout SplitMix64, _ model: ModelStore
  ) -> Remark? {
    guard let note: Ref<Note> = random.target(model) else { return nil }
    var remark = Remark(id: id, text: random.text(), note: note)
    if random.chance(1, in: 2) { remark.parent = random.target(model) }
    if random.chance(1, in: 3) { remark.reader = random.target(model) }
    // A remark that is its own parent is deleted by its own deletion; that is for other tests.
    if remark.parent == Ref(id) { remark.parent = nil }
    return remark
  }

  var modelLinks: [ModelLink] {
    [ModelLink("Remark.note", to: note)] + (parent.map { [ModelLink("Remark.parent", to: $0)] } ?? [])
      + (reader.map { [ModelLink("Remark.reader", to: $0)] } ?? [])
  }
}
