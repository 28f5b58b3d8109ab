public import LiveStore
public import Observation

/// A query's results for a view: always the newest, observable, on the main actor.
///
/// ```swift
/// @MainActor @Observable final class PostListModel {
///   let posts: LiveResults<Post>
///   init(store: Store) {
///     posts = LiveResults(store, Post.where { $0.isPublished == true }.sorted(by: \.createdAt, .descending))
///   }
///   func search(_ text: String) {
///     posts.query = Post.where { $0.title.contains(text, options: [.caseInsensitive]) }
///   }
/// }
/// ```
/// Nothing starts before a property is first read, so making one costs nothing. When the query is set to
/// another, the old results stay until the new ones are there, and the change between them is a change set
/// too.
@MainActor @Observable
public final class LiveResults<Element: Entity> {
  @ObservationIgnored private let store: Store
  @ObservationIgnored private var token: NotificationToken?
  @ObservationIgnored private var isStarted = false
  private var state = State()

  /// What is published, in one piece: one event invalidates once.
  private struct State {
    var elements: Results<Element>?
    var lastChange: ChangeSet<Element>?
    var error: StoreError?
  }

  /// Makes live results; the store is not asked before they are first read.
  public init(_ store: Store, _ query: Query<Element>) {
    self.store = store
    self.query = query
  }

  /// What is shown. Setting it keeps the old results until the new ones are there.
  public var query: Query<Element> {
    didSet {
      guard isStarted, query != oldValue else { return }
      observe()
    }
  }

  /// The newest results; empty until the first have come.
  public var elements: Results<Element> {
    start()
    return state.elements ?? store.emptyResults()
  }

  /// What the last event changed; nil for the first results.
  public var lastChange: ChangeSet<Element>? {
    start()
    return state.lastChange
  }

  /// The version of the results; nil until the first have come.
  public var version: Version? {
    start()
    return state.elements?.version
  }

  /// Whether the first results have not come yet.
  public var isLoading: Bool {
    start()
    return state.elements == nil && state.error == nil
  }

  /// Why there will be no more results.
  public var error: StoreError? {
    start()
    return state.error
  }

  /// Keeps the results as they are until ``resume()``.
  public func pause() { token?.pause() }

  /// Brings the results up to date with one merged change, and goes on.
  public func resume() { token?.resume() }

  private func start() {
    guard !isStarted else { return }
    isStarted = true
    observe()
  }

  private func observe() {
    token = store.observe(query) { [weak self] change in self?.receive(change) }
  }

  private func receive(_ change: CollectionChange<Element>) {
    switch change {
    case .initial(let results):
      let changes = state.elements.map { $0.changes(to: results) }
      if changes?.isEmpty == true { return }
      state = State(elements: results, lastChange: changes)
    case .update(let results, let changes):
      state = State(elements: results, lastChange: changes)
    case .error(let error):
      state.error = error
    }
  }
}
