package import LiveStore

extension Version {
  /// The version a number stands for, as `.number(0)` for an empty store.
  package static func number(_ number: Int) -> Version { Version(UInt64(number)) }
}
