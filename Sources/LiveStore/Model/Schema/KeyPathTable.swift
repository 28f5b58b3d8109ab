import Synchronization

/// What key paths of stored properties determine, made once for each: describing a key path takes longer than a small
/// query.
///
/// Key paths are told apart by identity. One that is kept here keeps its identity; and one of a stored property holds
/// no values, so keeping it extends the life of nothing.
struct KeyPathTable<Value: Sendable>: ~Copyable, Sendable {
  private struct Entry: Sendable {
    let keyPath: any AnyKeyPath & Sendable
    let value: Value
  }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// More than a program writes. Key paths that are put together at run time may be any number.
  private static var maximumCount: Int { 1_024 }

  /// The value of a key path.
  ///
  /// - Parameters:
  ///   - keyPath: leads to a stored property; for any other, the value is made at each call.
  ///   - make: makes the value; called without a lock, since it may run code of the schema.
  func value<Root, Part>(
    of keyPath: SendableKeyPath<Root, Part>, make: () -> Value
  ) -> Value {
    guard MemoryLayout<Root>.offset(of: keyPath) != nil else { return make() }
    let identity = ObjectIdentifier(keyPath)
    if let known = entries.withLock({ $0[identity]?.value }) { return known }
    let value = make()
    entries.withLock { entries in
      if entries.count >= Self.maximumCount { entries.removeAll() }
      entries[identity] = Entry(keyPath: keyPath, value: value)
    }
    return value
  }
}
