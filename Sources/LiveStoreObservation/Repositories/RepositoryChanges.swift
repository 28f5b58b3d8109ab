public import LiveStore

/// What an observer of a repository is told.
public enum RepositoryChange<Element: Entity>: Sendable {
  /// The first event: the results where observation starts.
  case initial([Element])
  /// The results changed, by this from what the observer was given before.
  case update([Element], RepositoryDifference<Element>)

  /// The results that this event leads to.
  public var elements: [Element] {
    switch self {
    case .initial(let elements), .update(let elements, _): elements
    }
  }

  /// The difference; nil for the first event.
  public var difference: RepositoryDifference<Element>? {
    if case .update(_, let difference) = self { difference } else { nil }
  }
}

/// The changes of a query in a repository, as an asynchronous sequence.
///
/// ```swift
/// for try await change in books.changes(of: Book.sorted(by: \.title)) {
///   if case .update(let books, let difference) = change { … }
/// }
/// ```
/// It has no buffer: an iterator is told, when it asks, what changed since it last asked, as one event. Each
/// iterator is a subscription of its own; leaving the loop or cancelling its task ends it. An error is
/// thrown once, and ends it too.
public struct RepositoryChanges<Element: Entity>: AsyncSequence, Sendable {
  /// Gives the next event, as soon as there is one; nil when there will be none.
  public typealias Source = @Sendable () async throws -> RepositoryChange<Element>?

  private let subscribe: @Sendable () -> Source

  /// Makes a sequence for a repository of your own.
  ///
  /// - Parameter subscribe: begins a subscription, which one consumer asks for one event after another. It
  ///   should return nil when its task is cancelled.
  public init(_ subscribe: @escaping @Sendable () -> Source) { self.subscribe = subscribe }

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(source: subscribe()) }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate var source: Source?

    /// The next event, as soon as there is one; nil when there will be none or the task is cancelled.
    public mutating func next() async throws -> RepositoryChange<Element>? {
      let source = source
      self.source = nil
      guard let source, let change = try await source() else { return nil }
      self.source = source
      return change
    }
  }
}
