/// How the values in a leaf are copied and destroyed.
///
/// Made in the module that declares the type, the loops are compiled for it. The runtime's functions for arrays of any
/// type call a function of the type for each value instead: a commit that updates one row copies the other 31 of its
/// leaf, and later destroys them.
@usableFromInline
package struct PayloadTransfer<Payload>: Sendable {
  @usableFromInline
  package typealias Copy =
    @Sendable (_ target: UnsafeMutablePointer<Payload>, _ source: UnsafePointer<Payload>, _ count: Int) ->
    Void

  @usableFromInline let copy: Copy
  @usableFromInline let destroy: @Sendable (_ start: UnsafeMutablePointer<Payload>, _ count: Int) -> Void

  @inlinable
  package init() {
    copy = { target, source, count in
      for index in 0..<count { (target + index).initialize(to: source[index]) }
    }
    destroy = { start, count in
      for index in 0..<count { (start + index).deinitialize(count: 1) }
    }
  }
}
