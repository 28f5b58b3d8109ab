// Objects by address.
//
// Objects are read in place, through pointers that no reference counts. All raw access goes through
// `ObjectMemory`, which documents the ownership of each operation. `Scripts/check-proofs.py` checks that.
//
// - **A1** A leaf owns one copy of each of its objects. An object is copied when it enters and destroyed
//   once when it leaves. A table's tree takes no entry without an object of its own type, and a tree of
//   keys takes none with one; both are preconditions of the operations that edit trees.
// - **A2** A pointer is borrowed from a tree while the caller holds a state, a context or the tree. It is
//   stored in no structure that outlives its owner.
// - **A3** No optional aggregate holds an unsafe pointer beside other words. The optimiser of Swift 6.3 tests
//   such an optional for nil by comparing all its words with 0. Generic code that is not specialised, such as
//   `Optional.map` of a type that the module does not know, writes only the pointer's word for nil; the
//   others hold old contents of the stack. Then a missing row passes for an existing one, in optimised builds
//   only. `FoundRow` and `TreeEntry` store the address as an integer: their nil is a word of its own.

// Raw access to objects. Every read and write of an object by address goes through here, and nowhere else
// (`Scripts/check-proofs.py` checks that), with the ownership of each operation documented.
//
// - A leaf owns one copy of each object in it. The tree owns the leaf, and the owner of the tree keeps the object's
//   address valid and its value unchanged (S5).
// - An address is borrowed: it is used while its owner is known to live, and never stored beyond that (A2).
// - An object that enters a leaf is copied into it; an object that leaves it is destroyed there, once.
// - A tree of keys has no object, and a tree of objects takes no entry without one (`TreePayload`).
//
// Addresses beside other words are stored as integers. Swift 6.3 compares all words of an optional aggregate
// with nil if the aggregate's only spare bit patterns are those of an unsafe pointer. Generic code of the
// library (such as `Optional.map`) writes only the pointer's word. The other words then hold old contents of
// the stack, and nil passes for a value:
//
//     func row<T>(_: T.Type) -> (row: UInt, object: UnsafePointer<T>)? { find().map { … } }     // nil
//     row(Post.self) == nil                                                                     // false, with -O
//
// An aggregate with an integer instead of the pointer has no spare bit pattern; nil is then a word of its
// own (A3).

extension UnsafeRawPointer {
  /// The pointer that an integer was made from.
  @inline(__always)
  init(validAddress: UInt) {
    guard let pointer = UnsafeRawPointer(bitPattern: validAddress) else {
      preconditionFailure("an entry was made from a pointer, which is never 0")
    }
    self = pointer
  }
}

// MARK: Borrowing

extension UnsafeRawPointer {
  /// The object here, borrowed from its owner.
  ///
  /// The caller knows that a value of this type is here: a row of the type's table, or a copy of one.
  @inlinable
  package func object<Element>(as _: Element.Type) -> UnsafePointer<Element> {
    assumingMemoryBound(to: Element.self)
  }
}

extension UnsafeMutableRawPointer {
  /// The object here, borrowed from its owner for editing.
  package func object<Element>(as _: Element.Type) -> UnsafeMutablePointer<Element> {
    assumingMemoryBound(to: Element.self)
  }
}

/// Passes a value to a closure as a row of its table; the pointer is valid while the closure runs.
package func withObject<Element, Result, Failure: Error>(
  _ object: Element, _ body: (UnsafeRawPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
  try withUnsafePointer(to: object) { (pointer) throws(Failure) in try body(UnsafeRawPointer(pointer)) }
}

/// Passes two values of a type.
package func withObjects<Element, Result>(
  _ lhs: Element, _ rhs: Element, _ body: (UnsafeRawPointer, UnsafeRawPointer) -> Result
) -> Result {
  withObject(lhs) { lhs in withObject(rhs) { rhs in body(lhs, rhs) } }
}

/// Passes a variable to be edited in place.
package func withMutableObject<Element, Result>(
  _ object: inout Element, _ body: (UnsafeMutableRawPointer) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &object) { body(UnsafeMutableRawPointer($0)) }
}

/// Passes values that lie one after the other; the pointer to the first is valid while the closure runs.
package func withObjects<Element>(
  count: Int, _ make: (Int) -> Element, _ body: (UnsafeRawPointer) -> Void
) {
  withUnsafeTemporaryAllocation(of: Element.self, capacity: count) { buffer in
    guard count > 0, let first = buffer.baseAddress else { return }
    for index in 0..<count { (first + index).initialize(to: make(index)) }
    body(UnsafeRawPointer(first))
    first.deinitialize(count: count)
  }
}

/// Whether two objects have the same bytes where a stored property lies; false for an empty range.
///
/// Values of the same bytes are the same value, while both live. The reverse does not hold.
@inline(__always)
func hasSameBytes(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer, in bytes: Range<Int>) -> Bool {
  var offset = bytes.lowerBound
  if offset == bytes.upperBound { return false }
  while offset &+ 8 <= bytes.upperBound {
    let left = (lhs + offset).loadUnaligned(as: UInt64.self)
    if left != (rhs + offset).loadUnaligned(as: UInt64.self) { return false }
    offset &+= 8
  }
  while offset < bytes.upperBound {
    if (lhs + offset).load(as: UInt8.self) != (rhs + offset).load(as: UInt8.self) { return false }
    offset &+= 1
  }
  return true
}

// MARK: Trees of objects

extension Tree {
  /// Adds an object; the leaf gets a copy. Returns false, and changes nothing, when its key is present.
  @discardableResult
  package mutating func insert<Element>(_ key: TreeKey, object: Element) -> Bool {
    layout.require(.value(of: Element.self))
    return insert(key, initialize: { $0.initializeMemory(as: Element.self, to: object) })
  }

  /// Adds an object of the tree's type, given like a row of its table; the leaf gets a copy.
  @discardableResult
  package mutating func insert(_ key: TreeKey, copying object: UnsafeRawPointer) -> Bool {
    precondition(layout.holdsObjects, "a tree of keys takes no objects")
    let copy = layout.copyPayload
    return insert(key, initialize: { copy($0, object) })
  }

  /// Adds the first objects of an array under consecutive numbers, greater than all in the tree; leaves get copies.
  package mutating func append<Element>(
    _ first: UInt64, stamp: UInt64, _ objects: ContiguousArray<Element>, count: Int
  ) {
    layout.require(.value(of: Element.self))
    precondition(count <= objects.count, "only objects of the array are copied")
    var builder = TreeBuilder(extending: &self)
    objects.withUnsafeBufferPointer { objects in
      builder.append(first, stamp: stamp, count: count) { payloads, positions in
        guard let source = UnsafeBufferPointer(rebasing: objects[positions]).baseAddress else { return }
        payloads.initializeMemory(as: Element.self, from: source, count: positions.count)
      }
    }
    self = builder.finish()
  }

  /// A tree of objects under consecutive numbers; a closure makes each object from its position.
  init<Element>(
    _ layout: TreeLayout, _ first: UInt64, stamp: UInt64, count: Int, _ object: (Int) -> Element
  ) {
    layout.require(.value(of: Element.self))
    var builder = TreeBuilder(layout)
    builder.append(first, stamp: stamp, count: count) { payloads, positions in
      for position in positions {
        (payloads + (position - positions.lowerBound) * MemoryLayout<Element>.stride)
          .initializeMemory(as: Element.self, to: object(position))
      }
    }
    self = builder.finish()
  }

  /// Replaces an existing entry's object by a copy of another of the same type, which stays its owner's.
  ///
  /// - Parameter stamp: the new stamp; nil leaves the entry's stamp unchanged.
  /// - Returns: the stamp before.
  package mutating func replaceObject(
    _ first: UInt64, by object: UnsafeRawPointer, stamp: UInt64?
  ) -> UInt64 {
    let layout = layout
    var before: UInt64 = 0
    update(TreeKey(first, 0)) { payload, second in
      layout.destroyPayloads(payload, 1)
      layout.copyPayload(payload, object)
      before = second
      if let stamp { second = stamp }
    }
    return before
  }

  /// Sets the value of an entry, in a tree of values of this type.
  @discardableResult
  package mutating func set<Value>(_ value: Value, at first: UInt64) -> Bool {
    layout.require(.value(of: Value.self))
    return update(TreeKey(first, 0)) { payload, _ in payload.object(as: Value.self).pointee = value }
  }
}

// MARK: Trees of keys

extension Tree {
  /// Adds an entry to a tree without objects; returns false, and changes nothing, when its key is present.
  ///
  /// - Parameter stamp: its stamp, which a tree without stamps ignores.
  @discardableResult
  package mutating func insert(
    _ key: TreeKey, stamp: UInt64 = 0, tie: (UInt64) -> Int = { _ in 0 }
  ) -> Bool {
    layout.requireKeys()
    guard layout.isStamped else { return insert(key, tie: tie, initialize: { _ in }) }
    return insert(key, tie: tie, initialize: { $0.initializeMemory(as: UInt64.self, to: stamp) })
  }

  /// Gives an entry another stamp; returns false, and changes nothing, when there is no such entry.
  @discardableResult
  package mutating func setStamp(
    _ stamp: UInt64, at key: TreeKey, tie: (UInt64) -> Int = { _ in 0 }
  ) -> Bool {
    let isStamped = layout.isStamped
    return update(key, tie: tie) { payload, second in
      if isStamped { payload.object(as: UInt64.self).pointee = stamp } else { second = stamp }
    }
  }
}

extension TreeBuilder {
  /// Adds an entry greater than all before it to a tree without objects.
  ///
  /// - Parameter stamp: its stamp, which a tree without stamps ignores.
  package mutating func append(_ key: TreeKey, stamp: UInt64 = 0) {
    layout.requireKeys()
    guard layout.isStamped else { return append(key, initialize: { _ in }) }
    append(key, initialize: { $0.initializeMemory(as: UInt64.self, to: stamp) })
  }
}

// MARK: What a tree holds

extension TreeLayout {
  fileprivate func require(_ payload: TreePayload) {
    precondition(self.payload == payload, "a tree of objects takes those of its own type")
  }

  fileprivate func requireKeys() {
    precondition(!holdsObjects, "a tree of objects takes no entry without one")
  }

  func requireStamps() { precondition(isStamped, "entries have stamps as their payload") }

  func requireKeysAlone() { precondition(payload == .nothing, "entries have no payload") }
}
