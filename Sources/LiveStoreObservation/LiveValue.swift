public import LiveStore
public import Observation

/// The newest value of any source, for a view: a count, a sum, groups.
///
/// ```swift
/// let total = LiveValue(store, Post.where { $0.isPublished == true }.count)
/// total.value    // Int?
/// ```
/// Nothing starts before the first read.
@MainActor
public final class LiveValue<Value: Sendable>: Observable {
  private let model: LiveModel<Value, Value>

  /// Makes a live value. The store is not read before the model is.
  ///
  /// - Parameters:
  ///   - store: where the source is.
  ///   - source: a count, an aggregate, groups, or any other source.
  ///   - initial: whether the first read loads the value at once, or in the background; by default at once where few rows
  ///     are visited, so that a first frame is not empty: see ``InitialValue/automatic``.
  ///   - fileID: where the model is made, for `Store.inspection`; leave it out.
  ///   - line: the line in that file; leave it out.
  public init<Source: LiveSource>(
    _ store: Store, _ source: Source, initial: InitialValue = .automatic, fileID: StaticString = #fileID,
    line: UInt = #line
  ) where Source.Value == Value {
    model = LiveModel(
      store, ModelSources(valuesOf: source), initial, Store.interfaceOrigin, MainActor.shared, fileID, line)
  }

  /// The newest value; nil until the first one has arrived.
  public var value: Value? { model.value }

  /// The version of the value; nil until the first one has arrived.
  public var version: Version? { model.version }

  /// Whether the first value has not arrived yet.
  public var isLoading: Bool { model.isLoading }

  /// The reason why no more values follow; `closed` once the store is.
  public var error: StoreError? { model.error }

  /// Shows another source; the value stays until the new one has arrived.
  public func follow<Source: LiveSource>(_ source: Source) where Source.Value == Value {
    model.follow(ModelSources(valuesOf: source))
  }

  /// Holds the value as it is until ``resume()``.
  public func pause() { model.pause() }

  /// Updates the value, and continues.
  public func resume() { model.resume() }

  /// Updates the value at once.
  public func refresh() { model.refresh() }
}
