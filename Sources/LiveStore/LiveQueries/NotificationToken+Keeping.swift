extension NotificationToken {
  /// Keeps the token in a set of tokens, to be released with it: with its owner, or by `tokens.removeAll()`.
  ///
  /// ```swift
  /// private var tokens: Set<NotificationToken> = []
  /// …
  /// store.observe(Post.all) { change in … }.store(in: &tokens)
  /// ```
  /// - Parameter tokens: where to keep it.
  public func store(in tokens: inout Set<NotificationToken>) { tokens.insert(self) }

  /// Keeps the token at the end of a collection, as an array, to be released with it.
  ///
  /// - Parameter tokens: where to keep it.
  public func store(in tokens: inout some RangeReplaceableCollection<NotificationToken>) {
    tokens.append(self)
  }

  /// Has the handler called for as long as the store lives, until it is closed, without anyone holding the token.
  ///
  /// ```swift
  /// store.observe(Message.where { $0.isUnread }.count) { change in … }.keepUntilClosed()
  /// ```
  /// For observations that last as long as the app; ``invalidate()`` stops them all the same. Take care what
  /// the handler holds strongly.
  public func keepUntilClosed() { keep() }
}

extension NotificationToken: Hashable {
  /// Whether both are one token.
  public static func == (lhs: NotificationToken, rhs: NotificationToken) -> Bool { lhs === rhs }
  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
