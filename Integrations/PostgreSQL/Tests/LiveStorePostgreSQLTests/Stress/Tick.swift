import LiveStore

/// A row that small transactions update with the time on the server's clock.
struct Tick: Entity, Codable, Equatable {
  let id: Int
  var count: Int
  /// When the update ran, in microseconds since 1970.
  var at: Int
  static let schema = Schema<Tick> {
    \.count
    \.at
  }

  static let table = "CREATE TABLE ticks (id int PRIMARY KEY, count bigint NOT NULL, at bigint NOT NULL)"
  static let publication = "CREATE PUBLICATION ticks FOR TABLE ticks"
  /// The time on the server's clock, which is that of this machine.
  static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
}
