// A cast loses a marker protocol. Each function returns the very key path that it was given, which is
// Sendable, with a type that it has; `any KeyPath & Sendable` is a reference like `KeyPath`.

/// A key path with other names of its types, if those are the same types.
func typedKeyPath<Root, Value, NewRoot, NewValue>(
  _ keyPath: SendableKeyPath<Root, Value>, _: NewRoot.Type, _: NewValue.Type
) -> SendableKeyPath<NewRoot, NewValue>? {
  let same = (keyPath as AnyKeyPath) as? KeyPath<NewRoot, NewValue>
  return same.map { unsafeBitCast($0, to: SendableKeyPath<NewRoot, NewValue>.self) }
}

/// The key path as a writable key path, if it is one.
func writableKeyPath<Root, Value>(
  _ keyPath: SendableKeyPath<Root, Value>
) -> (any WritableKeyPath<Root, Value> & Sendable)? {
  let same = (keyPath as AnyKeyPath) as? WritableKeyPath<Root, Value>
  return same.map { unsafeBitCast($0, to: (any WritableKeyPath<Root, Value> & Sendable).self) }
}
