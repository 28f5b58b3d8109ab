public import LiveStore
public import Observation

/// The newest value of anything the store can observe, for a view: a count, a sum, groups.
///
/// ```swift
/// let total = LiveValue(store, Post.where { $0.isPublished == true }.count)
/// total.value    // Int?
/// ```
/// Nothing starts before the first read.
@MainActor
public final class LiveValue<Value: Sendable>: Observable {
  private let model: LiveModel<Value, Value>

  /// Makes a live value; the store is not asked before it is first read.
  ///
  /// - Parameters:
  ///   - store: where the source is.
  ///   - source: a count, an aggregate, groups, or whatever else is observed.
  ///   - initial: whether the first read finds the value at once, or begins to load it.
  public init<Source: LiveSource>(_ store: Store, _ source: Source, initial: InitialValue = .deferred)
  where Source.Value == Value {
    model = LiveModel(
      store, FollowedSources(valuesOf: source), initial, Store.interfaceOrigin, MainActor.shared)
  }

  /// The newest value; nil until the first has come.
  public var value: Value? { model.value }

  /// The version of the value; nil until the first has come.
  public var version: Version? { model.version }

  /// Whether the first value has not come yet.
  public var isLoading: Bool { model.isLoading }

  /// Why there will be no more values; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// Shows another source; the value stays until that one's is there.
  public func follow<Source: LiveSource>(_ source: Source) where Source.Value == Value {
    model.follow(FollowedSources(valuesOf: source))
  }

  /// Keeps the value as it is until ``resume()``.
  public func pause() { model.pause() }

  /// Brings the value up to date, and goes on.
  public func resume() { model.resume() }

  /// Brings the value up to date at once.
  public func refresh() { model.refresh() }
}
