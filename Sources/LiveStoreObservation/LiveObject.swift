public import LiveStore
public import Observation

/// One object for a view, followed property by property.
///
/// ```swift
/// let post = LiveObject(store, Post.self, id)
/// post.title                              // String?, nil while there is no such object
/// try post.update { $0.likeCount += 1 }
/// ```
/// A reader of `post.title` is invalidated when the title changes, or the object comes or goes, and not when its
/// likes do; computed properties are compared too. Nothing starts before the first read.
@MainActor @dynamicMemberLookup
public final class LiveObject<Element: Entity>: Observable, Identifiable {
  /// The object's id, whether it is there or not.
  public nonisolated let id: Element.ID
  private let model: LiveModel<Element?, ObjectChange<Element>>
  private let failure = Failure()

  /// Makes a live object; the store is not asked before it is first read.
  ///
  /// - Parameters:
  ///   - store: where the object is.
  ///   - type: its entity.
  ///   - id: its id; it need not be there yet.
  ///   - initial: whether the first read finds the object at once, or begins to load it.
  ///   - origin: what edits through this model are tagged with.
  public init(
    _ store: Store, _ type: Element.Type, _ id: Element.ID, initial: InitialValue = .synchronous,
    origin: String = Store.interfaceOrigin
  ) {
    self.id = id
    model = LiveModel(store, FollowedSources(type.object(id)), initial, origin, MainActor.shared)
  }

  /// The whole object, nil while there is none; its reader is invalidated by every change of it.
  public var object: Element? { model.value ?? nil }

  /// What led from the object before to this one; nil for the first, and after what code on the main actor wrote.
  public var lastChange: ObjectChange<Element>? { model.lastChange }

  /// The version of the object; nil until the first has come.
  public var version: Version? { model.version }

  /// Whether it is not known yet if the object is there.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more changes; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// A property of the object, nil while there is none.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> Value? { read(keyPath) }

  /// Keeps the object as it is until ``resume()``.
  public func pause() { model.pause() }

  /// Brings the object up to date with one merged change, and goes on.
  public func resume() { model.resume() }

  /// Brings the object up to date at once, as before a write that depends on it.
  public func refresh() { model.refresh() }

  private func read<Value>(_ keyPath: KeyPath<Element, Value>) -> Value? {
    let isSame = ValueEquality<Value>()
    model.access(part: keyPath) { old, new in
      switch (old, new) {
      case (nil, nil): true
      case (let old?, let new?): isSame?(old[keyPath: keyPath], new[keyPath: keyPath]) ?? false
      default: false
      }
    }
    return model.state.value??[keyPath: keyPath]
  }

  /// Reads a path that may have an index in it, as that of a line of an order has: it is never read of a later value,
  /// in which there may be none, so every change of the object invalidates the reader.
  private func readBound<Value>(_ keyPath: KeyPath<Element, Value>) -> Value? {
    if MemoryLayout<Element>.offset(of: keyPath) != nil { return read(keyPath) }
    return object?[keyPath: keyPath]
  }

  /// Why an edit through a binding failed.
  @MainActor @Observable
  fileprivate final class Failure {
    var error: (any Error)?
  }
}

// MARK: Editing

extension LiveObject {
  /// Edits the object and returns what the closure returns. When this returns, every model of this store on the
  /// main actor shows the edit, which is no ``lastChange``.
  ///
  /// - Throws: `notFound` if the object is not there; `identifierChanged` if the closure changes the id; what a
  ///   blocking `write` does; whatever the closure throws. Then nothing changed.
  @discardableResult
  public func update<Result>(_ edit: (inout Element) throws -> Result) throws -> Result {
    try model.edit { tx in try tx.update(Element.self, id, edit) }
  }

  /// Deletes the object, with what its relations' rules entail; false if it was not there.
  ///
  /// - Throws: what a blocking `write` does; then nothing changed.
  @discardableResult
  public func delete() throws -> Bool {
    try model.edit { tx in try tx.delete(Element.self, id) }
  }

  /// A property as a binding wants it: nil while there is no object; setting it edits the object, setting nil does
  /// nothing. What goes wrong is ``editError``.
  ///
  /// ```swift
  /// post[\.title] = "Another"
  /// ```
  /// Each letter that is typed into a text field bound to it is a write; a form is better bound to an
  /// ``EditableCopy``. An ``UndoStack`` makes one step of what is typed without a pause.
  public subscript<Value>(_ keyPath: WritableKeyPath<Element, Value>) -> Value? {
    get { readBound(keyPath) }
    set {
      guard let newValue else { return }
      set(newValue, at: keyPath)
    }
  }

  /// A property as a binding wants it, with a value to show while there is no object.
  ///
  /// ```swift
  /// @Bindable var post: LiveObject<Post>
  /// TextField("Title", text: $post[\.title, default: ""])
  /// ```
  public subscript<Value>(
    _ keyPath: WritableKeyPath<Element, Value>, default value: Value
  ) -> Value {
    get { readBound(keyPath) ?? value }
    set { set(newValue, at: keyPath) }
  }

  /// Why the last edit through a binding failed; nil when it did not.
  public var editError: (any Error)? { failure.error }

  private func set<Value>(_ value: Value, at keyPath: WritableKeyPath<Element, Value>) {
    do {
      try update { $0[keyPath: keyPath] = value }
      if failure.error != nil { failure.error = nil }
    } catch {
      failure.error = error
    }
  }
}
