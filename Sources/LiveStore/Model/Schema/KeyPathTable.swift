import Synchronization

/// Values computed from key paths of stored properties, once for each key path: describing a key path takes
/// longer than a small query.
///
/// Key paths are distinguished by identity. A key path in the table keeps its identity. A key path of a
/// stored property holds no values, so storing it extends the life of nothing.
struct KeyPathTable: ~Copyable, Sendable {
  private struct Entry: Sendable {
    let keyPath: any AnyKeyPath & Sendable
    let value: any AnyObject & Sendable
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// More than a program writes. Any number of key paths may be composed at run time.
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
