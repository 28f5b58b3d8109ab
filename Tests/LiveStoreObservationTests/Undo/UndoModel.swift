import LiveStore

/// The store and its undo stack as plain arrays, with everything done the slow way.
struct UndoModel {
  enum Kind: String, CaseIterable {
    case owner = "Owner"
    case label = "Label"
    case note = "Note"
    case remark = "Remark"
  }

  struct Key: Hashable {
    let kind: Kind
    let id: Int
  }

  struct Object: Hashable {
    let key: Key
    var text = ""
    /// The owner of a note, the reader of a remark.
    var person: Int?
    var labels: [Int] = []
    var note: Int?
    var parent: Int?

    var links: [(target: Key, rule: DeleteRule)] {
      var links: [(Key, DeleteRule)] = labels.map { (Key(kind: .label, id: $0), .nullify) }
      if let person {
        links.append((Key(kind: .owner, id: person), key.kind == .note ? .nullify : .restrict))
      }
      if let note { links.append((Key(kind: .note, id: note), .cascade)) }
      if let parent { links.append((Key(kind: .remark, id: parent), .cascade)) }
      return links
    }
  }

  /// An object and when it was inserted, which is its place.
  struct Row: Hashable {
    let place: Int
    var object: Object
  }

  struct Edit: Equatable {
    var before: Row?
    var after: Row?
  }

  struct Step {
    var name: String?
    var edits: [Key: Edit]
    /// All rows before it and after it, and how many commits of others there had been when it began.
    var before: [Row]
    var after: [Row]
    let foreign: Int
  }

  /// In the order of their places.
  var rows: [Row] = []
  private var lastPlace = 0
  private(set) var foreign = 0
  private(set) var undo: [Step] = []
  private(set) var redo: [Step] = []
  private(set) var openGroups = 0
  private var isGroupBegun = false
  private var groupName: String?

  subscript(key: Key) -> Object? { rows.first { $0.object.key == key }?.object }

  func objects(_ kind: Kind) -> [Object] { rows.map(\.object).filter { $0.key.kind == kind } }

  var objectCount: Int { (undo + redo).reduce(0) { $0 + $1.edits.count } }
}

// MARK: Writing

extension UndoModel {
  mutating func insert(_ object: Object) {
    lastPlace += 1
    rows.append(Row(place: lastPlace, object: object))
  }

  mutating func update(_ object: Object) {
    for index in rows.indices where rows[index].object.key == object.key { rows[index].object = object }
  }

  mutating func delete(_ key: Key) {
    guard self[key] != nil else { return }
    rows.removeAll { $0.object.key == key }
    let others = rows.map(\.object)
    for other in others {
      let rules = other.links.filter { $0.target == key }.map(\.rule)
      if rules.contains(.cascade) { delete(other.key) }
      guard rules.contains(.nullify), var left = self[other.key] else { continue }
      if key.kind == .owner { left.person = nil }
      if key.kind == .label { left.labels.removeAll { $0 == key.id } }
      update(left)
    }
  }

  /// Whether a commit of these rows is refused: a link without a target, or a name of two owners.
  static func isRefused(_ rows: [Row]) -> Bool {
    let keys = Set(rows.map(\.object.key))
    let names = rows.map(\.object).filter { $0.key.kind == .owner }.map(\.text)
    return Set(names).count < names.count
      || rows.contains { $0.object.links.contains { !keys.contains($0.target) } }
  }

  static func difference(_ before: [Row], _ after: [Row]) -> [Key: Edit] {
    var edits: [Key: Edit] = [:]
    for row in before { edits[row.object.key] = Edit(before: row) }
    for row in after { edits[row.object.key, default: Edit()].after = row }
    return edits.filter { $0.value.before != $0.value.after }
  }
}

// MARK: Steps

extension UndoModel {
  /// Notes what was written since `before`, unless it was nothing.
  mutating func commit(from before: [Row], isMine: Bool) {
    // The last objects of a kind, deleted and inserted again as they were, were never deleted.
    for kind in Kind.allCases {
      let old = before.filter { $0.object.key.kind == kind }
      guard old.map(\.object) == objects(kind) else { continue }
      rows = (rows.filter { $0.object.key.kind != kind } + old).sorted { $0.place < $1.place }
    }
    if before == rows { return }
    guard isMine else {
      foreign += 1
      return
    }
    redo = []
    let edits = Self.difference(before, rows)
    guard openGroups > 0, isGroupBegun, var step = undo.popLast() else {
      undo.append(Step(name: groupName, edits: edits, before: before, after: rows, foreign: foreign))
      isGroupBegun = openGroups > 0
      return
    }
    for (key, edit) in edits {
      var sum = step.edits[key] ?? edit
      // Others have written in between.
      if step.edits[key] != nil, sum.after != edit.before {
        sum.before = Self.takingBack(sum, from: edit.before)?.before ?? edit.before
      }
      sum.after = edit.after
      step.edits[key] = sum.before == sum.after ? nil : sum
    }
    step.after = rows
    step.name = groupName
    if step.edits.isEmpty { isGroupBegun = false } else { undo.append(step) }
  }

  mutating func beginGroup(_ name: String?) {
    openGroups += 1
    groupName = groupName ?? name
  }

  mutating func endGroup() {
    openGroups = max(0, openGroups - 1)
    if openGroups == 0 { endGroups() }
  }

  private mutating func endGroups() {
    openGroups = 0
    isGroupBegun = false
    groupName = nil
  }

  mutating func clear() {
    undo = []
    redo = []
    isGroupBegun = false
  }

  enum Outcome: Equatable {
    case nothing
    case refused
    case done(count: Int, conflicts: Set<UndoModelConflict>)
  }

  /// What takes back an edit of an object that stands as `current`: properties that it changed go back, if they are as
  /// it left them; nil if not.
  private static func takingBack(_ edit: Edit, from current: Row?) -> Edit? {
    guard let before = edit.before, let after = edit.after, let current, before.place == after.place else {
      return current == edit.after ? edit : nil
    }
    if current.place != after.place { return nil }
    var result = current
    func restore<Value: Equatable>(_ property: WritableKeyPath<Object, Value>) -> Bool {
      let (old, new) = (before.object[keyPath: property], after.object[keyPath: property])
      if old == new { return true }
      result.object[keyPath: property] = old
      return current.object[keyPath: property] == new
    }
    let isDone =
      restore(\.text) && restore(\.person) && restore(\.labels) && restore(\.note) && restore(\.parent)
    return isDone ? Edit(before: result, after: current) : nil
  }

  /// Takes back the newest step, or the newest undo.
  mutating func takeBack(isRedo: Bool) -> Outcome {
    endGroups()
    guard let step = isRedo ? redo.last : undo.last else { return .nothing }
    var result = rows
    var accepted: [Key: Edit] = [:]
    var conflicts: Set<UndoModelConflict> = []
    func isThere(_ key: Key) -> Bool { result.contains { $0.object.key == key } }
    for (key, edit) in step.edits {
      let current = rows.first { $0.object.key == key }
      if let done = Self.takingBack(edit, from: current) {
        accepted[key] = done
        result.removeAll { $0.object.key == key }
        if let before = done.before { result.append(before) }
      } else {
        conflicts.insert(
          UndoModelConflict(key, edit.after == nil ? "idTaken" : current == nil ? "deleted" : "changed"))
      }
    }
    while let (key, edit) = accepted.first(where: { key, _ in
      !isThere(key) && result.contains { $0.object.links.contains { $0.target == key } }
    }) {
      if let after = edit.after { result.append(after) }
      accepted[key] = nil
      conflicts.insert(UndoModelConflict(key, "linked"))
    }
    result.sort { $0.place < $1.place }
    if Self.isRefused(result) { return .refused }
    let other = Step(
      name: step.name, edits: accepted.mapValues { Edit(before: $0.after, after: $0.before) }, before: rows,
      after: result, foreign: foreign)
    rows = result
    if isRedo { redo.removeLast() } else { undo.removeLast() }
    if !accepted.isEmpty {
      if isRedo { undo.append(other) } else { redo.append(other) }
    }
    return .done(count: accepted.count, conflicts: conflicts)
  }
}

struct UndoModelConflict: Hashable {
  let entity: String
  let id: String
  let reason: String

  init(_ key: UndoModel.Key, _ reason: String) {
    (entity, id) = (key.kind.rawValue, "\(key.id)")
    self.reason = reason
  }

  init(entity: String, id: String, reason: String) {
    self.entity = entity
    self.id = id
    self.reason = reason
  }
}
