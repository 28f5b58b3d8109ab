public import LiveStore

extension PostgresReplica {
  /// How a replica follows its server.
  public struct Options: Sendable {
    /// What the server's views show as the name of the program.
    public var applicationName = "livestore"
    /// How long connecting may take, over all hosts of the connection string.
    public var connectTimeout = Duration.seconds(15)
    /// How long the replica waits before it connects again, at first; then twice as long each time, with some chance.
    public var minimumBackoff = Duration.milliseconds(100)
    /// How long it waits at the most.
    public var maximumBackoff = Duration.seconds(30)
    /// How often the server is sent the position up to which all is in the store, and asked how far its log is and
    /// whether the publication and the tables are still defined as they were.
    public var statusInterval = Duration.seconds(10)
    /// After how long without a word from the server the connection is given up. The server is asked for one at half the
    /// time. While a slot is made or a table is copied, it is given up only if the server accepts no other one.
    public var silenceTimeout = Duration.seconds(60)
    /// How many bytes of a transaction are held in memory until it ends, and of all large ones that the server sends while
    /// they run; what is more is held in temporary files.
    public var transactionMemory = 4 << 20
    /// How many connections `write` may use at once.
    public var writeConnections = 4
    /// How much history the store holds.
    public var store = Store.Configuration()
    /// Called with sentences that an operator should read, such as that a durable slot can fill the server's disk; by
    /// default they are not shown.
    public var onWarning: @Sendable (String) -> Void = { _ in }

    /// The defaults.
    public init() {}
  }
}
