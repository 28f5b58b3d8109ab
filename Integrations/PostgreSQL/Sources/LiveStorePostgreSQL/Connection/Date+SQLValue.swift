public import Foundation

extension Date {
  /// What `infinity` is read as, and written as `infinity`: later than all dates that a server has.
  public static let postgresInfinity = Date(timeIntervalSinceReferenceDate: 1e15)

  /// What `-infinity` is read as, and written as `-infinity`: earlier than all dates that a server has.
  public static let postgresNegativeInfinity = Date(timeIntervalSinceReferenceDate: -1e15)
}

extension Date: SQLValue {
  /// The instant in UTC, to the microsecond; ``postgresInfinity`` and ``postgresNegativeInfinity`` are `infinity` and
  /// `-infinity`.
  ///
  /// A column of type `timestamp` receives the time in UTC, and one of type `date` the day in UTC. The server refuses what its
  /// type does not have: a `timestamp` ends with the year 294276, a `date` with 5874897.
  public var sqlParameter: SQLParameter {
    PostgresInstant(nearest: self).map { .text($0.text(.timestamptz)) }
      ?? .invalid("\(timeIntervalSince1970)", "the date is out of PostgreSQL's range")
  }
}
