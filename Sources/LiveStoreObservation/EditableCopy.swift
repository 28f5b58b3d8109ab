public import LiveStore
public import Observation

/// A draft of an object for a form: edited freely, compared with the store's object continuously, and committed or
/// discarded.
///
/// ```swift
/// let draft = EditableCopy(of: post, in: store)
/// draft.title = "Another"
/// if draft.conflicts.isEmpty { try draft.commit() }
/// ```
/// Bind text fields to a draft rather than to a ``LiveObject``: the commit is one write, and one undo step.
///
/// Edits are tracked by property. So edits of different properties by other writers are no conflict: a commit writes
/// the draft's properties and leaves the others.
@MainActor @Observable @dynamicMemberLookup
public final class EditableCopy<Element: Entity>: Identifiable {
  /// The object's id.
  public nonisolated let id: Element.ID
  /// The object as edited so far.
  public private(set) var value: Element
  /// Whether the commit will insert the object.
  public private(set) var isNew: Bool
  /// The object that the draft started from.
  private var base: Element
  private var edits: [AnyKeyPath: DraftEdit<Element>] = [:]
  private let model: LiveModel<Element?, ObjectChange<Element>>

  /// A draft of an object read from a store.
  ///
  /// - Parameters:
  ///   - object: the starting value.
  ///   - store: where the object is.
  ///   - origin: the origin of the commit.
  ///   - fileID: where the draft is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public convenience init(
    of object: Element, in store: Store, origin: String = Store.interfaceOrigin,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(object, store, origin, isNew: false, fileID, line)
  }

  /// A draft of a new object.
  ///
  /// - Parameters:
  ///   - object: the starting value.
  ///   - store: where the object will be.
  ///   - origin: the origin of the commit.
  ///   - fileID: where the draft is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public convenience init(
    inserting object: Element, in store: Store, origin: String = Store.interfaceOrigin,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(object, store, origin, isNew: true, fileID, line)
  }

  private init(
    _ object: Element, _ store: Store, _ origin: String, isNew: Bool, _ fileID: StaticString, _ line: UInt
  ) {
    id = object.id
    value = object
    base = object
    self.isNew = isNew
    model = LiveModel(
      store, ModelSources(Element.object(object.id)), .synchronous, origin, MainActor.shared, fileID, line)
  }

  /// A property of the draft; setting it edits the draft only.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: WritableKeyPath<Element, Value>
  ) -> Value {
    get { value[keyPath: keyPath] }
    set {
      value[keyPath: keyPath] = newValue
      edits[keyPath] = DraftEdit(keyPath)
    }
  }

  /// A property that cannot be edited.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> Value {
    value[keyPath: keyPath]
  }
}

// MARK: Comparing

extension EditableCopy {
  /// Whether some property differs from the draft's starting value.
  public var hasChanges: Bool { !changes.isEmpty }

  /// Whether the store's object differs from the draft's starting value, or was deleted; for a new object, whether
  /// one with its id was inserted.
  public var isOutdated: Bool { isOutdated(model.value ?? nil) }

  private func isOutdated(_ stored: Element?) -> Bool {
    if isNew { return stored != nil }
    return stored.map { !model.store.isSame(base, $0) } ?? true
  }

  /// Whether the object was deleted from the store; a draft that inserts ``value`` restores it.
  public var isDeleted: Bool { !isNew && (model.value ?? nil) == nil && !model.isLoading }

  /// The properties that both the draft and another writer changed, to different values.
  public var conflicts: [EditConflict] { (model.value ?? nil).map(conflicts) ?? [] }

  private func conflicts(with stored: Element) -> [EditConflict] {
    changes.filter { isConflict($0, stored) }.map { edit in
      EditConflict(
        property: edit.name, base: edit.value(base), draft: edit.value(value), stored: edit.value(stored))
    }
  }

  /// Whether another writer changed an edited property, too, to another value.
  private func isConflict(_ edit: DraftEdit<Element>, _ stored: Element) -> Bool {
    !edit.isSame(base, stored) && !edit.isSame(stored, value)
  }

  /// The edits that changed a value, by name.
  private var changes: [DraftEdit<Element>] {
    edits.values.filter { !$0.isSame(base, value) }.sorted { $0.name < $1.name }
  }
}

// MARK: Ending

extension EditableCopy {
  /// Writes the edited properties to the store's object, or inserts the new object, and restarts the draft from the
  /// result.
  ///
  /// Other edits can be part of the same commit, such as adding a new object to its owner's list:
  /// ```swift
  /// let draft = EditableCopy(inserting: Comment(id: UUID(), text: ""), in: store)
  /// try draft.commit { tx in try tx.update(Post.self, post.id) { $0.comments.append(Ref(draft.id)) } }
  /// ```
  /// - Parameters:
  ///   - resolution: how to treat properties that other writers changed, too.
  ///   - alongside: what else to write, after the draft.
  /// - Throws: `conflict` for such properties, unless they are resolved; `notFound` if the object was deleted (to
  ///   restore it, commit a draft that inserts ``value``); `duplicateID` if another object has the new one's id; the
  ///   errors of a blocking `write`; whatever `alongside` throws. Then nothing changed, and the draft stays as it is.
  /// - Complexity: O(*p*) for *p* edited properties, and that of the commit.
  public func commit(
    resolving resolution: ConflictResolution = .refuse,
    _ alongside: (inout WriteTransaction) throws -> Void = { _ in }
  ) throws {
    let committed = try model.edit { tx in
      try write(resolution, &tx)
      try alongside(&tx)
      return tx[Element.self, id] ?? value
    }
    isNew = false
    begin(from: committed)
  }

  private func write(_ resolution: ConflictResolution, _ tx: inout WriteTransaction) throws {
    if isNew {
      try tx.insert(value)
    } else {
      try tx.update(Element.self, id) { stored in
        let conflicts = conflicts(with: stored)
        if resolution == .refuse, !conflicts.isEmpty { throw Self.error(conflicts, id) }
        // Not by their names: key paths without one, as of computed properties, are shown alike.
        let edits = resolution == .keepStored ? changes.filter { !isConflict($0, stored) } : changes
        for edit in edits { edit.copy(value, &stored) }
      }
    }
  }

  /// Discards the edits and takes the object from the store; a new or deleted one keeps its starting value.
  public func discard() {
    let stored = model.value ?? nil
    if stored != nil { isNew = false }
    begin(from: stored ?? base)
  }

  /// Takes over the changes of other writers and keeps the edits: the draft then starts from the store's object.
  public func rebase() {
    guard let stored = model.value ?? nil else { return }
    var rebased = stored
    for edit in changes { edit.copy(value, &rebased) }
    base = stored
    value = rebased
    isNew = false
  }

  private func begin(from object: Element) {
    base = object
    value = object
    edits = [:]
  }

  private static func error(_ conflicts: [EditConflict], _ id: Element.ID) -> StoreError {
    let names = conflicts.map(\.property)
    return StoreError(
      StoreError.conflict,
      "The draft and another writer changed the same properties of \(Element.self) \(MessageText.line("\(id)")): \(names.joined(separator: ", ")). Resolve the conflict, or discard the draft.",
      entity: "\(Element.self)", id: "\(id)", property: names.first)
  }
}

/// An edited property without its type.
private struct DraftEdit<Element> {
  let name: String
  let value: (Element) -> any Sendable
  let isSame: (Element, Element) -> Bool
  let copy: (_ source: Element, _ target: inout Element) -> Void

  init<Value: Equatable & Sendable>(_ keyPath: WritableKeyPath<Element, Value>) {
    name = shownMember(of: keyPath)
    value = { $0[keyPath: keyPath] }
    isSame = { isSameValue($0[keyPath: keyPath], $1[keyPath: keyPath]) }
    copy = { $1[keyPath: keyPath] = $0[keyPath: keyPath] }
  }
}
