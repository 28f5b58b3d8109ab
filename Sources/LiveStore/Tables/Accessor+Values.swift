extension Accessor {
  /// Calls `body` with the values of some rows; the results of a function are in memory until `body` returns.
  ///
  /// - Parameter objects: the addresses of the rows, of which there are up to 64.
  func withValues(
    of objects: IndirectValues, _ context: ReadContext, _ body: (IndirectValues) -> Void
  ) {
    switch self {
    case .offset(let offset):
      body(IndirectValues(wholes: objects.wholes, count: objects.count, offset: offset))
    case .function(let read):
      withObjects(count: objects.count) {
        read(objects[$0], context)
      } _: { first in
        withObjects(count: objects.count) {
          first + $0 * MemoryLayout<Value>.stride
        } _: { addresses in
          body(
            IndirectValues(
              wholes: addresses.object(as: UnsafeRawPointer.self), count: objects.count, offset: 0))
        }
      }
    }
  }
}
