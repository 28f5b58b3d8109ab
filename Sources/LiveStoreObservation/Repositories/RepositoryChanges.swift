public import LiveStore

/// The changes of a query in a repository, as an asynchronous sequence.
///
/// ```swift
/// for try await change in books.changes(of: Book.sorted(by: \.title)) {
///   if case .update(let books, let difference) = change { … }
/// }
/// ```
/// It has no buffer: when an iterator asks for its next event, it gets all changes since its last one as one event.
/// Each iterator is a subscription of its own; leaving the loop or cancelling its task ends it. An error is thrown
/// once, and ends it, too.
public struct RepositoryChanges<Element: Entity>: AsyncSequence, Sendable {
  /// Returns the next event when there is one; nil when none will follow.
  public typealias Source = @Sendable () async throws -> RepositoryChange<Element>?

  private let subscribe: @Sendable () -> Source

  /// Makes a sequence for a repository of your own.
  ///
  /// - Parameter subscribe: starts a subscription, which one consumer asks for one event after another. It should
  ///   return nil when its task is cancelled.
  public init(_ subscribe: @escaping @Sendable () -> Source) { self.subscribe = subscribe }

  /// Starts a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(source: subscribe()) }

  /// One subscription.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate var source: Source?

    /// The next event; nil when none will follow or the task is cancelled.
    public mutating func next() async throws -> RepositoryChange<Element>? {
      let source = source
      self.source = nil
      guard let source, let change = try await source() else { return nil }
      self.source = source
      return change
    }
  }
}
