public import LiveStore
public import Observation

/// One object for a view, observed property by property.
///
/// ```swift
/// let post = LiveObject(store, Post.self, id)
/// post.title                              // String?, nil while there is no such object
/// try post.update { $0.likeCount += 1 }
/// ```
/// A reader of `post.title` is invalidated when the title changes, or when the object is inserted or deleted, but not
/// when its likes change; computed properties are compared, too. Nothing starts before the first read.
@MainActor @dynamicMemberLookup
public final class LiveObject<Element: Entity>: Observable, Identifiable {
  /// The object's id, whether the object exists or not.
  public nonisolated let id: Element.ID
  private let model: LiveModel<Element?, ObjectChange<Element>>
  private let failure = Failure()

  /// Makes a live object. The store is not read before the model is.
  ///
  /// - Parameters:
  ///   - store: where the object is.
  ///   - type: its entity.
  ///   - id: its id; the object need not exist yet.
  ///   - initial: whether the first read loads the object at once, or in the background.
  ///   - origin: the origin of edits through this model.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public init(
    _ store: Store, _ type: Element.Type, _ id: Element.ID, initial: InitialValue = .synchronous,
    origin: String = Store.interfaceOrigin, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.id = id
    model = LiveModel(store, ModelSources(type.object(id)), initial, origin, MainActor.shared, fileID, line)
  }

  /// The whole object, nil while there is none; its reader is invalidated by every change of it.
  public var object: Element? { model.value ?? nil }

  /// The change from the previous object to this one; nil for the first one, and after a write by code on the main
  /// actor.
  public var lastChange: ObjectChange<Element>? { model.lastChange }

  /// The version of the object; nil until the first one has arrived.
  public var version: Version? { model.version }

  /// Whether it is not known yet if the object exists.
  public var isLoading: Bool { model.isLoading }

  /// The reason why no more changes follow; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// A property of the object, nil while there is none.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Element, Value>) -> Value? { read(keyPath) }

  /// Holds the object as it is until ``resume()``.
  public func pause() { model.pause() }

  /// Updates the object with one merged change, and continues.
  public func resume() { model.resume() }

  /// Updates the object at once, as before a write that depends on it.
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

  /// Reads a path that may contain an index, such as that of a line of an order. It is never read in a later value,
  /// where the index may not exist, so every change of the object invalidates the reader.
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
  /// Edits the object and returns what the closure returns. When this returns, every model of this store on the main
  /// actor shows the edit, and ``lastChange`` is nil.
  ///
  /// - Throws: `notFound` if the object does not exist; `identifierChanged` if the closure changes the id; the errors
  ///   of a blocking `write`; whatever the closure throws. Then nothing changed.
  @discardableResult
  public func update<Result>(_ edit: (inout Element) throws -> Result) throws -> Result {
    try model.edit { tx in try tx.update(Element.self, id, edit) }
  }

  /// Deletes the object, with the consequences of its relations' rules; false if it did not exist.
  ///
  /// - Throws: the errors of a blocking `write`; then nothing changed.
  @discardableResult
  public func delete() throws -> Bool {
    try model.edit { tx in try tx.delete(Element.self, id) }
  }

  /// A property for a binding: nil while there is no object. Setting it edits the object; setting nil does nothing.
  /// An error is in ``editError``.
  ///
  /// ```swift
  /// post[\.title] = "Another"
  /// ```
  /// Each letter typed into a text field bound to it is a write; bind a form to an ``EditableCopy`` instead. An
  /// ``UndoStack`` makes one step of typing without a pause if it is made with `merging: .seconds(1)`.
  public subscript<Value>(_ keyPath: WritableKeyPath<Element, Value>) -> Value? {
    get { readBound(keyPath) }
    set {
      guard let newValue else { return }
      set(newValue, at: keyPath)
    }
  }

  /// A property for a binding, with a value to show while there is no object.
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

  /// The error of the last edit through a binding; nil when it succeeded.
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
