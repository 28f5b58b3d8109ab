public import LiveStore
public import Observation

/// The newest value of a source, held where one actor reads it: the basis of ``LiveResults`` and its like, for actors
/// other than the main actor and for models of your own.
///
/// ```swift
/// actor Feed {
///   private let store: Store
///   private lazy var posts = LiveModel(store, Post.all, isolation: self)
///   func titles() -> [String] { posts.value?.map(\.title) ?? [] }
/// }
/// ```
/// Nothing starts before the first read. From then on the value is maintained in the background and replaced on the
/// actor; a reader inside `withObservationTracking`, `Observations` or a view is invalidated. After a write by code
/// on the actor itself, the value is current when the `write` returns, in every form, and ``lastChange`` is nil. Use
/// a model only on its actor, as the compiler enforces: it is not `Sendable`.
public final class LiveModel<Value: Sendable, Change: Sendable>: Observable {
  /// The published state; one event replaces it as a whole.
  struct State {
    var value: Value?
    var version: Version?
    var lastChange: Change?
    var isLoading = true
    var error: StoreError?
    /// How many rows there would be without the window, for sources that count them.
    var total: Int?
  }

  let store: Store
  let origin: String
  private let initial: InitialValue
  private let site: ObserverSite
  weak let actor: (any Actor)?
  let registrar = ObservationRegistrar()
  private var sources: ModelSources<Value, Change>
  private var subscription: ModelSubscription<Value, Change>?
  private var isPaused = false
  /// Whether readers are being invalidated. Their calls to the model are then deferred.
  private var isPublishing = false
  /// Whether another source was requested in the meantime.
  private var isSourcePending = false
  private(set) var state = State()
  var hasPartReaders = false
  var partTests: [AnyHashable: (Value, Value) -> Bool] = [:]

  /// Observes a source on an actor, from the first read on.
  ///
  /// - Parameters:
  ///   - store: where the source is.
  ///   - source: a query, a count, an aggregate, sections, groups, an object.
  ///   - initial: whether the first read loads the value at once, or in the background; where few rows are visited, at
  ///     once.
  ///   - origin: the origin of edits through this model.
  ///   - isolation: the actor on which the model is used; held weakly.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public convenience init(
    _ store: Store, _ source: some LiveSource<Value, Change>, initial: InitialValue = .automatic,
    origin: String = Store.interfaceOrigin, isolation: isolated any Actor,
    fileID: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(store, ModelSources(source), initial, origin, isolation, fileID, line)
  }

  init(
    _ store: Store, _ sources: ModelSources<Value, Change>, _ initial: InitialValue, _ origin: String,
    _ actor: any Actor, _ fileID: StaticString, _ line: UInt
  ) {
    self.store = store
    site = ObserverSite(.model, fileID, line)
    self.sources = sources
    self.initial = initial
    self.origin = origin
    self.actor = actor
    #if DEBUG
      LiveCounts.add(.models)
    #endif
  }

  deinit {
    #if DEBUG
      LiveCounts.remove(.models)
    #endif
    subscription?.stop()
  }
}

extension Store {
  /// The default origin of edits through models: `"ui"`.
  public static var interfaceOrigin: String { "ui" }
}

// MARK: Reading

extension LiveModel {
  /// The newest value; nil until the first one has arrived.
  public var value: Value? {
    start()
    registrar.access(self, keyPath: \.value)
    return state.value
  }

  /// The change from the previous value to this one; nil for the first value, and after a write by its own actor.
  public var lastChange: Change? {
    start()
    registrar.access(self, keyPath: \.lastChange)
    return state.lastChange
  }

  /// The version of the value; nil until the first one has arrived.
  public var version: Version? {
    start()
    registrar.access(self, keyPath: \.version)
    return state.version
  }

  /// Whether the first value, or the first of another source, has not arrived yet.
  public var isLoading: Bool {
    start()
    registrar.access(self, keyPath: \.isLoading)
    return state.isLoading
  }

  /// The reason why no more values follow; `closed` once the store is.
  public var error: StoreError? {
    start()
    registrar.access(self, keyPath: \.error)
    return state.error
  }

  /// How many rows there would be without the window; nil until the first value has arrived, and for sources without
  /// one.
  var total: Int? {
    start()
    registrar.access(self, keyPath: \.total)
    return state.total
  }
}

// MARK: Observing

extension LiveModel {
  /// Observes another source. The value stays until the new one has arrived; the change between them is delivered
  /// like any other.
  public func follow(_ source: some LiveSource<Value, Change>) { follow(ModelSources(source)) }

  func follow(_ sources: ModelSources<Value, Change>) {
    self.sources = sources
    guard subscription != nil else { return }
    if isPublishing {
      isSourcePending = true
      return
    }
    var next = state
    next.isLoading = true
    next.error = nil
    publish(next, replacing: false, nil)
    isSourcePending = false
    observe()
  }

  /// Holds the value as it is until ``resume()``.
  public func pause() {
    isPaused = true
    subscription?.pause()
  }

  /// Updates the value with one merged change, and continues.
  public func resume() {
    isPaused = false
    subscription?.resume()
    receive()
  }

  /// Updates the value at once, as before a write that depends on it. Loads the first value, too, and retries after
  /// an error.
  ///
  /// - Complexity: O(*d* log *m*) for *d* differences; that of the query if it is not observed yet.
  public func refresh() {
    start()
    if state.error != nil { follow(sources) }
    subscription?.collect()
    receive()
  }

  /// Starts observing at the first read.
  func start() {
    if subscription == nil { observe() }
  }

  private func observe() {
    guard let actor else { return }
    // Called only on `actor`, where this model is used.
    nonisolated(unsafe) weak let model = self
    let previous = subscription
    let next = ModelSubscription(store, sources, replacing: previous, on: actor, site) {
      model?.receive()
    }
    previous?.stop()
    subscription = next
    if isPaused { next.pause() }
    // Results that are maintained already, such as another window of the same rows, are available at once. Collected
    // before the background work starts, for which this would have to wait.
    next.collect(evaluates: state.value == nil && loadsAtOnce)
    receive()
    next.begin()
  }

  /// How many rows the first read may visit by itself, which take a few milliseconds (M9).
  package static var maximumRowsAtOnce: Int { 10_000 }

  private var loadsAtOnce: Bool {
    switch initial {
    case .synchronous: true
    case .deferred: false
    case .automatic: sources.visitedRows(in: store.snapshot()) <= Self.maximumRowsAtOnce
    }
  }

  /// Takes over pending updates.
  private func receive() {
    if isPublishing { return }
    while true {
      switch subscription?.take() {
      case .update(let update):
        var next = State(value: update.value, version: update.version, isLoading: false)
        next.lastChange = update.isOwn ? nil : update.change
        next.total = update.total
        publish(next, replacing: true, update.change)
      case .total(let total):
        var next = state
        next.total = total
        publish(next, replacing: false, nil)
      case .failed(let error):
        var next = state
        next.error = error
        next.isLoading = false
        publish(next, replacing: false, nil)
      case nil, .some(.none):
        if !isSourcePending { return }
        isSourcePending = false
        return follow(sources)
      }
    }
  }

  /// Invalidates the readers of the parts that differ, and replaces the state (M6).
  private func publish(_ next: State, replacing isNew: Bool, _ change: Change?) {
    let parts = isNew ? changedParts(from: state.value, to: next.value, change) : []
    let readers = InvalidatedReaders(
      value: isNew, lastChange: isNew && (state.lastChange != nil || next.lastChange != nil),
      version: next.version != state.version, isLoading: next.isLoading != state.isLoading,
      error: state.error != nil || next.error != nil, total: next.total != state.total)
    isPublishing = true
    defer { isPublishing = false }
    if readers.value { registrar.willSet(self, keyPath: \.value) }
    if readers.lastChange { registrar.willSet(self, keyPath: \.lastChange) }
    if readers.version { registrar.willSet(self, keyPath: \.version) }
    if readers.isLoading { registrar.willSet(self, keyPath: \.isLoading) }
    if readers.error { registrar.willSet(self, keyPath: \.error) }
    if readers.total { registrar.willSet(self, keyPath: \.total) }
    for part in parts { registrar.willSet(self, keyPath: \.[part: part]) }
    state = next
    if readers.value { registrar.didSet(self, keyPath: \.value) }
    if readers.lastChange { registrar.didSet(self, keyPath: \.lastChange) }
    if readers.version { registrar.didSet(self, keyPath: \.version) }
    if readers.isLoading { registrar.didSet(self, keyPath: \.isLoading) }
    if readers.error { registrar.didSet(self, keyPath: \.error) }
    if readers.total { registrar.didSet(self, keyPath: \.total) }
    for part in parts { registrar.didSet(self, keyPath: \.[part: part]) }
  }

  /// Which readers to invalidate.
  private struct InvalidatedReaders {
    let value: Bool
    let lastChange: Bool
    let version: Bool
    let isLoading: Bool
    let error: Bool
    let total: Bool
  }
}
