/// What the leaves of a tree store beside their keys, how the keys compare, and how large the nodes are.
///
/// Trees are not generic: a typed payload is a run of bytes in the leaf, and only the three bulk functions here know
/// its type. Each use has one layout, shared by all versions of the tree.
package final class TreeLayout: Sendable {
  /// Which part of a key decides its order.
  package enum Order: Sendable {
    /// `first` alone, unique in the tree; `second` is the version that last changed the entry: its stamp.
    case first
    /// `first`, then the real keys behind equal firsts (the tie closure), then `second`.
    case both
  }

  package let order: Order
  package let leafCapacity: Int
  package let innerCapacity: Int
  /// Bytes from one payload to the next; 0 when there is none.
  package let stride: Int
  package let alignment: Int
  package let payload: TreePayload
  /// Whether entries have values, as in a table.
  package let holdsObjects: Bool
  /// Whether the payload is one word, the entry's stamp.
  package let isStamped: Bool
  /// Whether the second word of a key is an entry of a list, not a row number.
  package let areOccurrences: Bool

  typealias Transfer =
    @Sendable (_ target: UnsafeMutableRawPointer, _ source: UnsafeMutableRawPointer, _ count: Int) -> Void

  let copyPayloads: Transfer
  /// Copies one value from anywhere. A value outside a leaf need not have the padding that the bulk copy reads.
  let copyPayload: @Sendable (_ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer) -> Void
  /// Leaves the source uninitialised; the two runs may overlap.
  let movePayloads: Transfer
  let destroyPayloads: @Sendable (_ start: UnsafeMutableRawPointer, _ count: Int) -> Void

  /// Fewest slots of a node off the right edge: the smaller half of a split.
  let leafMinimum: Int
  let innerMinimum: Int
  /// Leaves of 32, inner nodes of 16, and payloads aligned like keys: lookups are fastest then.
  let isStandard: Bool

  /// Bytes from the first slot of a leaf to its values; read from the header only if they depend on its address.
  @inline(__always)
  func valueOffset(_ header: UnsafeMutablePointer<NodeHeader>) -> Int {
    alignment <= 16 ? 0 : Int(header.pointee.payloadOffset)
  }

  /// Bytes from the values of a leaf to its keys.
  var valueBytes: Int { (leafCapacity &* stride &+ 7) & ~7 }

  private init<Payload>(
    order: Order, leafCapacity: Int, innerCapacity: Int, stride: Int, _ payload: TreePayload,
    areOccurrences: Bool = false, _ transfer: PayloadTransfer<Payload>
  ) {
    self.payload = payload
    self.areOccurrences = areOccurrences
    precondition(2...64 ~= leafCapacity, "a leaf holds 2 to 64 entries")
    precondition(3...64 ~= innerCapacity, "an inner node holds 3 to 64 children")
    self.order = order
    self.leafCapacity = leafCapacity
    self.innerCapacity = innerCapacity
    self.stride = stride
    self.alignment = max(MemoryLayout<Payload>.alignment, MemoryLayout<UInt64>.alignment)
    isStamped = payload == .stamp
    holdsObjects = payload == .value(of: Payload.self)
    leafMinimum = (leafCapacity + 1) / 2
    innerMinimum = (innerCapacity + 1) / 2
    isStandard = leafCapacity == 32 && innerCapacity == 16 && alignment <= 16
    // The payload region of a leaf holds values of `Payload` and nothing else (S6), so it is bound to it.
    copyPayloads = { target, source, count in
      transfer.copy(
        target.assumingMemoryBound(to: Payload.self), source.assumingMemoryBound(to: Payload.self), count)
    }
    copyPayload = { target, source in
      target.assumingMemoryBound(to: Payload.self)
        .initialize(to: source.assumingMemoryBound(to: Payload.self).pointee)
    }
    movePayloads = { target, source, count in
      target.assumingMemoryBound(to: Payload.self)
        .moveInitialize(from: source.assumingMemoryBound(to: Payload.self), count: count)
    }
    destroyPayloads = { start, count in
      transfer.destroy(start.assumingMemoryBound(to: Payload.self), count)
    }
  }

  package static let defaultLeafCapacity = 32
  /// An edit counts a reference to each child of the inner nodes that are copied, and of those that are
  /// freed.
  package static let defaultInnerCapacity = 16

  /// Keys without a payload.
  package static func keys(
    order: Order, leafCapacity: Int = defaultLeafCapacity, innerCapacity: Int = defaultInnerCapacity
  ) -> TreeLayout {
    TreeLayout(
      order: order, leafCapacity: leafCapacity, innerCapacity: innerCapacity, stride: 0, .nothing,
      PayloadTransfer<UInt64>())
  }

  /// Keys ordered by both words, each with a stamp as its payload.
  package static func stamped(
    areOccurrences: Bool = false, leafCapacity: Int = defaultLeafCapacity,
    innerCapacity: Int = defaultInnerCapacity
  ) -> TreeLayout {
    TreeLayout(
      order: .both, leafCapacity: leafCapacity, innerCapacity: innerCapacity,
      stride: MemoryLayout<UInt64>.stride, .stamp,
      areOccurrences: areOccurrences, PayloadTransfer<UInt64>())
  }

  /// Keys ordered by `first`, each with a value of `T` as its payload.
  ///
  /// - Parameter transfer: how values are copied and destroyed, from the module that knows the type.
  package static func values<T: Sendable>(
    of type: T.Type, _ transfer: PayloadTransfer<T> = PayloadTransfer(),
    leafCapacity: Int = defaultLeafCapacity, innerCapacity: Int = defaultInnerCapacity
  ) -> TreeLayout {
    TreeLayout(
      order: .first, leafCapacity: leafCapacity, innerCapacity: innerCapacity,
      stride: MemoryLayout<T>.stride, .value(of: T.self), transfer)
  }
}
