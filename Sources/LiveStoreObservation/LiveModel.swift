public import LiveStore
public import Observation

/// The newest value of something the store can observe, kept where one actor reads it: what ``LiveResults`` and
/// its like are made of, for actors other than the main one and for models of your own.
///
/// ```swift
/// actor Feed {
///   private let store: Store
///   private lazy var posts = LiveModel(store, Post.all, isolation: self)
///   func titles() -> [String] { posts.value?.map(\.title) ?? [] }
/// }
/// ```
/// Nothing starts before the first read. From then on the value follows the store in the background and is
/// replaced on the actor; a reader inside `withObservationTracking`, `Observations` or a view is invalidated. What code
/// on the actor itself writes is in the value when its `write` returns, however it was called, and is no
/// ``lastChange``. Use a model on its actor alone, as the compiler sees to: it is not `Sendable`.
public final class LiveModel<Value: Sendable, Change: Sendable>: Observable {
  /// What is published; one event changes it at once.
  struct State {
    var value: Value?
    var version: Version?
    var lastChange: Change?
    var isLoading = true
    var error: StoreError?
    /// How many rows there would be without the window, for sources that tell.
    var total: Int?
  }

  let store: Store
  let origin: String
  private let initial: InitialValue
  weak let actor: (any Actor)?
  let registrar = ObservationRegistrar()
  private var sources: FollowedSources<Value, Change>
  private var following: Following<Value, Change>?
  private var isPaused = false
  /// Whether readers are being told. What these do to the model then waits until all are.
  private var isPublishing = false
  /// Whether another source was asked for meanwhile.
  private var isAskedAnew = false
  private(set) var state = State()
  var hasPartReaders = false
  var partTests: [AnyHashable: (Value, Value) -> Bool] = [:]

  /// Follows a source on an actor, from the first read on.
  ///
  /// - Parameters:
  ///   - store: where the source is.
  ///   - source: a query, a count, an aggregate, sections, groups, an object.
  ///   - initial: whether the first read finds the value at once, or begins to load it.
  ///   - origin: what edits through this model are tagged with.
  ///   - isolation: the actor on which the model is used; held weakly.
  public convenience init(
    _ store: Store, _ source: some LiveSource<Value, Change>, initial: InitialValue = .deferred,
    origin: String = Store.interfaceOrigin, isolation: isolated any Actor
  ) {
    self.init(store, FollowedSources(source), initial, origin, isolation)
  }

  init(
    _ store: Store, _ sources: FollowedSources<Value, Change>, _ initial: InitialValue, _ origin: String,
    _ actor: any Actor
  ) {
    self.store = store
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
    following?.stop()
  }
}

/// When a model has its first value.
public enum InitialValue: Sendable, Hashable {
  /// Some time after the first read, which begins to load it in the background.
  case deferred
  /// At the first read, which waits for it.
  case synchronous
}

extension Store {
  /// The origin of edits through models, unless they are given another: `"ui"`.
  public static var interfaceOrigin: String { "ui" }
}

// MARK: Reading

extension LiveModel {
  /// The newest value; nil until the first has come.
  public var value: Value? {
    start()
    registrar.access(self, keyPath: \.value)
    return state.value
  }

  /// What led from the value before to this one; nil for the first value, and after what its own actor wrote.
  public var lastChange: Change? {
    start()
    registrar.access(self, keyPath: \.lastChange)
    return state.lastChange
  }

  /// The version of the value; nil until the first has come.
  public var version: Version? {
    start()
    registrar.access(self, keyPath: \.version)
    return state.version
  }

  /// Whether the first value, or the first of another source, has not come yet.
  public var isLoading: Bool {
    start()
    registrar.access(self, keyPath: \.isLoading)
    return state.isLoading
  }

  /// Why there will be no more values; `closed` once the store is.
  public var error: StoreError? {
    start()
    registrar.access(self, keyPath: \.error)
    return state.error
  }

  /// How many rows there would be without the window; nil until the first value has come, and for sources without one.
  var total: Int? {
    start()
    registrar.access(self, keyPath: \.total)
    return state.total
  }
}

// MARK: Following

extension LiveModel {
  /// Follows another source: the value stays until the new one is there, and the change between them is told
  /// like any other.
  public func follow(_ source: some LiveSource<Value, Change>) { follow(FollowedSources(source)) }

  func follow(_ sources: FollowedSources<Value, Change>) {
    self.sources = sources
    guard following != nil else { return }
    if isPublishing {
      isAskedAnew = true
      return
    }
    var next = state
    next.isLoading = true
    next.error = nil
    publish(next, replacing: false, nil)
    isAskedAnew = false
    observe()
  }

  /// Keeps the value as it is until ``resume()``.
  public func pause() {
    isPaused = true
    following?.pause()
  }

  /// Brings the value up to date with one merged change, and goes on.
  public func resume() {
    isPaused = false
    following?.resume()
    receive()
  }

  /// Brings the value up to date at once, as before a write that depends on it; waits for the first value, too, and
  /// asks anew after an error.
  ///
  /// - Complexity: O(*d* log *m*) for *d* differences; that of the query if nobody observes it yet.
  public func refresh() {
    start()
    if state.error != nil { follow(sources) }
    following?.collect()
    receive()
  }

  /// Begins to follow at the first read.
  func start() {
    if following == nil { observe() }
  }

  private func observe() {
    guard let actor else { return }
    // Called on `actor` alone, where this model is used.
    nonisolated(unsafe) weak let model = self
    let previous = following
    let next = Following(store, sources, replacing: previous, on: actor) {
      model?.receive()
    }
    previous?.stop()
    following = next
    if isPaused { next.pause() }
    // What is maintained already, such as another window of the same rows, is there at once. Taken before the
    // background begins, which would have this wait for it.
    next.collect(evaluates: initial == .synchronous && state.value == nil)
    receive()
    next.begin()
  }

  /// Takes what is new.
  private func receive() {
    if isPublishing { return }
    while true {
      switch following?.take() {
      case .news(let news):
        var next = State(value: news.value, version: news.version, isLoading: false)
        next.lastChange = news.isOwn ? nil : news.change
        next.total = news.total
        publish(next, replacing: true, news.change)
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
        if !isAskedAnew { return }
        isAskedAnew = false
        return follow(sources)
      }
    }
  }

  /// Tells the readers of what differs, and then has it differ, all at once.
  private func publish(_ next: State, replacing isNew: Bool, _ change: Change?) {
    let parts = isNew ? changedParts(from: state.value, to: next.value, change) : []
    let told = Told(
      value: isNew, lastChange: isNew && (state.lastChange != nil || next.lastChange != nil),
      version: next.version != state.version, isLoading: next.isLoading != state.isLoading,
      error: state.error != nil || next.error != nil, total: next.total != state.total)
    isPublishing = true
    defer { isPublishing = false }
    if told.value { registrar.willSet(self, keyPath: \.value) }
    if told.lastChange { registrar.willSet(self, keyPath: \.lastChange) }
    if told.version { registrar.willSet(self, keyPath: \.version) }
    if told.isLoading { registrar.willSet(self, keyPath: \.isLoading) }
    if told.error { registrar.willSet(self, keyPath: \.error) }
    if told.total { registrar.willSet(self, keyPath: \.total) }
    for part in parts { registrar.willSet(self, keyPath: \.[part: part]) }
    state = next
    if told.value { registrar.didSet(self, keyPath: \.value) }
    if told.lastChange { registrar.didSet(self, keyPath: \.lastChange) }
    if told.version { registrar.didSet(self, keyPath: \.version) }
    if told.isLoading { registrar.didSet(self, keyPath: \.isLoading) }
    if told.error { registrar.didSet(self, keyPath: \.error) }
    if told.total { registrar.didSet(self, keyPath: \.total) }
    for part in parts { registrar.didSet(self, keyPath: \.[part: part]) }
  }

  /// Which readers to tell.
  private struct Told {
    let value: Bool
    let lastChange: Bool
    let version: Bool
    let isLoading: Bool
    let error: Bool
    let total: Bool
  }
}
