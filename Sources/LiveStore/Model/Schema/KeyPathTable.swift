import Synchronization

/// What key paths of stored properties determine, made once for each: describing a key path takes longer than a small
/// query.
///
/// Key paths are told apart by identity. One that is kept here keeps its identity; and one of a stored property holds
/// no values, so keeping it extends the life of nothing.
struct KeyPathTable: ~Copyable, Sendable {
  private struct Entry: Sendable {
    let keyPath: any AnyKeyPath & Sendable
    let value: any AnyObject & Sendable
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// More than a program writes. Key paths that are put together at run time may be any number.
  private static var maximumCount: Int { 1_024 }

  /// The value of a key path; nil if it has none yet.
  func value(of keyPath: any AnyKeyPath & Sendable) -> (any AnyObject & Sendable)? {
    let identity = ObjectIdentifier(keyPath)
    return entries.withLock { $0[identity]?.value }
  }

  /// Sets the value of a key path, which leads to a stored property.
  func set(_ value: any AnyObject & Sendable, of keyPath: any AnyKeyPath & Sendable) {
    entries.withLock { entries in
      if entries.count >= Self.maximumCount { entries.removeAll() }
      entries[ObjectIdentifier(keyPath)] = Entry(keyPath: keyPath, value: value)
    }
  }
}
